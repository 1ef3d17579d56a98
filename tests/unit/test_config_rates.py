"""Measured rates: whose they are, what they make of a job, and how blocks follow from them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quantrift.cli.planning import features
from quantrift.config import jobs, plan
from quantrift.config.jobs import Job
from quantrift.config.load import load
from quantrift.config.rates import Rate, Rates, committed, read, write
from quantrift.config.root import Config

CONFIG = Path(__file__).parents[2] / "config"
CROP = {"dataset": "pavia_university_crop", "model": "ssrn", "compression": "ptq_int8", "tool": "random"}
SCENE = CROP | {"dataset": "pavia_university"}
SEARCHES = plan.Searches(plan.Subject("pavia_university", "ssrn", "ptq_int8"), "random", "rq1")


@pytest.fixture(scope="module")
def paper() -> Config:
    return load(CONFIG, [CONFIG / "paper.yaml"])


def search(of: dict[str, str], block: str = "seeds_000-000") -> Job:
    return Job("search", of | {"protocol": "rq1", "block": block})


def measured(config: Config, job: Job, seconds: float, start: float = 2) -> Rate:
    names: dict[str, Any] = dict(zip(jobs.NAMES, job.names, strict=True))
    return Rate(
        rule=job.rule,
        **names,
        settings=jobs.settings(config, job),
        jobs=1,
        units=10,
        start_seconds=start,
        unit_seconds=seconds,
        memory_mb=400,
        unit_bytes=1000,
        machine="any",
    )


def of(*rates: Rate) -> Rates:
    return Rates({rate.key: rate for rate in rates})


def test_a_job_takes_its_start_and_its_work(paper: Config) -> None:
    cost = of(measured(paper, search(SCENE), 0.5)).cost(paper, search(SCENE, "seeds_000-004"))
    assert cost
    assert cost.seconds == 2 + 5 * 80 * 0.5
    assert (cost.memory_mb, cost.bytes) == (400, 5 * 80 * 1000)


def test_the_crop_of_a_scene_stands_for_it_until_the_scene_is_measured(paper: Config) -> None:
    crop, scene = measured(paper, search(CROP), 1), measured(paper, search(SCENE), 3)
    for known, seconds in ((of(crop), 1), (of(crop, scene), 3)):
        found = known.find(paper, search(SCENE))
        assert found
        assert found.unit_seconds == seconds
    assert of(crop).find(paper, search(CROP | {"dataset": "salinas"})) is None


def test_another_budget_tool_network_or_width_says_nothing(paper: Config) -> None:
    known = of(measured(paper, search(SCENE), 1))
    assert known.find(paper, search(SCENE | {"tool": "pso_div"})) is None
    assert known.find(paper, search(SCENE | {"model": "hybridsn"})) is None
    for changes in ({"protocols": {"rq1": {"generations": 5}}}, {"models": {"ssrn": {"width": 0.5}}}):
        other = load(CONFIG, [CONFIG / "paper.yaml"], changes)
        assert known.find(other, search(SCENE)) is None
    fewer = load(CONFIG, [CONFIG / "paper.yaml"], {"protocols": {"rq1": {"inputs": 4}}})
    assert known.find(fewer, search(SCENE)) is not None


def test_protocols_with_one_budget_share_their_rates(paper: Config) -> None:
    known = of(measured(paper, search(SCENE), 1))
    assert known.find(paper, Job("search", {**search(SCENE).of, "protocol": "rq2"})) is not None
    assert known.find(paper, Job("search", {**search(SCENE).of, "protocol": "rq3_first"})) is None


def test_networks_of_a_bit_study_with_other_dense_layers_have_rates_of_their_own(paper: Config) -> None:
    study = paper.bit_studies["bits_homogeneous"]
    without = study.model_copy(update={"dense": ()})
    other = paper.model_copy(update={"bit_studies": {**paper.bit_studies, "bits_homogeneous": without}})
    for model, same in (("vgg16", False), ("mlp", True)):
        trained = Job("train_bits", {"dataset": "mnist", "model": model, "study": "bits_homogeneous"})
        assert (jobs.settings(paper, trained) == jobs.settings(other, trained)) is same


def test_work_of_a_training_is_epochs_times_inputs(paper: Config) -> None:
    train = Job("train", {"dataset": "mnist", "model": "lenet5"})
    assert jobs.units(paper, train) == 12 * 60_000
    hybridsn = Job("train", {"dataset": "pavia_university", "model": "hybridsn"})
    # Table 2 of DiverGet: 12,832 patches train.
    assert jobs.units(paper, hybridsn) == 100 * 12_832


def test_every_test_input_is_counted(paper: Config) -> None:
    block = "seeds_000-000"
    names = {"dataset": "mnist", "model": "cnn", "compression": "prune", "tool": "triggerfinder_code"}
    assert jobs.units(paper, Job("search", names | {"protocol": "triggerfinder_full", "block": block})) == 10_000


@pytest.mark.parametrize(
    ("seconds", "names"),
    [
        (0.001, ["seeds_000-009"]),
        # 898 s are 449 inputs: five run seeds of 80.
        (2.0, ["seeds_000-004", "seeds_005-009"]),
        # 44 inputs: each run seed in two parts.
        (20.0, ["seeds_000-000_inputs_00000-00039", "seeds_000-000_inputs_00040-00079"]),
    ],
)
def test_blocks_take_about_the_wanted_time(paper: Config, seconds: float, names: list[str]) -> None:
    found = plan.blocks(paper, SEARCHES, of(measured(paper, search(SCENE), seconds)))
    assert found[:2] == names


def test_blocks_that_nobody_measured_have_a_fixed_size_and_a_stated_one_counts(paper: Config) -> None:
    assert plan.blocks(paper, SEARCHES, of()) == ["seeds_000-004", "seeds_005-009"]
    stated = load(CONFIG, [CONFIG / "paper.yaml"], {"engine": {"block": 4}})
    assert plan.blocks(stated, SEARCHES, of()) == ["seeds_000-003", "seeds_004-007", "seeds_008-009"]


def test_blocks_of_every_test_input_cut_the_test_set(paper: Config) -> None:
    full = plan.Searches(plan.Subject("mnist", "cnn", "prune"), "triggerfinder_code", "triggerfinder_full")
    found = plan.blocks(paper, full, of())
    assert len(found) == 25
    assert found[-1] == "seeds_000-000_inputs_09600-09999"


def test_rates_are_written_and_read_again(paper: Config, tmp_path: Path) -> None:
    one = measured(paper, search(SCENE), 0.125)
    other = replace(measured(paper, search(CROP), 1.5), memory_mb=None)
    write(tmp_path / "rates.csv", [one, other])
    assert read(tmp_path / "rates.csv") == of(one, other)
    assert read(tmp_path / "none.csv") == of()


def test_the_committed_rates_are_of_what_the_project_runs() -> None:
    rates = committed().of
    assert len(rates) > 100
    known = [load(CONFIG, [CONFIG / name]) for name in ("config.yaml", "sample.yaml", "paper.yaml")]
    searched = [rate for rate in rates.values() if rate.rule == "search"]
    for rate in searched:
        of_rate = {name: getattr(rate, name) for name in jobs.NAMES if name != "name"} | {"block": "seeds_000-000"}
        made = [one for one in known if rate.tool in one.tools]
        found = {
            jobs.settings(one, job): features.of_job(one, job)
            for one in made
            for name in one.protocols
            if (job := Job("search", of_rate | {"protocol": name}))
        }
        message = f"{rate.key}: measure again with quantrift rates, or take the line away"
        assert rate.settings in found, message
        assert features.of_rate(rate) == found[rate.settings], message
