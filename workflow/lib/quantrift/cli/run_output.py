"""Short terminal output of a run: jobs to run, progress, each failure with its reason and log.

Snakemake prints a dozen lines a job, two thousand for the demo; ``--quiet`` hides failures too. Its log file has all of
them, and the terminal where they are asked for: a dry run, ``--printshellcmds``, ``--verbose``, ``--debug-dag``.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path

from snakemake.logging import get_event
from snakemake_interface_logger_plugins.common import LogEvent

from quantrift.cli import job_log

EVERY_S = 10.0
"""Seconds between two lines of progress at least."""
KEPT = ("Nothing to be done", "Trying to restart job", "Complete log", "Elapsed time", "Will exit after")
"""Beginnings of messages that are shown."""
REPEATED = ("RuleException", "CalledProcessError")
"""Beginnings of messages that say again that a job failed."""
ASKED = ("dryrun", "printshellcmds", "verbose", "debug_dag")
"""Options of Snakemake that ask for more output."""


class Short(logging.Formatter):
    """Says in a line what Snakemake says in many, and leaves out what is not for people."""

    def __init__(self, usual: logging.Formatter | None, local: Callable[[], bool]) -> None:
        """Wraps the usual form; ``local``: whether jobs write to this terminal, and tell themselves why they failed."""
        super().__init__()
        self._usual = usual or logging.Formatter()
        self._local = local
        self._shown = -EVERY_S

    def filter(self, record: logging.LogRecord) -> bool:
        """True for a record that the terminal gets."""
        match get_event(record):
            case LogEvent.PROGRESS:
                left, now = vars(record)["total"] - vars(record)["done"], time.monotonic()
                told = not left or now - self._shown >= EVERY_S
                self._shown = now if told else self._shown
                return told
            case LogEvent.JOB_ERROR:
                return not (self._local() and all(job_log.told(Path(log)) for log in _logs(record)))
            case _ if record.levelno > logging.INFO:
                return not str(record.msg).startswith(REPEATED)
            case event:
                return event == LogEvent.RUN_INFO or (event is None and str(record.msg).startswith(KEPT))

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        said = vars(record)
        match get_event(record):
            case LogEvent.RUN_INFO:
                return f"{said['stats']['total']} jobs to run"
            case LogEvent.PROGRESS:
                return f"{said['done']} of {said['total']} jobs done"
            case LogEvent.JOB_ERROR if logs := _logs(record):
                return f"{said['rule_name']}: {job_log.reason(Path(logs[0]))} (log: {', '.join(logs)})"
        return self._usual.format(record)


def _logs(record: logging.LogRecord) -> list[str]:
    """Logs of the job of a record."""
    return [str(log) for log in vars(record).get("log") or ()]


def shorten(local: Callable[[], bool]) -> None:
    """Let Snakemake print short output from now on, unless it was asked for more; ``local`` as in ``Short``."""
    for handler in logging.getLogger("snakemake.logging").handlers:
        if handler.name == "DefaultStreamHandler" and not any(
            getattr(one, name, False) for one in handler.filters for name in ASKED
        ):
            short = Short(handler.formatter, local)
            handler.addFilter(short)
            handler.setFormatter(short)
