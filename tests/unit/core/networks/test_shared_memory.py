"""A command and the process that reads files for it together allocate what was free when the command began."""

import resource
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from quantrift.core.base.limits import limit_memory
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.example import paths

FREE = 3 * 10**9
ROOM = 10**8
"""Bytes that processes take for themselves between two looks at them."""


def most(process: int) -> int:
    """Bytes that a process may allocate."""
    return resource.prlimit(process, resource.RLIMIT_DATA)[0]


def allocated(process: int = 0) -> int:
    """Bytes that a process, this one by default, has allocated."""
    return int(psutil.Process(process or None).memory_info().data)


def main() -> None:
    """Limits bind a process for good, so this runs in one of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=FREE))
        limit_memory()
    assert most(0) == FREE
    with ForeignFiles() as first, ForeignFiles() as second:
        for files in (first, second):
            files.run(paths().int8, "litert")
            assert files._process is not None
        one, other = (files._process.pid for files in (first, second) if files._process)
        assert most(other) == pytest.approx(FREE - allocated() - allocated(one), abs=ROOM)
        assert most(0) == pytest.approx(FREE - allocated(one) - allocated(other), abs=ROOM)
        held = np.empty(FREE // 2, np.uint8)
        first.run(paths().int8, "litert")
        assert most(one) == pytest.approx(FREE - allocated() - allocated(other), abs=ROOM)
        assert most(one) < FREE // 2
        with pytest.raises(MemoryError):
            np.empty(FREE // 2, np.uint8)
        first.close()
        assert most(0) == pytest.approx(FREE - allocated(other), abs=ROOM)
        del held
    assert most(0) == FREE


@pytest.mark.skipif(not psutil.LINUX, reason="only Linux tells and limits what a process allocates")
def test_no_process_gets_what_another_holds() -> None:
    subprocess.run([sys.executable, "-P", __file__], check=True)


if __name__ == "__main__":
    main()
