"""Progress of a run, read from its log."""

from datetime import datetime
from pathlib import Path

import pytest

from quantrift.cli.main import main
from quantrift.cli.planning.run_log import last
from quantrift.cli.status import SHOWN, report

LOG = """Assuming unrestricted shared filesystem usage.
Job stats:
job        count
-------  -------
search         4
table          1
mine           1
total          6

Select jobs to execute...
[Sun Nov 22 16:00:00 2026]
localrule search:
    input: a.npz
    output: 1.parquet
    jobid: 1
    wildcards: dataset=digits, model=lenet5, block=seeds_000-004
[Sun Nov 22 16:00:00 2026]
rule search:
    output: 2.parquet
    jobid: 2
    wildcards: dataset=digits, model=cnn, block=seeds_000-004
Job 2 has been submitted with SLURM jobid 17 (log: /x/17.log).
[Sun Nov 22 16:01:00 2026]
Finished jobid: 1 (Rule: search)
1 of 6 steps (17%) done
[Sun Nov 22 16:01:00 2026]
rule search:
    output: 3.parquet
    jobid: 3
    wildcards: dataset=digits, model=mlp, block=seeds_000-004
"""
FAILS = """[Sun Nov 22 16:01:30 2026]
Error in rule search, jobid: 2:
    message: None
    jobid: 2
    output: 2.parquet
    log: /x/17.log (check log file(s) for error details)
"""
AGAIN = """Trying to restart job 2.
[Sun Nov 22 16:01:40 2026]
rule search:
    output: 2.parquet
    jobid: 2
    wildcards: dataset=digits, model=cnn, block=seeds_000-004
"""
NOW = datetime(2026, 11, 22, 16, 2)


def lines(folder: Path, text: str, owner: str | None = "17") -> list[str]:
    logs = folder / ".snakemake" / "log"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "2026-11-22T160000.000000.snakemake.log").write_text(text)
    found = last(folder)
    assert found
    return report(found, owner, NOW)


def test_jobs_are_counted_and_running_ones_say_for_how_long(tmp_path: Path) -> None:
    first, second, *running = lines(tmp_path, LOG)
    assert first == "process 17: 1 of 6 jobs done, 2 running, 3 left"
    # One search is left and one runs that took as long already; each takes a minute, by the one that is done.
    assert second.startswith("running for 2 min 00 s, 0.5 jobs a minute; about ")
    assert running == [
        "  running 2 min 00 s  search digits/cnn/seeds_000-004",
        "  running 1 min 00 s  search digits/mlp/seeds_000-004",
    ]


def test_of_many_running_jobs_the_first_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    more = "".join(
        f"[Sun Nov 22 16:01:0{number % 10} 2026]\nrule seeds:\n    output: {number}.csv\n    jobid: {number}\n"
        f"    wildcards: dataset=digits, model=n{number}\n"
        for number in range(10, 20)
    )
    *_, last_one, rest = lines(tmp_path, LOG + more)
    assert last_one.startswith("  running ")
    assert rest == f"  and {12 - SHOWN} more"


def test_a_failed_job_names_its_log_until_it_is_tried_again(tmp_path: Path) -> None:
    first, *_, failure = lines(tmp_path, LOG + FAILS)
    assert first == "process 17: 1 of 6 jobs done, 1 running, 3 left, 1 failed"
    assert failure == "  failed  search digits/cnn/seeds_000-004: left no log (log: /x/17.log)"
    assert lines(tmp_path, LOG + FAILS + AGAIN)[0] == "process 17: 1 of 6 jobs done, 2 running, 3 left"


def test_a_failed_job_says_why_by_the_end_of_its_own_log_beside_the_scheduler_s(tmp_path: Path) -> None:
    own = tmp_path / "2.log"
    own.write_text("Traceback\nquantrift: no such file; get it\n")
    fails = FAILS.replace("log: /x/17.log", f"log: {own}, /x/17.log")
    *_, failure = lines(tmp_path, LOG + fails)
    assert failure == f"  failed  search digits/cnn/seeds_000-004: no such file; get it (log: {own}, /x/17.log)"
    assert lines(tmp_path, LOG + fails, owner=None)[1:] == [failure]


def test_a_failed_job_without_a_log_of_its_own_names_that_of_the_run(tmp_path: Path) -> None:
    *_, failure = lines(tmp_path, LOG + "".join(line for line in FAILS.splitlines(True) if "log:" not in line))
    log = tmp_path / ".snakemake" / "log" / "2026-11-22T160000.000000.snakemake.log"
    assert failure == f"  failed  search digits/cnn/seeds_000-004: (log: {log})"


def test_one_line_says_that_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["status"]) == 0
    assert capsys.readouterr().out == "nothing runs here, and no run has been started\n"
    [line] = lines(tmp_path, LOG, owner=None)
    assert "the last run ended before it was complete: 1 of 6 jobs done" in line


def test_a_dry_run_is_no_run(tmp_path: Path) -> None:
    lines(tmp_path, LOG)
    logs = tmp_path / ".snakemake" / "log"
    (logs / "2026-11-22T170000.000000.snakemake.log").write_text(LOG + "This was a dry-run (flag -n).\n")
    found = last(tmp_path)
    assert found
    assert "T160000" in found.log.name
