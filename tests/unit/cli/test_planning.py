"""Jobs of a dry run's text, those that targets need, and their time side by side."""

from quantrift.cli.planning.dry_run import Planned, needed_for, ordered, parsed
from quantrift.cli.planning.schedule import makespan

TEXT = """
Building DAG of jobs...
[Sun Nov 22 16:08:10 2026]
rule table:
    input: b.npz, c.npz
    output: t.csv, t.md
    jobid: 1
    reason: Missing output files: t.csv
    wildcards: table=mine
    resources: tmpdir=/tmp
[Sun Nov 22 16:08:10 2026]
localrule train:
    input: a.npz
    output: b.npz
    jobid: 2
    threads: 2
    wildcards: dataset=mnist, model=cnn
[Sun Nov 22 16:08:10 2026]
rule train:
    input: a.npz
    output: c.npz
    jobid: 3
    threads: 2
    wildcards: dataset=mnist, model=mlp
[Sun Nov 22 16:08:10 2026]
rule source:
    output: a.npz
    jobid: 4
    wildcards: dataset=mnist
Job stats:
job       count
total         4
"""


def test_jobs_are_read_with_what_they_are_of() -> None:
    found = {one.number: one for one in parsed(TEXT)}
    assert found[2].job.rule == "train"
    assert found[2].job.of == {"dataset": "mnist", "model": "cnn"}
    assert found[2].threads == 2
    assert found[1].inputs == ("b.npz", "c.npz")
    assert found[4].inputs == ()


def test_jobs_stand_after_those_whose_files_they_read() -> None:
    numbers = [one.number for one in ordered(parsed(TEXT))]
    assert numbers[0] == 4
    assert numbers[-1] == 1


def test_a_target_needs_what_leads_to_its_files() -> None:
    planned = parsed(TEXT)
    assert needed_for(planned, ["b.npz"]) == {2, 4}
    assert needed_for(planned, ["t.csv", "elsewhere.csv"]) == {1, 2, 3, 4}


def test_time_is_that_of_the_longest_way_and_of_the_cores() -> None:
    planned: list[Planned] = ordered(parsed(TEXT))
    seconds = {1: 5.0, 2: 10.0, 3: 20.0, 4: 1.0}
    # Trainings take both cores, so one after the other; with four they run side by side; with one nothing does.
    assert makespan(planned, seconds, 2) == 1 + 10 + 20 + 5
    assert makespan(planned, seconds, 4) == 1 + 20 + 5
    assert makespan(planned, seconds, 1) == 36
    assert makespan(planned, {}, 1) == 0
