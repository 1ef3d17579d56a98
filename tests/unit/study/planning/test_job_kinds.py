"""Jobs of one kind cost alike: one that is measured serves the others, and no other jobs."""

from dataclasses import replace
from typing import Any

import pytest
from tests.factories import configurations

from quantrift.study.planning import jobs
from quantrift.study.planning.job_kinds import end, kind
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rate, Rates, described
from quantrift.study.planning.root import Config

SEARCH = {
    "dataset": "pavia_university", "model": "ssrn", "compression": "ptq_int8", "tool": "pso_div",
    "protocol": "sensitivity", "block": "seeds_000-000",
}  # fmt: skip


def search(**of: str) -> Job:
    return Job("search", SEARCH | of)


@pytest.mark.parametrize(
    "other",
    [
        {"tool": "pso_omega_03"},
        {"tool": "pso_50"},
        {"compression": "qat_int8"},
        {"block": "seeds_003-004"},
        {"protocol": "rq2"},
    ],
)
def test_weights_of_a_swarm_and_the_way_of_rounding_make_no_other_kind(paper: Config, other: dict[str, str]) -> None:
    assert kind(paper, search(**other)) == kind(paper, search())


@pytest.mark.parametrize(
    "other",
    [{"tool": "ga_div"}, {"tool": "pso_cov"}, {"model": "hybridsn"}, {"protocol": "rq3_first"},
     {"compression": "tflite_float"}],
)  # fmt: skip
def test_another_part_budget_network_or_runtime_makes_another_kind(paper: Config, other: dict[str, str]) -> None:
    assert kind(paper, search(**other)) != kind(paper, search())


@pytest.mark.parametrize(
    ("rule", "others"),
    [("train", {}), ("train_bits", {"study": "bits_3_6"}), ("attack_bits", {"study": "bits_3_6"}), ("metrics", {})],
)
def test_kinds_are_the_same_on_a_dataset_that_stands_in_for_another(
    paper: Config, rule: str, others: dict[str, str]
) -> None:
    cifar = SEARCH | {"model": "mlp"} | others
    assert len({kind(paper, Job(rule, cifar | {"dataset": name})) for name in ("cifar10", "sim_textures")}) == 1


def test_a_narrower_network_is_another_kind(paper: Config) -> None:
    narrow = configurations.of_scale("paper", models={"ssrn": {"width": 0.5}})
    for job in (search(), Job("layers", SEARCH), Job("shrink", SEARCH), Job("compress", SEARCH)):
        assert kind(narrow, job) != kind(paper, job)
    assert kind(narrow, Job("inputs", SEARCH)) == kind(paper, Job("inputs", SEARCH))


def test_compressions_by_one_method_are_of_one_kind_unless_they_train_otherwise(paper: Config) -> None:
    def of(name: str, config: Config = paper) -> str:
        return kind(config, Job("compress", SEARCH | {"compression": name}))

    assert of("heterogeneous_3_6_1") == of("heterogeneous_6_9_7")
    assert len({of(name) for name in ("heterogeneous_3_6_1", "homogeneous_1", "prune", "distill", "ptq_int8")}) == 5
    longer = configurations.of_scale("paper", compressions={"prune": {"training": {"epochs": 9}}})
    assert of("prune", longer) != of("prune")


def test_the_end_of_a_search_is_its_first_attack_or_its_budget(paper: Config) -> None:
    assert end(paper, search()) == ("budget", 250)
    assert end(paper, search(protocol="rq3_first")) == ("first attack", 250)
    assert end(paper, search(protocol="rq3_first_isolated")) == ("first attack, isolated", 250)


def rate(config: Config, job: Job, seconds: float, **others: Any) -> Rate:
    values: dict[str, Any] = {
        "jobs": 1, "units": 10, "start_seconds": 2, "unit_seconds": seconds, "memory_mb": 400, "unit_bytes": 1,
        "machine": "any",
    }  # fmt: skip
    return replace(described(config, job), **values | others)


FIRST = {"dataset": "mnist", "model": "lenet5", "tool": "deepxplore", "protocol": "diffchaser_q2"}


def test_how_soon_a_search_ends_depends_on_compression_and_settings_but_not_on_the_share_that_has_16_bits(
    paper: Config,
) -> None:
    shares = ("float16_truncation_1", "float16_truncation_100", "float16_cut_50")
    assert len({kind(paper, search(**FIRST, compression=name)) for name in shares}) == 1
    assert len({kind(paper, search(**FIRST, compression=name)) for name in (shares[0], "ptq_int8", "prune")}) == 3
    other = kind(paper, search(**FIRST | {"tool": "deepxplore_code"}, compression=shares[0]))
    assert other != kind(paper, search(**FIRST, compression=shares[0]))


@pytest.mark.parametrize(
    ("measured", "ended", "serves"),
    [("diffchaser_q2", 1.0, True), ("diffchaser_q2", 0.99, False), ("diffchaser_q2", None, False),
     ("diffchaser_q2_long", 1.0, False)],
)  # fmt: skip
def test_searches_that_all_ended_within_their_budget_serve_larger_ones(
    paper: Config, measured: str, ended: float | None, serves: bool
) -> None:
    own = FIRST | {"compression": "float16_cut_1"}
    job = search(**own | {"protocol": measured})
    known = rate(paper, job, 1, ended=ended)
    # 150,000 candidates, between the two.
    asked = search(**own | {"protocol": "diffchaser_q3"})
    assert (Rates({known.key: known}).serving(paper, described(paper, asked)) is not None) is serves


def test_a_budget_that_is_always_spent_makes_a_kind(paper: Config) -> None:
    fewer = configurations.of_scale("paper", protocols={"sensitivity": {"evaluations": 100}})
    assert kind(fewer, search()) != kind(paper, search())


def test_a_job_has_its_own_rate_else_the_mean_of_its_kind_else_that_of_a_crop(paper: Config) -> None:
    like = [search(tool=name) for name in ("pso_omega_03", "pso_omega_07")]
    crop = rate(paper, search(dataset="pavia_university_crop"), 100)
    of_kind = [rate(paper, like[0], 1), rate(paper, like[1], 4, memory_mb=900)]
    own = rate(paper, search(), 7)
    for known, expected in (([crop], 100), ([crop, *of_kind], 2), ([crop, *of_kind, own], 7)):
        cost = Rates({one.key: one for one in known}).cost(paper, search())
        assert cost
        units = jobs.units(paper, search())
        assert units
        assert cost.seconds == pytest.approx(2 + units * expected)
    assert Rates({one.key: one for one in of_kind}).cost(paper, search(tool="ga_div")) is None
