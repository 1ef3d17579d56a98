"""The folder of an assessment: its own files are replaced as a whole, other files never."""

from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.assess.folder import MANIFEST, appearing, rewritten
from quantrift.base.errors import QuantriftError

NAMES = st.lists(st.sampled_from(["a", "b", "x/a", "x/b", "x/y/a", "z/a"]), unique=True)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def assessed(out: Path, files: dict[str, str]) -> None:
    with appearing(out) as work:
        write(work, files)


def content(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@given(first=NAMES, second=NAMES, mine=NAMES)
def test_a_second_assessment_replaces_the_first_and_leaves_what_is_mine(
    first: list[str], second: list[str], mine: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("place") / "out"
    assessed(out, dict.fromkeys(first, "first"))
    own = {name: "mine" for name in mine if name not in first}
    write(out, own)
    if {*own} & {*second}:
        with pytest.raises(QuantriftError, match="no assessment wrote this file, so it stays"):
            assessed(out, dict.fromkeys(second, "second"))
        assert {**content(out), MANIFEST: ""} == {**dict.fromkeys(first, "first"), **own, MANIFEST: ""}
        assert {name for name in content(out.with_name("out-1")) if name != MANIFEST} == {*second}
    else:
        assessed(out, dict.fromkeys(second, "second"))
        assert {**content(out), MANIFEST: ""} == {**dict.fromkeys(second, "second"), **own, MANIFEST: ""}
    # Nothing temporary stays, and no empty folders.
    every = [path for path in out.parent.rglob("*")]
    assert [path for path in every if path.name.startswith(".")] == []
    assert [path for path in every if path.is_dir() and not any(path.iterdir())] == []


def test_an_assessment_that_fails_leaves_the_earlier_one(tmp_path: Path) -> None:
    assessed(tmp_path / "out", {"a": "first"})
    before = content(tmp_path)

    def failing() -> None:
        with appearing(tmp_path / "out") as work:
            write(work, {"a": "second"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert content(tmp_path) == before


def test_a_move_that_fails_half_way_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assessed(tmp_path / "out", {"a": "first", "b": "first", "x/c": "first"})
    before = content(tmp_path)
    rename, moves = Path.rename, count(1)

    def renamed(self: Path, target: Path) -> Path:
        if next(moves) == 6:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", renamed)
    with pytest.raises(OSError, match="No space"):
        assessed(tmp_path / "out", {"a": "second", "b": "second", "n": "second"})
    assert content(tmp_path) == before


@pytest.mark.parametrize("name", ["../mine", "/etc/passwd", ""])
def test_a_manifest_that_names_other_places_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    write(tmp_path / "out", {MANIFEST: f'{{"files": {{"{name}": "0"}}}}'})
    with pytest.raises(QuantriftError, match="name a new folder with --out"):
        assessed(tmp_path / "out", {"a": "1"})
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_file_that_became_a_link_is_somebody_elses(tmp_path: Path) -> None:
    assessed(tmp_path / "out", {"a": "first", "x/b": "first"})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "b").write_text("first")
    (tmp_path / "out" / "x" / "b").unlink()
    (tmp_path / "out" / "x").rmdir()
    (tmp_path / "out" / "x").symlink_to(tmp_path / "mine")
    with pytest.raises(QuantriftError, match="name a new folder with --out"):
        assessed(tmp_path / "out", {"a": "second", "x/b": "second"})
    assert (tmp_path / "mine" / "b").read_text() == "first"


def test_a_report_that_is_written_again_still_belongs_to_the_assessment(tmp_path: Path) -> None:
    assessed(tmp_path / "out", {"report.html": "first"})
    (tmp_path / "out" / "report.html").write_text("again")
    rewritten(tmp_path / "out", "report.html")
    assessed(tmp_path / "out", {"report.html": "second"})
    assert content(tmp_path / "out")["report.html"] == "second"
