"""Nothing in a hostile file runs, reads or writes elsewhere, or takes all memory: it is refused in one line.

``python -m tests.hostile.table`` makes a table of the same files with the memory that each takes.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile.all_files import MAKERS
from tests.hostile.table import arguments

from quantrift.cli.main import main
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.verdict import run as assessing

CASES = [(kind, name) for kind, makers in MAKERS.items() for name in makers]


@pytest.fixture(scope="module")
def reader() -> Iterator[ForeignFiles]:
    """One process that reads all files, as TensorFlow takes seconds to load."""
    with ForeignFiles() as files:
        yield files


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_hostile_file_is_refused_in_one_line_and_does_nothing(
    kind: str,
    name: str,
    reader: ForeignFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ForeignFiles, "__exit__", lambda self, *error: None)
    monkeypatch.setattr(assessing, "ForeignFiles", lambda: reader)
    (tmp_path / "given").mkdir()
    canary, out = tmp_path / "canary", tmp_path / "out"
    file = MAKERS[kind][name](tmp_path / "given", canary)
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    assert main(arguments(kind, file, out)) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert "; " in said[0] or kind == "configurations"
    assert sorted(tmp_path.rglob("*")) == before
    assert not canary.exists()
