"""The cluster's profile gives every rule more memory and time than measured jobs of it took."""

from pathlib import Path

import pytest
import yaml

from quantrift.config import jobs, rates

PROFILE = yaml.safe_load((Path(__file__).parents[2] / "profiles" / "slurm" / "config.yaml").read_text())
RULES = sorted({rate.rule for rate in rates.committed().of.values()} | {*jobs.SAME})


def given(rule: str, resource: str) -> int:
    """What a job's first attempt gets."""
    stated = PROFILE["set-resources"].get(rule, {}).get(resource, PROFILE["default-resources"][resource])
    number, _, factor = stated.partition(" * ")
    assert factor == "attempt", f"{rule}: another attempt would get no more {resource}"
    return int(number)


@pytest.mark.parametrize("rule", RULES)
def test_memory_is_a_quarter_more_than_the_largest_measured(rule: str) -> None:
    measured = [
        rate.memory_mb
        for rate in rates.committed().of.values()
        if rate.rule == jobs.measured_as(rule) and rate.memory_mb
    ]
    assert given(rule, "mem_mb") >= 1.25 * max(measured, default=0)


@pytest.mark.parametrize("rule", RULES)
def test_minutes_are_twice_those_of_the_longest_measured(rule: str) -> None:
    measured = [
        rate.start_seconds + rate.unit_seconds * rate.units
        for rate in rates.committed().of.values()
        if rate.rule == jobs.measured_as(rule)
    ]
    assert given(rule, "runtime") * 60 >= 2 * max(measured, default=0)


def test_it_names_rules_that_exist() -> None:
    assert {*PROFILE["set-resources"]} <= {*jobs.RULES, *jobs.SAME}
