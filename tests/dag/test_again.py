"""The status command says, before a run starts, which jobs it would do again and why."""

from pathlib import Path

import pytest
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.cli.main import main


@pytest.mark.slow
def test_in_an_empty_folder_everything_is_to_be_made_for_want_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo, asked = CONFIG / "config.yaml", tmp_path / "asked.yaml"
    asked.write_text("all: [diverget_table4]\n")
    monkeypatch.chdir(tmp_path)
    assert main(["status", "--configfile", str(demo), str(asked)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a run would make ")
    assert line.endswith(": their files are not there")
    # On two scenes.
    assert f"{len(configurations.of_scale().experiments['rq1'].tools) * 2} search" in line
