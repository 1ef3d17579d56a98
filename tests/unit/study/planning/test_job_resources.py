"""Jobs ask a cluster for more than their estimates, short ones share a submission, and profiles leave that to rules."""

import re
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations
from tests.factories.places import ROOT

from quantrift.study.planning import job_resources, jobs, measured_rates
from quantrift.study.planning.estimates import Estimates
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Estimate

PROFILES = sorted(path.parent.name for path in (ROOT / "profiles").glob("*/config.yaml"))
RULES = sorted({*jobs.RULES, *jobs.SAME})
PAPER = configurations.of_scale("paper")
SEARCH = {"dataset": "mnist", "model": "lenet1", "compression": "ptq_int8", "tool": "triggerfinder_code"}
SEARCH |= {"protocol": "triggerfinder_full", "block": "seeds_000-000_inputs_00000-00624"}


def cost(seconds: float = 1.0, high: float = 1.0, memory_mb: float | None = 100.0) -> Estimate:
    return Estimate(seconds, seconds, high, memory_mb, 0.0)


def asked(rule: str, known: Estimate | None, attempt: int = 1, processes: int = 1) -> tuple[int, int]:
    """Minutes and megabytes that a job asks for, as Snakemake evaluates them."""
    functions = job_resources.of(rule, lambda wildcards: known, processes)
    minutes, megabytes = (functions[name](None, attempt=attempt) for name in ("runtime", "mem_mb"))  # type: ignore
    return minutes, megabytes


@given(st.floats(0, 1e6), st.floats(1, 50), st.floats(0, 1e5))
def test_a_job_asks_for_twice_its_upper_end_and_a_quarter_more_memory_or_a_gigabyte(
    seconds: float, wider: float, memory: float
) -> None:
    known = cost(seconds, seconds * wider, memory)
    minutes, megabytes = asked("train", known)
    assert 2 * known.high + 600 <= 60 * minutes < 2 * known.high + 660
    assert max(1000, 1.25 * memory + 250) <= megabytes < max(1001, 1.25 * memory + 252)


def test_a_job_of_three_seconds_asks_for_minutes_and_not_for_an_hour() -> None:
    assert asked("table", cost(3.0, 3.0, 200.0)) == (11, 1000)


def test_the_longest_measured_job_fits_its_request_at_paper_scale() -> None:
    job = Job("train_bits", {"dataset": "mnist", "model": "vgg16", "study": "bits_3_6", "networks": "networks_000-000"})
    known = Estimates(measured_rates.committed()).of(PAPER, job)
    assert known
    assert known.seconds > 86_400
    assert 60 * asked("train_bits", known)[0] > 2 * known.seconds


@pytest.mark.parametrize("rule", RULES)
def test_each_further_attempt_asks_for_as_much_again(rule: str) -> None:
    first = asked(rule, cost(50.0, 70.0))
    for attempt in (2, 3):
        assert asked(rule, cost(50.0, 70.0), attempt) == (attempt * first[0], attempt * first[1])


@pytest.mark.parametrize("known", [None, cost(memory_mb=None)])
def test_memory_that_nobody_measured_is_asked_for_with_room(known: Estimate | None) -> None:
    assert asked("train", known)[1] == 4000


def test_a_rule_that_nobody_measured_asks_for_hours() -> None:
    assert asked("train", None)[0] == 240


def test_processes_side_by_side_ask_for_the_memory_of_each() -> None:
    assert asked("train_bits", cost(), processes=3) == (asked("train_bits", cost())[0], 3 * asked("train", cost())[1])


def test_slurm_is_asked_for_the_device_that_a_job_asks_for() -> None:
    utils = pytest.importorskip("snakemake_executor_plugin_slurm.utils")
    said = {
        devices: utils.set_gres_string(SimpleNamespace(resources=_Resources(gpu=devices))).split() for devices in (0, 1)
    }
    assert said == {0: [], 1: ["--gpus=1"]}


class _Resources(dict[str, int]):
    """Resources of a job, as Snakemake offers them."""

    __getattr__ = dict.__getitem__


def test_short_jobs_of_one_rule_and_network_are_a_group() -> None:
    job = Job("search", SEARCH)
    assert job_resources.group(job, cost(60.0, 300.0)) == "short_search_mnist_lenet1"
    assert job_resources.group(job, cost(60.0, 301.0)) is None
    assert job_resources.group(job, None) is None
    assert job_resources.group(Job("train", SEARCH), cost()) is None


def test_a_rule_measured_as_another_is_of_its_group_and_takes_its_turn() -> None:
    job = Job("compress_by_training", SEARCH)
    assert job_resources.group(job, cost()) == "short_compress_mnist_lenet1"
    assert job_resources.of("compress_by_training", lambda wildcards: None)[job_resources.IN_TURN] == 1
    assert job_resources.IN_TURN not in job_resources.of("train", lambda wildcards: None)


def test_submissions_are_jobs_alone_and_each_ten_of_a_group() -> None:
    short = [(Job("search", SEARCH), cost())] * 21
    other = [(Job("search", SEARCH | {"model": "lenet5"}), cost())] * 2
    long = [(Job("search", SEARCH), cost(high=1000.0))] * 4
    here = [(Job(rule, {}), cost()) for rule in ("seeds", "figure_boxes", "page")]
    assert job_resources.submissions([*short, *other, *long, *here]) == 3 + 1 + 4


@pytest.mark.parametrize("profile", PROFILES)
def test_no_profile_replaces_what_rules_compute(profile: str) -> None:
    stated = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    assert {"executor", "retries"} <= stated.keys() or profile == "default"
    assert stated.keys().isdisjoint({"set-resources", "default-resources", "set-threads"})


@pytest.mark.parametrize("profile", sorted({*PROFILES} - {"default"}))
def test_profiles_of_clusters_group_short_jobs_and_run_them_in_turn(profile: str) -> None:
    stated = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    assert stated["group-components"] == [f"{job_resources.GROUP}={job_resources.SIZE}"]
    assert stated["resources"] == [f"{job_resources.IN_TURN}=1"]
    # Else one job of a group would run on the whole cluster.
    assert stated["set-resource-scopes"] == [f"{job_resources.IN_TURN}=local"]


def test_rules_state_their_groups_and_where_they_run() -> None:
    written = "".join(file.read_text() for file in sorted((ROOT / "workflow" / "rules").glob("*.smk")))
    grouped = re.findall(r"grouped\(\s*\"(\w+)\"\s*\)", written)
    assert sorted(grouped) == sorted(job_resources.GROUPED)
    parts = re.split(r"^ *rule\b", written, flags=re.MULTILINE)
    local = "".join(part for part in parts if "localrule: True" in part)
    assert sorted(re.findall(r"jobs\.benchmark\(PATHS, \"(\w+)\"\)", local)) == sorted(job_resources.LOCAL)
