"""Misuses of folders, signals, disks, locales and limits: the right exit code, nothing lost, nothing half-written."""

import errno
import functools
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.stopped import COMMAND, stopped
from tests.small_disk import small_disk

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.judge.intake.example import paths

pytestmark = pytest.mark.slow
DONE, FAIL, COULD_NOT_RUN, CRASH = 0, 1, 2, 70
GIGA = 10**9


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three inputs of the example: an assessment of seconds."""
    path = tmp_path_factory.mktemp("given") / "few.npz"
    arrays = read_arrays(paths().inputs)
    write_arrays(path, {name: arrays[name][:3] for name in ("inputs", "labels")})
    return path


class Place:
    """A working folder with a home and a temporary folder of its own."""

    def __init__(self, folder: Path, few: Path) -> None:
        self.work, self.tmp, self.home = (folder / name for name in ("work", "tmp", "home"))
        for one in (self.work, self.tmp, self.home):
            one.mkdir()
        self.few = few

    def words(self, out: str | Path, original: Path | None = None, inputs: Path | None = None) -> list[str]:
        """The command's words."""
        given = ["--original", original or paths().int8, "--compressed", paths().int8, "--inputs", inputs or self.few]
        # Three inputs decide nothing.
        return [str(word) for word in ("assess", *given, "--inconclusive", "pass", "--out", out)]

    def environment(self, **more: str) -> dict[str, str]:
        fonts = os.environ.get("MPLCONFIGDIR", str(Path.home() / ".cache" / "matplotlib"))
        own = {"HOME": str(self.home), "TMPDIR": str(self.tmp), "MPLCONFIGDIR": fonts}
        return os.environ | own | more

    def start(
        self,
        words: list[str],
        environment: dict[str, str] | None = None,
        before: Callable[[], None] = lambda: None,
        stops_at: str = "",
        **how: Any,
    ) -> subprocess.Popen[str]:
        """The command under way, to a place of its code; `before` runs in its process before it starts."""

        def prepare() -> None:
            _listening()
            before()

        command = [sys.executable, "-c", COMMAND, stops_at, *words]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        given = {**streams, **how}
        return subprocess.Popen(
            command,
            cwd=self.work,
            env=self.environment(**(environment or {})),
            text=True,
            errors="replace",
            preexec_fn=prepare,
            **given,
        )

    def run(self, words: list[str], environment: dict[str, str] | None = None, **how: Any) -> tuple[int, list[str]]:
        """Exit code, and lines on standard error that are no progress bars."""
        process = self.start(words, environment, **how)
        _, said = process.communicate()
        return process.returncode, own(said or "")

    def left(self) -> list[str]:
        """What lies in the working and the temporary folder."""
        return sorted(path.name for folder in (self.work, self.tmp) for path in folder.iterdir())


def own(said: str) -> list[str]:
    return [
        line
        for line in said.splitlines()
        if line.strip()
        and "it/s]" not in line
        and "?, ?" not in line
        and "candidates" not in line
        and "inputs [" not in line
    ]


