"""A command that stops at a known place of its code, so that a test can act there however fast the machine is."""

import time
from collections.abc import Callable
from subprocess import Popen
from typing import Any

import psutil

COMMAND = """
import os, signal, sys
from importlib import import_module
place = sys.argv.pop(1)
if place:
    module, name = place.split(":")
    there = import_module(module)
    own = getattr(there, name)
    def stopping(*given, **named):
        os.kill(os.getpid(), signal.SIGSTOP)
        return own(*given, **named)
    setattr(there, name, stopping)
from quantrift.cli.main import main
sys.exit(main())
"""
"""Code of ``python -c``: its first argument is ``MODULE:FUNCTION``, or empty; the others are the command's own."""


def until(true: Callable[[], bool], process: Popen[Any], what: str, seconds: float = 120) -> None:
    """Wait until something is true while a process runs; fails once it has ended, or takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        assert process.poll() is None, f"ended with {process.returncode} before {what}"
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def stopped(process: Popen[Any]) -> None:
    """Wait until a command has stopped at its place."""
    until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED, process, "it stopped")
