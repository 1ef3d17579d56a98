"""The rehearsal chooses a job of every rule, on both scenes where it can, and compares what jobs take and ask for."""

from tools.benchmarks import requests

from quantrift.cli.planning.dry_run import Planned
from quantrift.cli.planning.measured import Measured
from quantrift.study.planning import job_resources
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Estimate


def planned(number: int, rule: str, inputs: str = "", **of: str) -> Planned:
    return Planned(number, Job(rule, of), (inputs,) if inputs else (), (f"{number}.out",), 1)


def cost(seconds: float, memory_mb: float | None = 100.0) -> Estimate:
    return Estimate(seconds, seconds, seconds, memory_mb, 0.0)


def test_of_each_rule_the_job_is_chosen_that_adds_least_to_those_before() -> None:
    jobs = [
        planned(0, "train", dataset="sim_pavia", model="hybridsn"),
        planned(1, "train", dataset="sim_pavia", model="ssrn"),
        planned(2, "train", dataset="mnist", model="lenet1"),
        planned(3, "train", dataset="sim_salinas", model="ssrn"),
        planned(4, "search", "0.out", dataset="sim_pavia", model="hybridsn"),
        planned(5, "search", "1.out", dataset="sim_pavia", model="ssrn"),
        planned(6, "verdicts", "2.out", dataset="mnist", model="lenet1"),
        planned(7, "page", "5.out"),
    ]
    costs = {number: cost(seconds) for number, seconds in enumerate((100, 10, 1, 20, 5, 50, 1, 1))}
    # The training of SSRN is made anyway, but that of HybridSN costs more than the cheaper search saves.
    assert [one.number for one in requests.chosen(jobs, costs)] == [1, 3, 5, 6]


def test_a_rule_is_judged_by_its_job_that_comes_nearest_to_what_it_asks_for() -> None:
    def ran(seconds: float, memory: float | None) -> Measured:
        return Measured(Job("inputs", {}), seconds, memory, 0, 1, 0)

    known = cost(30.0, 800.0)
    [row] = requests.of_rules([(ran(60.0, 400.0), known), (ran(10.0, 450.0), known), (ran(1.0, None), known)])
    assert (job_resources.minutes(known), job_resources.megabytes(known)) == (11, 1250)
    assert row == {
        "rule": "inputs", "jobs": 3, "seconds": 60.0, "minutes_asked": 11, "time": 60 / 660, "mb": 450.0,
        "mb_asked": 1250, "memory": 0.36,
    }  # fmt: skip
    assert requests.text([row]).splitlines()[-1] == "| `inputs` | 3 | 60 | 11 | 9% | 450 | 1250 | 36% |"
    [unknown] = requests.of_rules([(ran(1.0, None), None)])
    assert requests.text([unknown]).splitlines()[-1] == "| `inputs` | 3 | 1 | 240 | 0% |  |  |  |".replace("3", "1", 1)
