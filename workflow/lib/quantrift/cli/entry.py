"""Frame of all entry scripts of the workflow: a job's log, its end with Snakemake, its error in one line.

Entry scripts import this module first. From then on a job is watched: importing TensorFlow takes up to ten seconds,
during which a killed Snakemake would leave the job alive. Messages of libraries go to its log.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import psutil

from quantrift.cli import job_log, unlock
from quantrift.core.base.errors import QuantriftError

INTERVAL = 0.5
"""Seconds between two looks at the processes a job belongs to."""
GRACE = 3.0
"""Seconds a job has to clean up before it is ended for good."""


@contextmanager
def as_job() -> Iterator[Any]:
    """Run a job's work: it ends with Snakemake, and reports an error that the user can correct in one line.

    Yields the job as Snakemake gives it to a script: files, wildcards, parameters. A job that outlived a killed
    Snakemake would write files that a new run writes too.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: _stop(number))
    try:
        yield _JOB
    except QuantriftError as error:
        _fail(str(error), error)
    except MemoryError as error:
        _fail("not enough memory; run fewer jobs side by side, or give less at once", error)
    except OSError as error:
        # A full disk, or a folder that cannot be written to.
        _fail_to_write(error)


def _fail(reason: str, error: BaseException) -> NoReturn:
    job_log.failed(reason, error)
    sys.exit(1)


def _fail_to_write(error: OSError) -> NoReturn:
    _fail(f"{error.filename or 'a file'}: {error.strerror or error}; make room or change permissions", error)


def _stop(number: int) -> NoReturn:
    job_log.stopped(number)
    sys.exit(128 + number)


def _end_with(watched: list[psutil.Process | None]) -> None:
    """End this process soon after one of the watched processes is gone."""
    while all(process and process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in watched):
        time.sleep(INTERVAL)
    # Lets the main thread remove half-written files; native code may keep it from doing so.
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


# Between a job and Snakemake stands the shell that started it; a killed Snakemake leaves that shell alive.
threading.Thread(target=_end_with, args=([unlock.announced(), psutil.Process().parent()],), daemon=True).start()
sys.excepthook = job_log.crashed
# Into a script, Snakemake writes its job as a variable.
_JOB = getattr(sys.modules["__main__"], "snakemake", None)
if _JOB and _JOB.log:
    try:
        job_log.start(Path(_JOB.log[0]))
    except OSError as error:
        _fail_to_write(error)
