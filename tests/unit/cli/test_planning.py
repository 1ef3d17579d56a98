"""Jobs of a dry run's text, those that targets need, and their time side by side."""

from dataclasses import replace
from itertools import permutations

from tests.factories import configurations

from quantrift.cli.planning import pilot, summary
from quantrift.cli.planning.dry_run import Planned, makespan, needed_for, ordered, parsed
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Estimate

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
    resources: runtime=720, mem_mb=6000, gpu=1, tmpdir=/tmp
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
    assert {number: one.devices for number, one in found.items()} == {1: 0, 2: 0, 3: 1, 4: 0}
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


def test_time_does_not_depend_on_the_numbers_that_snakemake_gives() -> None:
    # All but the last have equally long ways to the end; started last, "first" leaves "second" to run alone.
    names: dict[str, tuple[str, ...]] = {"long": (), "longer": (), "first": (), "second": ("first",)}
    seconds = {"long": 4.0, "longer": 4.0, "first": 2.0, "second": 2.0}
    found = set()
    for order in permutations(names):
        numbers = {name: number for number, name in enumerate(order)}
        planned = ordered([Planned(numbers[name], Job(name, {}), of, (name,), 1) for name, of in names.items()])
        found.add(makespan(planned, {numbers[name]: own for name, own in seconds.items()}, 2))
    assert len(found) == 1


def test_jobs_on_devices_wait_for_each_other_and_not_for_those_on_cores() -> None:
    planned = [replace(one, threads=1, devices=int(one.job.rule == "train")) for one in ordered(parsed(TEXT))]
    seconds = {1: 5.0, 2: 10.0, 3: 20.0, 4: 1.0}
    assert makespan(planned, seconds, 8, devices=1) == 1 + 20 + 10 + 5
    assert makespan(planned, seconds, 8, devices=2) == 1 + 20 + 5


def test_hours_of_devices_stand_apart_from_hours_of_cores() -> None:
    planned = ordered(parsed(TEXT))
    costs = {one.number: Estimate(3600, 3600, 3600, None, 0) for one in planned}
    assert summary.heading(planned).split()[-2:] == ["device-hours", "between"]
    # A training on two cores, the source and the table; the other training has the device for an hour.
    line = summary.line("all", planned, costs, devices=True)
    assert line.split() == ["all", "4", "4.00", "0", "MB", "1.00"]
    unmeasured = {number: cost for number, cost in costs.items() if number != 3}
    assert summary.line("all", planned, unmeasured, devices=True).split()[5:] == ["unknown", "+", "1", "unknown"]
    assert "on devices: 1 jobs, 1 of them unmeasured there and unknown" in summary.sources(planned, unmeasured)
    without = [replace(one, devices=0) for one in planned]
    assert summary.heading(without) == summary.HEADING
    assert not [text for text in summary.sources(without, costs) if "devices" in text]


def test_the_smallest_pilot_has_one_job_of_each_kind_without_a_rate_most_jobs_first() -> None:
    config = configurations.of_scale("paper")
    named = {"dataset": "mnist", "model": "lenet5", "compression": "ptq_int8", "block": "seeds_000-000"}
    of = [("pso_div", "rq1"), ("random", "rq1"), ("pso_narrowed", "rq1"), ("pso_div", "rq3_first"), ("random", "rq2")]
    template = parsed(TEXT)[0]
    planned = [
        replace(
            template,
            number=number,
            job=replace(template.job, rule="search", of=named | {"tool": tool, "protocol": protocol}),
            outputs=(f"{tool}/{protocol}",),
        )
        for number, (tool, protocol) in enumerate(of)
    ]
    costs = {
        0: Estimate(1, 0, 2, None, 0, like="any search (2 rates)"),
        3: Estimate(1, 1, 1, None, 0),
    }
    # Both swarms are of one kind, and both random searches have the same budget; one search is measured.
    of_kinds = pilot.unmeasured(config, planned, costs)
    assert [len(jobs) for jobs in of_kinds.values()] == [2, 2]
    assert pilot.files(config, of_kinds) == ["pso_div/rq1", "random/rq1"]


def test_kinds_that_serve_most_jobs_elsewhere_come_first_and_those_that_serve_none_are_left_out() -> None:
    config = configurations.of_scale("paper")
    named = {"model": "lenet5", "compression": "ptq_int8", "protocol": "rq1", "block": "seeds_000-000"}
    template = parsed(TEXT)[0]

    def searches(dataset: str, *tools: str) -> dict[pilot.Kind, list[Planned]]:
        made = [
            replace(
                template,
                number=number,
                job=replace(template.job, rule="search", of=named | {"dataset": dataset, "tool": tool}),
                outputs=(f"{dataset}/{tool}",),
            )
            for number, tool in enumerate(tools)
        ]
        return pilot.unmeasured(config, made, {})

    served = pilot.counted(config, searches("mnist", "random", "ga_div", "ga_div"))
    # Digits stand in for MNIST. A swarm serves no search there.
    found = pilot.files(config, searches("digits", "pso_div", "pso_div", "random", "ga_div"), served)
    assert found == ["digits/ga_div", "digits/random"]
