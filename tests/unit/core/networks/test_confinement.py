"""A confined process writes to its own folder alone, and reaches no other file, process or machine."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.factories import confined_process

from quantrift.core.networks.foreign import confinement, system_calls
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.keras_files import load
from quantrift.judge.intake.example import paths

VERSION = confinement.version()
needs_landlock = pytest.mark.skipif(not VERSION, reason="this kernel offers no Landlock")
needs_filter = pytest.mark.skipif(not system_calls.offered(), reason="this kernel offers no filter of system calls")


def tried(folder: Path, with_filter: bool) -> list[str]:
    """What a confined process could do of what ``tests.factories.confined_process`` tries."""
    (folder / "own").mkdir()
    (folder / "given").write_text("precious")
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        for one, address in ((named, str(folder / "socket")), (abstract, f"\0{folder}")):
            one.bind(address)
            one.listen()
        port = str(tcp.getsockname()[1])
        command = [sys.executable, "-P", confined_process.__file__, str(folder), port, str(int(with_filter))]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


@needs_landlock
@needs_filter
def test_a_confined_process_writes_to_its_folder_alone_and_reaches_nothing_else(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_text("precious")
    before = given.stat().st_mode
    assert tried(tmp_path, with_filter=True) == []
    assert given.read_text() == "precious"
    assert given.stat().st_mode == before
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b", "given", "own", "socket"]


@needs_landlock
def test_landlock_alone_protects_files_and_with_its_version_connections_and_processes(tmp_path: Path) -> None:
    found = tried(tmp_path, with_filter=False)
    files = {"write", "overwrite", "remove", "move out", "make a folder", "start a program"}
    newer = {3: {"empty", "empty by reading"}, 4: {"TCP"}, 6: {"abstract socket", "signal"}}
    assert not (files | set().union(*(what for since, what in newer.items() if since <= VERSION))) & set(found)
    assert {"Unix socket", "UDP", "mode", "times"} <= set(found), "SECURITY.md says that these need the filter"


@needs_landlock
@needs_filter
@pytest.mark.slow
def test_every_thread_of_the_process_that_reads_files_is_bound(tmp_path: Path) -> None:
    # TensorFlow, which reads these files, starts threads.
    load(paths().original).save(tmp_path / "net.h5")
    with ForeignFiles() as reader:
        reader.convert_keras(tmp_path / "net.h5", tmp_path / "net.tflite")
        assert reader._process is not None
        threads = list(Path(f"/proc/{reader._process.pid}/task").iterdir())
        states = [(thread / "status").read_text() for thread in threads]
    assert len(threads) > 1
    assert all("NoNewPrivs:\t1" in one and "Seccomp:\t2" in one for one in states)


def test_confinement_comes_before_any_thread() -> None:
    code = (
        "import os; from quantrift.core.networks.foreign import confinement; print(len(os.listdir('/proc/self/task')))"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "1"


JOB = """
import sys, tempfile
from pathlib import Path
from quantrift.core.networks.foreign.confinement import confined_to

folder = Path(sys.argv[1])
with confined_to(folder / "results"):
    (folder / "results" / "network").write_text("x")
    tempfile.TemporaryFile().close()
    (folder / "elsewhere").write_text("x")
"""


@needs_landlock
def test_a_job_that_takes_over_a_network_writes_to_its_results_alone(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", JOB, str(tmp_path)], check=False, stderr=subprocess.PIPE, text=True)
    assert "PermissionError" in done.stderr.splitlines()[-1]
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["results", "results/network"]


@needs_filter
def test_a_crash_of_a_confined_process_still_ends_it_by_its_signal() -> None:
    code = "import os; from quantrift.core.networks.foreign import confinement; confinement.confine([]); os.abort()"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGABRT
