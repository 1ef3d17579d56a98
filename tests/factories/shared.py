"""Fixtures that take long: folders that are made once for all workers of a test run, and marks of slow ones."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder ``name`` that ``make`` filled, in the first worker that asked for it; others wait until it is done."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Each worker has a folder of its own within that of the run.
        base = base.parent
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def slow(make: Callable[..., Any]) -> Callable[..., Any]:
    """Mark the function of a fixture, so that every test that uses it is slow."""
    make.slow = True  # type: ignore[attr-defined]
    return make
