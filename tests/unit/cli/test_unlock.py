"""The lock of a dead run is removed, that of a living one never, and what cannot be seen is left to the user."""

import errno
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from quantrift.cli.main import main
from quantrift.cli.unlock import BOOT, HELD, LOCKS, OWNER, record
from quantrift.core.base.files import read_json, write_json

WORK = """
import subprocess, sys, time
from quantrift.cli import unlock
unlock.record()
job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(job.pid, flush=True)
time.sleep(600)
"""
NO_LOCKS = """
import errno, fcntl
def flock(file, how):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = flock
from quantrift.cli import unlock
unlock.record()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that Snakemake has locked."""
    monkeypatch.chdir(tmp_path)
    LOCKS.mkdir(parents=True)
    (LOCKS / "0.output.lock").write_text("results/demo/report.html\n")
    return tmp_path


@contextmanager
def working() -> Iterator[subprocess.Popen[str]]:
    """A run in this folder that has started a job; the job outlives it."""
    with subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        job = int(process.stdout.readline())
        try:
            yield process
        finally:
            process.kill()
            os.kill(job, 9)


def noted_by_a_dead_run(**changed: Any) -> dict[str, Any]:
    """The note of a run that was killed, with some of it changed; what is None is left out."""
    with working() as process:
        process.kill()
    noted = {key: value for key, value in (read_json(OWNER) | changed).items() if value is not None}
    write_json(OWNER, noted)
    return noted


def elsewhere(*how: str) -> list[str]:
    """A command line that runs another in namespaces of its own; skips where that is not allowed."""
    command = ["unshare", *how]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip(f"{' '.join(command)} is not allowed here")
    return command


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("how", [["--pid", "--fork", "--mount-proc"], ["--uts"]], ids=["processes", "host-name"])
def test_a_living_run_keeps_its_lock_seen_from_another_container(how: list[str], force: list[str]) -> None:
    command = elsewhere(*how)
    unlock = [sys.executable, "-m", "quantrift.cli.main", "unlock", *force]
    if how == ["--uts"]:
        command += ["sh", "-c", 'hostname elsewhere; exec "$@"', "-"]
    with working() as process:
        refused = subprocess.run([*command, *unlock], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"process {process.pid}" in refused.stderr
    assert "is working in this folder; wait for it, or stop it" in refused.stderr
    assert list(LOCKS.iterdir())


@pytest.mark.skipif(not BOOT.exists(), reason="this system does not name its starts")
@pytest.mark.parametrize("host", ["here", "elsewhere"])
def test_a_killed_runs_lock_is_removed_under_any_host_name_while_its_job_still_runs(host: str) -> None:
    with working() as process:
        process.kill()
        process.wait()
        if host == "elsewhere":
            write_json(OWNER, read_json(OWNER) | {"host": "elsewhere"})
        assert main(["unlock"]) == 0
    assert not LOCKS.exists()


@pytest.mark.parametrize(
    "changed",
    [{"boot": "00000000-0000-0000-0000-000000000000", "host": "node7"}, {"boot": None, "locked": None}],
    ids=["another-start", "older-version"],
)
def test_a_run_that_cannot_be_seen_is_named_and_its_lock_removed_by_force_alone(
    changed: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    noted = noted_by_a_dead_run(**changed)
    assert main(["unlock"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert f"process {noted['process']} of {noted['host']} locked this folder" in line
    assert line.endswith("if it is gone: quantrift unlock --force")
    assert LOCKS.exists()
    assert main(["status"]) == 0
    assert "which may be gone" in capsys.readouterr().out
    assert main(["unlock", "--force"]) == 0
    assert not LOCKS.exists()
    main(["status"])
    assert capsys.readouterr().out.splitlines()[-1] == "nothing runs here, and no run has been started"


@pytest.mark.parametrize("arguments", [["unlock"], ["unlock", "--force"]])
def test_a_living_run_of_an_older_version_keeps_its_lock(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    record()
    noted = read_json(OWNER)
    write_json(OWNER, {key: noted[key] for key in ("host", "process", "started")})
    HELD.unlink()
    assert main(arguments) == 2
    assert f"process {os.getpid()} is working in this folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b'{"host',
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"host": "a", "process": "x", "started": 1}',
        b'{"host": {}, "x": 1}',
    ],
)
def test_a_damaged_note_is_a_run_that_cannot_be_seen(text: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    OWNER.write_bytes(text)
    assert main(["unlock"]) == 2
    assert "process of unknown number locked this folder" in capsys.readouterr().err
    assert main(["unlock", "--force"]) == 0


def test_a_living_run_with_a_damaged_note_keeps_its_lock(capsys: pytest.CaptureFixture[str]) -> None:
    with working():
        OWNER.write_text("{")
        assert main(["unlock", "--force"]) == 2
    assert "is working in this folder" in capsys.readouterr().err


@pytest.mark.parametrize("now", ["can lock", "cannot lock"])
def test_without_locks_of_the_file_system_a_dead_run_cannot_be_told(now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-c", NO_LOCKS], check=True)
    if now == "cannot lock":

        def refuse(file: int, how: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "flock", refuse)
    assert read_json(OWNER)["locked"] is False
    assert main(["unlock"]) == 2
    assert main(["unlock", "--force"]) == 0


def test_a_lost_lock_file_is_no_sign_of_death() -> None:
    noted_by_a_dead_run()
    HELD.unlink()
    assert main(["unlock"]) == 2


def test_a_look_at_the_lock_does_not_keep_a_run_from_holding_it() -> None:
    HELD.touch()
    look = os.open(HELD, os.O_RDONLY)
    fcntl.flock(look, fcntl.LOCK_SH)
    with subprocess.Popen([sys.executable, "-c", "from quantrift.cli import unlock; unlock.record()"]) as process:
        time.sleep(0.4)
        os.close(look)
        assert process.wait() == 0
    assert read_json(OWNER)["locked"] is True


def test_a_second_run_leaves_the_note_of_the_first() -> None:
    with working() as process:
        record()
        assert json.loads(OWNER.read_text())["process"] == process.pid
        assert read_json(OWNER)["host"] == socket.gethostname()
