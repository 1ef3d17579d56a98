"""The folder of an assessment: its own files are replaced as a whole, other files never."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.verdict.folder import MANIFEST, appearing, rewritten

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


KILLED = """
import os, sys
from pathlib import Path
from quantrift.judge.verdict.folder import appearing
out, moves, rename = Path(sys.argv[1]), int(sys.argv[2]), Path.rename

def renamed(self, target):
    global moves
    if not (moves := moves - 1):
        os._exit(9)
    return rename(self, target)

with appearing(out) as work:
    for name in ("a", "n", "x/a"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("second")
    Path.rename = renamed
"""


def test_a_kill_between_two_moves_is_finished_by_the_next_start(tmp_path: Path) -> None:
    first, second, third = ({"a": one, "b": one, "x/a": one} for one in ("first", "second", "third"))
    second = {"a": "second", "n": "second", "x/a": "second"}
    for moves in count(1):
        out = tmp_path / str(moves) / "out"
        assessed(out, first)
        if subprocess.run([sys.executable, "-c", KILLED, str(out), str(moves)]).returncode != 9:
            break

        def failing(out: Path = out) -> None:
            with appearing(out):
                raise RuntimeError

        # The next start looks at what is there, even if it comes to nothing itself.
        with pytest.raises(RuntimeError):
            failing()
        there = {name: text for name, text in content(out).items() if name != MANIFEST}
        assert there == (first if moves == 1 else second)
        assessed(out, third)
        assert {name: text for name, text in content(out).items() if name != MANIFEST} == third
    assert moves > 6


def test_a_kill_before_anything_moved_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    killed = "import os, sys; from pathlib import Path; from quantrift.judge.verdict.folder import appearing\n"
    killed += "with appearing(Path(sys.argv[1])) as work: (work / 'a').write_text('half'); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", killed, str(tmp_path / "out")]).returncode == 9
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["out"]
    assessed(tmp_path / "out", {"b": "whole"})
    assert {name for name in content(tmp_path) if MANIFEST not in name} == {"out/b"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_of_someone_else_in_the_way_of_an_interrupted_run_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assessed(out, {"a": "first"})
    subprocess.run([sys.executable, "-c", KILLED, str(out), "4"])
    (out / "n").write_text("mine")
    with pytest.raises(QuantriftError, match="stands in the way of an interrupted run's files; move it away"):
        assessed(out, {"a": "third"})
    (out / "n").unlink()
    assessed(out, {"a": "third"})
    assert content(out)["a"] == "third"


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with appearing(tmp_path / "out"), pytest.raises(QuantriftError, match="another run is writing to it"):
        assessed(tmp_path / "out", {"a": "second"})


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
