"""The process that reads foreign files, without its start: a process that has imported TensorFlow forks one for each.

Most of a conversion of a small network is that import. A child begins where it ends, is confined and reads files as it
would otherwise, and nothing of it reaches the next one. ``tests/unit/models``, hostile files and whole runs start it
as users do.
"""

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache, partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from tests.factories.forked import ends_after
from tests.factories.places import ROOT

from quantrift.core.networks.foreign import confinement
from quantrift.core.networks.foreign.reader import ForeignFiles

start_as_users_do = ForeignFiles._start


@cache
def _server() -> socket.socket:
    """The socket to a server of this process, which ends when the socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.factories.warm_reader", str(theirs.fileno())],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "2"},
            stdin=subprocess.DEVNULL,
        )
    return ours


class Forked:
    """A forked reader, with the methods of ``subprocess.Popen`` that ``ForeignFiles`` calls."""

    def __init__(self, pipe: int, said: int, folder: str, program: str) -> None:
        self._status, theirs = socket.socketpair()
        asked = {"environment": {**os.environ, "TMPDIR": folder}, "folder": folder, "program": program}
        with theirs:
            socket.send_fds(
                _server(), [json.dumps(asked | {"cwd": os.getcwd()}).encode()], [pipe, said, theirs.fileno()]
            )
        self.pid = int(self._status.recv(64))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Exit code, negative for a signal."""
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("reader of foreign files", timeout or 0)
            self.returncode = int(self._status.recv(64))
            self._status.close()
        return self.returncode

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)


def start_forked(files: ForeignFiles) -> None:
    """In place of ``ForeignFiles._start``."""
    if type(files) is not ForeignFiles:
        start_as_users_do(files)
        return
    files._connection, theirs = Pipe()
    with theirs:
        process: Any = Forked(theirs.fileno(), files._said.fileno(), files._folder, files.PROGRAM)
    files._process = process
    files._running.add(process.pid)


def _work(asked: dict[str, Any], pipe: int, said: int) -> None:
    """Become the process that reads foreign files."""
    for number in (1, 2):
        os.dup2(said, number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    # Its imports have looked for a folder of temporary files already.
    tempfile.tempdir = None
    os.chdir(asked["cwd"])
    sys.argv = [str(confinement.__file__), str(pipe), asked["folder"]]
    confinement.confine([Path(asked["folder"])])
    runpy.run_module(asked["program"], run_name="__main__", alter_sys=True)


def _serve(requests: socket.socket) -> None:
    # Nobody waits for those that wait for the readers.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        text, given, _, _ = socket.recv_fds(requests, 1 << 18, 3)
        if not text:
            return
        pipe, said, status = given
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            requests.close()
            child = os.fork()
            if not child:
                os.close(status)
                ends_after(partial(_work, json.loads(text), pipe, said))
            os.close(pipe)
            os.write(status, str(child).encode())
            _, ended = os.waitpid(child, 0)
            os.write(status, str(os.waitstatus_to_exitcode(ended)).encode())
            os._exit(0)
        for one in given:
            os.close(one)


if __name__ == "__main__":
    import keras  # noqa: F401
    import tensorflow as tf  # noqa: F401

    from quantrift.core.networks.foreign import given_keras, saved_model, worker  # noqa: F401
    from quantrift.core.networks.training import given_original  # noqa: F401

    # A reader starts without its working directory there.
    del sys.path[0]
    _serve(socket.socket(fileno=int(sys.argv[1])))
