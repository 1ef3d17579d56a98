"""The log of a job holds all that it says; a terminal shows its progress, and in one line why it failed."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.cli import job_log
from quantrift.cli.unlock import RUN

JOB = """
import sys, types
snakemake = types.SimpleNamespace(log=[sys.argv[1]])
{before}
from quantrift.cli.entry import as_job
import os, subprocess
from quantrift.core.base.errors import QuantriftError
{after}
with as_job():
    {work}
"""


def script(work: str, before: str = "", after: str = "") -> str:
    """A script as Snakemake starts it."""
    return JOB.format(work=work.replace("\n", "\n    "), before=before, after=after)


def environment() -> dict[str, str]:
    """That of a job whose Snakemake is this process."""
    process = psutil.Process()
    return os.environ | {RUN: f"{process.pid} {process.create_time()}"}


def ended(log: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A script that has ended."""
    return subprocess.run(
        [sys.executable, "-c", text, str(log)], env=environment(), capture_output=True, text=True, check=False
    )


def on_a_terminal(log: Path, text: str) -> str:
    """What a terminal of 80 columns shows of a script, with the codes that it obeys."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-c", text, str(log)], env=environment(), stdout=theirs, stderr=theirs
    ) as job:
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            seen += part
        assert job.wait() == 0, seen
    os.close(ours)
    return seen.decode()


def test_what_libraries_say_past_python_is_in_the_log_alone(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "job.log"
    work = "os.write(1, b'of one\\n'); os.write(2, b'of two\\n'); subprocess.run(['echo', 'a process']); print('own')"
    done = ended(log, script(work))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert log.read_text() == "of one\nof two\na process\nown\n"


def test_what_is_said_while_libraries_are_imported_is_in_it_too(tmp_path: Path) -> None:
    ended(tmp_path / "job.log", script("pass", after="os.write(2, b'I am a library\\n')"))
    assert (tmp_path / "job.log").read_text() == "I am a library\n"


def test_warnings_are_seen_as_before_and_are_in_the_log(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("import warnings; warnings.warn('too few')"))
    assert "UserWarning: too few" in done.stderr
    assert "UserWarning: too few" in (tmp_path / "job.log").read_text()


def test_a_progress_bar_moves_on_a_terminal_and_leaves_one_line_in_the_log(tmp_path: Path) -> None:
    bar = "from tqdm import tqdm\nfor _ in tqdm(range(3), desc='trains', mininterval=0): assert sys.stderr.isatty()"
    seen = on_a_terminal(tmp_path / "job.log", script(bar))
    assert [f"{done}/3" for done in range(4) if f"{done}/3" in seen] == ["0/3", "1/3", "2/3", "3/3"]
    [line] = (tmp_path / "job.log").read_text().splitlines()
    assert line.startswith("trains: 100%")
    assert "3/3" in line


CRASHES = {
    "a mistake of the user": ("raise QuantriftError('no such file; get it')", "no such file; get it"),
    "a crash": ("raise ValueError('first line\\nand more')", "ValueError: first line"),
    "a crash without words": ("assert False", "AssertionError"),
    "a library's many lines": ("raise RuntimeError('\\n\\n  Graph error:\\n at node')", "RuntimeError: Graph error:"),
    "no memory": ("raise MemoryError", "not enough memory; run fewer jobs side by side, or give less at once"),
    "a full disk": (
        "raise OSError(28, 'No space left on device', 'a.npz')",
        "a.npz: No space left on device; make room or change permissions",
    ),
}


@pytest.mark.parametrize("kind", CRASHES)
def test_a_failing_job_says_why_in_one_line_that_ends_with_its_log(tmp_path: Path, kind: str) -> None:
    work, reason = CRASHES[kind]
    log = tmp_path / "job.log"
    done = ended(log, script(work))
    assert done.returncode == 1
    assert done.stderr == f"quantrift: {reason} (log: {log})\n"
    assert done.stdout == ""
    assert "Traceback (most recent call last)" in log.read_text()
    assert log.read_text().endswith(f"\nquantrift: {reason}\n")
    assert job_log.reason(log) == reason


def test_a_module_that_cannot_be_imported_is_told_in_one_line_too(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("pass", after="import no_such_module"))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("quantrift: ModuleNotFoundError: No module named 'no_such_module' (log: ")


def test_a_half_written_progress_bar_does_not_hide_the_reason(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("sys.stderr.write('\\rtrains: 1/3'); raise ValueError('odd')"))
    assert "trains: 1/3" in (tmp_path / "job.log").read_text().splitlines()
    assert job_log.reason(tmp_path / "job.log") == "ValueError: odd"
    assert done.stderr.endswith(f"quantrift: ValueError: odd (log: {tmp_path / 'job.log'})\n")


def test_a_job_that_a_signal_ends_notes_it(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("import signal; signal.raise_signal(signal.SIGTERM)"))
    assert done.returncode == 128 + signal.SIGTERM
    assert job_log.reason(tmp_path / "job.log") == "stopped by SIGTERM"


def test_what_a_job_said_before_it_was_killed_stays(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    done = ended(log, script("print('loads'); import signal; os.kill(os.getpid(), signal.SIGKILL)"))
    assert done.returncode == -signal.SIGKILL
    assert job_log.reason(log) == "killed, perhaps for lack of memory; its log ends: loads"
    assert job_log.reason(tmp_path / "none.log") == "left no log"
    (tmp_path / "empty.log").touch()
    assert job_log.reason(tmp_path / "empty.log") == "killed before it said a word"


def test_a_crash_in_native_code_says_where_python_was(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("import ctypes; ctypes.string_at(0)"))
    assert done.returncode == -signal.SIGSEGV
    assert job_log.reason(tmp_path / "job.log") == "Fatal Python error: Segmentation fault"
    assert "most recent call first" in (tmp_path / "job.log").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file without room")
def test_a_log_without_room_costs_neither_the_job_nor_its_message_and_says_so_once() -> None:
    lost = "quantrift: the log lost lines: No space left on device\n"
    done = ended(Path("/dev/full"), script("print('much'); print('more', file=sys.stderr)"))
    assert (done.returncode, done.stderr) == (0, f"{lost}more\n")
    done = ended(Path("/dev/full"), script("raise ValueError('odd')"))
    assert (done.returncode, done.stderr) == (1, f"{lost}quantrift: ValueError: odd (log: /dev/full)\n")


def test_the_log_has_every_line_where_the_terminal_was_closed(tmp_path: Path) -> None:
    done = ended(tmp_path / "job.log", script("os.close(sys.stderr.fileno()); print('on', file=sys.stderr)"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "job.log").read_text() == "on\n"


def test_a_log_that_cannot_be_written_is_told_before_anything_is_computed(tmp_path: Path) -> None:
    done = ended(tmp_path, script("print('computes')"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.endswith(f"quantrift: {tmp_path}: Is a directory; make room or change permissions\n")


@given(said=st.binary(max_size=200))
def test_whatever_a_log_holds_its_reason_is_one_printable_line(
    said: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = tmp_path_factory.getbasetemp() / "any.log"
    log.write_bytes(said)
    reason = job_log.reason(log)
    assert reason
    assert reason.isprintable()
    log.write_bytes(said + b"\nquantrift: it was this\n\n")
    assert job_log.reason(log) == "it was this" or b"Fatal Python error" in said