@pytest.fixture
def place(tmp_path: Path, few: Path) -> Place:
    return Place(tmp_path, few)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _listening() -> None:
    """Undo what these tests may have been started with, like nohup, which lets signals be ignored."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


STAGES = {
    "its networks are read": "quantrift.judge.verdict.opened_networks:fitted",
    "it searches": "quantrift.judge.verdict.run:candidate",
    "it writes": "quantrift.judge.verdict.assessment_page:written",
}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)], ids=lambda one: str(one)
)
@pytest.mark.parametrize("stage", STAGES)
def test_a_signal_leaves_nothing(number: signal.Signals, code: int, stage: str, place: Place) -> None:
    # A network of Keras is read in a process of its own, which ends too.
    original = paths().original if number == signal.SIGTERM else None
    process = place.start(place.words("out", original=original), stops_at=STAGES[stage])
    stopped(process)
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    # Interrupted within code that libraries make from text, the interpreter ends by the signal itself: 130 to a shell.
    assert process.returncode in ({code, -number} if number == signal.SIGINT else {code}), said
    ends = [line for line in said.splitlines() if line.startswith("quantrift assess: ")]
    assert ends == ["quantrift assess: interrupted; nothing was written"] * (process.returncode == 130)
    assert "Traceback" not in said
    assert place.left() == []


def test_a_killed_assessment_is_cleaned_up_by_the_next(place: Place) -> None:
    process = place.start(place.words("out"), stops_at=STAGES["it searches"])
    stopped(process)
    process.kill()
    process.communicate()
    # Beside the unfinished files there is the folder that they were to move to, still empty.
    assert [path.name for path in place.work.iterdir() if not path.name.startswith(".")] == ["out"]
    assert not list((place.work / "out").iterdir())
    assert place.run(place.words("out"))[0] == DONE
    assert [path.name for path in place.work.iterdir()] == ["out"]


@pytest.mark.parametrize("streams", ["out closed", "out full", "out read by nobody", "error closed", "all closed"])
def test_a_verdict_stands_whatever_becomes_of_its_output(streams: str, place: Place) -> None:
    redirected = {
        "out closed": ">&-",
        "out full": ">/dev/full",
        "out read by nobody": "| true",
        "error closed": "2>&-",
        "all closed": "<&- >&- 2>&-",
    }[streams]
    script = f'set -o pipefail; "$@" {redirected}'
    words = [sys.executable, "-m", "quantrift.cli.main", *place.words("out")]
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        cwd=place.work,
        env=place.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == DONE, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((place.work / "out" / "assessment.json").read_text())["verdict"] == "inconclusive"
    assert ("standard output is incomplete" in done.stderr) == (streams == "out full")


def test_what_cannot_be_printed_is_no_success_of_a_command_that_only_prints(place: Place) -> None:
    with open("/dev/full", "w") as full:
        code, said = place.run(["audit", str(paths().int8)], stdout=full)
    assert code == COULD_NOT_RUN
    assert said == ["quantrift audit: standard output is incomplete (No space left on device); make room, or close it"]


def test_the_working_folder_itself_may_be_the_place(place: Place) -> None:
    assert place.run(place.words("."))[0] == DONE
    assert (place.work / "report.html").is_file()
    assert [name for name in place.left() if name.startswith(".")] == []


def test_a_name_of_250_letters_is_a_name_and_one_of_300_is_none(place: Place) -> None:
    assert place.run(place.words("x" * 250))[0] == DONE
    code, said = place.run(place.words("x" * 300))
    assert code == COULD_NOT_RUN
    assert len(said) == 1
    assert place.left() == ["x" * 250]


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
@pytest.mark.parametrize("name", ["größe_模型", os.fsdecode(b"net_\xff")])
def test_names_in_any_writing_are_names_in_every_locale(name: str, locale: dict[str, str], place: Place) -> None:
    inputs = place.work / f"{name}.npz"
    shutil.copy(place.few, inputs)
    code, said = place.run(place.words(f"{name}_out", inputs=inputs), locale)
    assert code == DONE, said
    assert "Traceback" not in "\n".join(said)
    assert (place.work / f"{name}_out" / "report.html").is_file()


def test_a_link_to_a_folder_is_written_through(place: Place) -> None:
    (place.work / "real").mkdir()
    (place.work / "link").symlink_to("real")
    (place.work / "dangling").symlink_to("later")
    for name in ("link", "dangling", "link"):
        assert place.run(place.words(name))[0] == DONE
        assert (place.work / name).is_symlink()
    assert (place.work / "real" / "report.html").is_file()
    assert (place.work / "later" / "report.html").is_file()


def test_files_of_others_in_an_assessment_stay(place: Place) -> None:
    assert place.run(place.words("out"))[0] == DONE
    mine = {"notes.txt": "precious", "int8/mine.csv": "1", "other/deep/x": "2"}
    for name, text in mine.items():
        (place.work / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (place.work / "out" / name).write_text(text)
    shutil.copy(paths().int8, place.work / "out" / "original.tflite")
    assert place.run(place.words("out", original=place.work / "out" / "original.tflite"))[0] == DONE
    assert {name: (place.work / "out" / name).read_text() for name in mine} == mine
    assert (place.work / "out" / "original.tflite").read_bytes() == paths().int8.read_bytes()


def test_a_report_that_somebody_changed_stays(place: Place) -> None:
    assert place.run(place.words("out"))[0] == DONE
    (place.work / "out" / "report.html").write_text("my own words")
    before = content(place.work)
    code, [said] = place.run(place.words("out"))
    assert (code, content(place.work)) == (COULD_NOT_RUN, before)
    assert "report.html: was changed since" in said


def test_inputs_that_would_be_replaced_are_refused(place: Place) -> None:
    assert place.run(place.words("out"))[0] == DONE
    before = content(place.work)
    [own_file, *_] = (place.work / "out").rglob("*.tflite")
    code, [said] = place.run(place.words("out", original=own_file))
    assert (code, content(place.work)) == (COULD_NOT_RUN, before)
    assert "would be replaced; name another folder with --out" in said


def test_a_folder_or_an_assessment_of_unknown_files_stays(place: Place) -> None:
    for name in ("notes.txt", "assessment.json"):
        (place.work / "out").mkdir(exist_ok=True)
        (place.work / "out" / name).write_text("{}")
        before = content(place.work)
        code, said = place.run(place.words("out"))
        assert (code, len(said), content(place.work)) == (COULD_NOT_RUN, 1, before)


def test_a_file_that_comes_into_the_way_during_a_run_stays(place: Place) -> None:
    process = place.start(place.words("out"), stops_at=STAGES["it searches"])
    stopped(process)
    (place.work / "out" / "report.html").write_text("mine")
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    assert process.returncode == COULD_NOT_RUN
    assert (place.work / "out" / "report.html").read_text() == "mine"
    assert "the new assessment is in out-1" in own(said)[-1]
    assert (place.work / "out-1" / "report.html").stat().st_size > 1000


def test_a_file_or_a_loop_is_no_folder(place: Place) -> None:
    (place.work / "file").write_text("x")
    (place.work / "loop").symlink_to("loop")
    before = place.left()
    for name in ("file", "file/out", "loop", "loop/out"):
        code, said = place.run(place.words(name))
        assert (code, len(said)) == (COULD_NOT_RUN, 1), (name, said)
    assert place.left() == before
    assert (place.work / "file").read_text() == "x"


def test_a_full_disk_is_one_line_and_leaves_the_earlier_assessment(place: Place) -> None:
    disk = place.work / "disk"
    with small_disk(disk, "size=6m"):
        assert place.run(place.words("disk/out"))[0] == DONE
        before = content(disk)
        (disk / "fill").write_bytes(bytes(shutil.disk_usage(disk).free - 50_000))
        code, said = place.run(place.words("disk/out"))
        (disk / "fill").unlink()
        assert (code, content(disk)) == (COULD_NOT_RUN, before)
        # Before it, there is what the inputs as given leave open.
        assert [line for line in said if line.startswith("quantrift ")] == said[-1:]
        assert os.strerror(errno.ENOSPC) in said[-1]


def test_a_full_temporary_folder_is_one_line(place: Place) -> None:
    with small_disk(place.tmp, "size=48k"):
        # Room for the probe by which Python tells whether the folder can be used, not for a network.
        (place.tmp / "fill").write_bytes(bytes(shutil.disk_usage(place.tmp).free - 16_000))
        code, said = place.run(place.words("out", original=paths().original))
        assert (code, len(said)) == (COULD_NOT_RUN, 1), said
    assert place.left() == []


@pytest.mark.parametrize(
    ("kind", "most"),
    [("DATA", 200_000_000), ("AS", 1_500_000_000), ("FSIZE", 2_000), ("NPROC", 1)],
)
def test_a_limit_is_one_line(kind: str, most: int, place: Place) -> None:
    which = getattr(resource, f"RLIMIT_{kind}")
    limit = functools.partial(resource.setrlimit, which, (most, most))
    code, said = place.run(place.words("out", original=paths().original), before=limit)
    if code == DONE:
        assert kind == "NPROC", "root may start as many processes as it likes"
        return
    assert (code, len(said)) == (COULD_NOT_RUN, 1), said
    assert place.left() == []


def test_a_folder_that_cannot_be_written_is_named(place: Place) -> None:
    place.work.chmod(0o555)
    code, said = place.run(place.words("/proc/out"))
    assert (code, len(said)) == (COULD_NOT_RUN, 1), said


def test_an_unwritable_home_and_another_backend_of_keras_change_nothing(place: Place) -> None:
    assert place.run(place.words("one", original=paths().original))[0] == DONE
    other = {"HOME": "/proc/nowhere", "KERAS_BACKEND": "jax", "TF_ENABLE_ONEDNN_OPTS": "0"}
    code, said = place.run(place.words("two", original=paths().original), other)
    assert code == DONE, said
    for name in ("int8/dii.npz",):
        assert (place.work / "one" / name).read_bytes() == (place.work / "two" / name).read_bytes()


def test_a_crash_has_its_own_code_and_keeps_its_traceback(place: Place) -> None:
    script = (
        "import sys, quantrift.judge.verdict.opened_networks as opened; from quantrift.cli.main import main; "
        "opened.named = lambda paths: 1 / 0; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *place.words("out")],
        cwd=place.work,
        env=place.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    [line] = own(done.stderr)
    assert done.returncode == CRASH
    assert "crashed, which is a mistake of quantrift (ZeroDivisionError: division by zero)" in line
    [trace] = place.tmp.iterdir()
    assert trace.name in line
    assert "ZeroDivisionError" in trace.read_text()
    assert list(place.work.iterdir()) == []
