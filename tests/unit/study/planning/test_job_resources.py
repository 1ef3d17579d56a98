"""Every rule asks a cluster for more memory and time than measured jobs took; profiles leave that to the rules."""

from types import SimpleNamespace

import pytest
import yaml
from tests.factories import configurations
from tests.factories.places import ROOT

from quantrift.core.search.tool import follows_gradients
from quantrift.study.planning import job_resources, jobs, measured_rates

PROFILES = sorted(path.parent.name for path in (ROOT / "profiles").glob("*/config.yaml"))
RULES = sorted({*jobs.RULES, *jobs.SAME})
MEASURED = list(measured_rates.committed().of.values())
PAPER = configurations.of_scale("paper")


def asked(rule: str, resource: str, attempt: int = 1) -> int:
    """What a job asks for, as Snakemake evaluates it."""
    return job_resources.of(rule)[resource](None, attempt=attempt)  # type: ignore[call-arg]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "search"])
def test_memory_is_a_quarter_more_than_the_largest_measured(rule: str) -> None:
    measured = [rate.memory_mb for rate in MEASURED if rate.rule == jobs.measured_as(rule) and rate.memory_mb]
    assert asked(rule, "mem_mb") >= 1.25 * max(measured, default=0)


def test_memory_of_a_search_is_a_quarter_more_than_the_largest_measured() -> None:
    measured = [rate for rate in MEASURED if rate.rule == "search" and rate.memory_mb]
    assert len({rate.tool for rate in measured}) > 5
    for rate in measured:
        settings = PAPER.tools[rate.tool].model_dump(mode="json", by_alias=True)
        loads = follows_gradients(settings)
        given = job_resources.megabytes_of_search(tensorflow=loads)
        assert given >= 1.25 * (rate.memory_mb or 0), rate.tool


@pytest.mark.parametrize("rule", RULES)
def test_minutes_are_twice_those_of_the_longest_measured(rule: str) -> None:
    measured = [
        rate.start_seconds + rate.unit_seconds * rate.units for rate in MEASURED if rate.rule == jobs.measured_as(rule)
    ]
    assert asked(rule, "runtime") * 60 >= 2 * max(measured, default=0)


@pytest.mark.parametrize("rule", RULES)
def test_each_further_attempt_asks_for_as_much_again(rule: str) -> None:
    for resource in job_resources.of(rule):
        assert [asked(rule, resource, attempt) for attempt in (2, 3)] == [
            attempt * asked(rule, resource) for attempt in (2, 3)
        ]


def test_processes_side_by_side_ask_for_the_memory_of_each() -> None:
    together = job_resources.of("train_bits", 3)
    assert together["mem_mb"](None, attempt=2) == 3 * asked("train_bits", "mem_mb", 2)  # type: ignore[call-arg]
    assert together["runtime"](None, attempt=1) == asked("train_bits", "runtime")  # type: ignore[call-arg]


def test_slurm_is_asked_for_the_device_that_a_job_asks_for() -> None:
    utils = pytest.importorskip("snakemake_executor_plugin_slurm.utils")
    said = {
        devices: utils.set_gres_string(SimpleNamespace(resources=_Resources(gpu=devices))).split() for devices in (0, 1)
    }
    assert said == {0: [], 1: ["--gpus=1"]}


class _Resources(dict[str, int]):
    """Resources of a job, as Snakemake offers them."""

    __getattr__ = dict.__getitem__


def test_it_names_rules_that_exist() -> None:
    assert {*job_resources.MEGABYTES, *job_resources.MINUTES} <= {*RULES}


@pytest.mark.parametrize("profile", PROFILES)
def test_no_profile_replaces_what_rules_compute(profile: str) -> None:
    stated = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    assert {"executor", "retries"} <= stated.keys() or profile == "default"
    assert stated.keys().isdisjoint({"set-resources", "default-resources", "set-threads"})
