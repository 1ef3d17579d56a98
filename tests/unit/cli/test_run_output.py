"""Short output of a run, from the records that Snakemake logs."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent

from quantrift.cli import run_output
from quantrift.cli.run_output import Short, shorten


def record(message: str = "", level: int = logging.INFO, **said: Any) -> logging.LogRecord:
    made = logging.LogRecord("snakemake.logging", level, "", 0, message, None, None)
    vars(made).update(said)
    return made


def shown(short: Short, *records: logging.LogRecord) -> list[str]:
    return [short.format(one) for one in records if short.filter(one)]


@pytest.fixture
def short() -> Short:
    return Short(DefaultFormatter(), lambda: True)


def failed(log: Path, text: str) -> logging.LogRecord:
    log.write_text(text)
    return record("Error", logging.ERROR, event=LogEvent.JOB_ERROR, rule_name="train", log=[str(log)])


def test_jobs_are_counted_and_not_listed(short: Short) -> None:
    said = shown(
        short,
        record("Job stats: ...", event=LogEvent.RUN_INFO, stats={"train": 2, "total": 3}),
        record("rule train: ...", event=LogEvent.JOB_INFO),
        record("Select jobs to execute..."),
        record("Finished jobid: 1", event=LogEvent.JOB_FINISHED),
        record("Nothing to be done (all requested files are present and up to date)."),
        record("Trying to restart job 3."),
        record("Complete log(s): x.log"),
    )
    nothing = "Nothing to be done (all requested files are present and up to date)."
    assert said == ["3 jobs to run", nothing, "Trying to restart job 3.", "Complete log(s): x.log"]


def test_progress_comes_every_ten_seconds_and_at_the_end(short: Short, monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for now, done in ((100.0, 1), (109.0, 2), (110.0, 3), (111.0, 4), (112.0, 9)):
        monkeypatch.setattr(run_output, "time", SimpleNamespace(monotonic=lambda now=now: now))
        said += shown(short, record(event=LogEvent.PROGRESS, done=done, total=9))
    assert said == ["1 of 9 jobs done", "3 of 9 jobs done", "9 of 9 jobs done"]


def test_a_failure_is_told_once_with_reason_and_log(tmp_path: Path, short: Short) -> None:
    log = tmp_path / "train.log"
    again = record("RuleException:\nCalledProcessError in file ...", logging.ERROR)
    # A job on this terminal told it there.
    assert shown(short, failed(log, "x\nquantrift: no space\n"), again) == []
    away = Short(DefaultFormatter(), lambda: False)
    assert shown(away, failed(log, "x\nquantrift: no space\n"), again) == [f"train: no space (log: {log})"]
    [killed] = shown(short, failed(log, "epoch 1\n"))
    assert killed == f"train: killed, perhaps for lack of memory; its log ends: epoch 1 (log: {log})"
    log.unlink()
    gone = record("Error", logging.ERROR, event=LogEvent.JOB_ERROR, rule_name="train", log=[str(log)])
    assert shown(short, gone) == [f"train: left no log (log: {log})"]


def test_errors_and_warnings_of_snakemake_stay(short: Short) -> None:
    said = shown(short, record("MissingInputException: x", logging.ERROR), record("Falling back", logging.WARNING))
    assert said == ["MissingInputException: x", "Falling back"]


@pytest.mark.parametrize("asked", ["dryrun", "printshellcmds", "verbose", "debug_dag"])
def test_whoever_asks_for_more_gets_all(asked: str) -> None:
    logger = logging.getLogger("snakemake.logging")
    before = logger.handlers[:]
    options = dict.fromkeys(("debug_dag", "verbose", "dryrun", "printshellcmds"), False)
    for stated, is_short in ((options, True), (options | {asked: True}, False)):
        handler = logging.StreamHandler()
        handler.name = "DefaultStreamHandler"
        handler.addFilter(DefaultFilter(None, **stated))
        logger.handlers = [handler]
        try:
            shorten(lambda: True)
            assert isinstance(handler.formatter, Short) is is_short
        finally:
            logger.handlers = before
