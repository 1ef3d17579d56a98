"""The front door: README's example, the page of the architecture, what the Snakemake workflow catalog asks for."""

import re
from pathlib import Path

import pytest
import yaml
from tests.factories.places import CONFIG, PACKAGE, ROOT
from tools import pages
from tools.documents import examples, front
from tools.documents.artifact import configurations

from quantrift.judge.intake import example
from quantrift.study.board.pair import load
from quantrift.study.board.row import read
from quantrift.study.planning.configuration_files import LIBRARY
from quantrift.study.planning.root import REPORT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_of_the_tutorial_is_the_command_that_runs_there() -> None:
    words = examples.TUTORIAL.command()
    assert words[0] == "assess"
    assert {Path(word) for word in words if "/" in word} == set(vars(example.paths()).values())
    assert words[-2:] == ["--out", "assessment"]


def block(name: str) -> list[str]:
    return (pages.BLOCKS / f"{name}.md").read_text(encoding="utf-8").strip().strip("`").strip().splitlines()


def test_the_verdict_at_the_top_is_that_of_a_row_of_the_board_and_fails() -> None:
    row = read(ROOT / "docs/measured/board" / front.JUDGED)
    first, *_ = block("readme")
    assert first.startswith("FAIL   ")
    assert row.verdict == "fail"
    assert f"{row.inputs} inputs" in first


def test_the_picture_at_the_top_is_of_a_pair_that_the_project_may_show() -> None:
    assert f"({front.PICTURE.relative_to(ROOT)}.svg)" in README
    assert front.PICTURE.with_suffix(".svg").is_file()
    # Its images are drawn by a script, so they are nobody else's.
    assert load(CONFIG / "board.yaml").pairs[front.SHOWN].wheel is not None


def test_the_example_of_certificates_is_the_command_that_ran_there() -> None:
    words = examples.CERTIFYING.command()
    asked = words[words.index("--neighbourhoods") + 1].split(",")
    head, *rows = block("certifying")
    assert head.startswith("neighbourhood ")
    assert [row.partition("=")[0] for row in rows[: len(asked)]] == [name.partition("=")[0] for name in asked]
    number = words[words.index("--number") + 1]
    assert all(f" of {number} (" in row for row in rows[: len(asked)])


@pytest.mark.slow
def test_the_example_of_a_mending_prints_what_its_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_quantizer", reason="needs the extra mend")
    printed = {line.split()[0]: line for line in examples.MENDING.said(tmp_path)}
    shown = {line.split()[0]: line for line in block("mending")}
    assert shown["verdict"].startswith("verdict      mended: pass")
    # Shares and sizes belong to one machine and one version of the quantizer.
    for name in ("state", "calibration", "in", "file", "report"):
        assert shown[name] == printed[name]


def test_the_readme_states_the_commands_that_make_and_test() -> None:
    assert re.search(r"^make +# ", README, re.MULTILINE)
    assert re.search(r"^make test +# ", README, re.MULTILINE)


def test_every_target_that_the_readme_names_exists() -> None:
    [table] = re.findall(r"^\| target \| answers \|\n\|---\|---\|\n((?:\|.*\n)+)", README, re.MULTILINE)
    named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    targets = configurations()["paper"].targets
    assert named
    assert named <= {*targets, REPORT, "board"}


def test_the_page_of_the_architecture_has_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `([\w/]+)` \|", page.partition("## The rooms")[2], re.MULTILINE)
    there = {str(file.parent.relative_to(PACKAGE)) for file in PACKAGE.glob("*/*/__init__.py")}
    assert {one for one in there if not one.startswith("cli/")} | {"cli"} == {*rooms}


def test_the_workflow_catalog_finds_what_it_asks_for() -> None:
    entry = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
    deployment = entry["usage"]["software-stack-deployment"]
    assert deployment["conda"] == (ROOT / "envs" / "quantrift.yaml").is_file()
    assert "mandatory-flags" in entry["usage"]
    assert {"snakemake", "workflow"} <= set(re.findall(r"\w+", README.lower()))
    assert (CONFIG / "README.md").is_file()
    assert list((ROOT / "workflow" / "rules").glob("*.smk"))


def test_every_file_of_the_configuration_is_listed_beside_it_those_below_every_overlay_first() -> None:
    text = (CONFIG / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE)
    assert sorted(rows) == sorted(path.name for path in CONFIG.iterdir() if path.name != "README.md")
    below = rows[: len(LIBRARY)]
    assert set(below) == set(LIBRARY)
    assert f"The first files, up to `{below[-1]}`, lie under every overlay." in text
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert [name for name in LIBRARY if f"](../config/{name})" not in page] == []
