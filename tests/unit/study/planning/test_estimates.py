"""Jobs without a measured rate are estimated from similar jobs, with a range for their variation."""

from dataclasses import replace
from math import exp, log
from pathlib import Path
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from tests.factories import configurations
from tools import pages
from tools.benchmarks import plan
from tools.benchmarks.benchmark import Result
from tools.benchmarks.plan import judged

from quantrift.study.planning.estimates import ENOUGH, Estimates, errors, held_out, of_stand_ins
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rate, Rates, committed, described
from quantrift.study.planning.root import Config

BLANK = Rate("search", "salinas_a", "hybridsn", "ptq_int8", "random", "", "", "", 1, 10, 2, 1, None, 1, "any")
SEARCH = replace(BLANK, searcher="random", until="budget", evaluations=250)
PUBLISHED = {name: one.published_as or name for name, one in configurations.of_scale().datasets.items()}


def rates(*all_of_them: Rate) -> Rates:
    return Rates({(*one.key, str(number)): one for number, one in enumerate(all_of_them)})


@pytest.fixture(scope="module")
def own() -> Config:
    return configurations.of_scale("own_model")


def search(tool: str, protocol: str = "mine") -> Job:
    names = {"dataset": "my_data", "model": "my_net", "compression": "my_int8", "tool": tool, "protocol": protocol}
    return Job("search", names | {"block": "seeds_000-001"})


def test_features_of_a_job_are_its_names_and_what_its_search_may_evaluate(own: Config) -> None:
    found = described(own, search("my_pso"))
    assert (found.searcher, found.until, found.evaluations, found.model) == ("pso", "budget", 250, "my_net")
    first = described(own, search("triggerfinder_code", "mine_first"))
    assert (first.searcher, first.until, first.evaluations) == ("metropolis_hastings", "first attack", 5000)
    assert described(own, Job("table", {"table": "my_rates"})).evaluations == 1


def test_seconds_of_an_unmeasured_search_are_those_of_its_searcher_for_each_candidate(own: Config) -> None:
    each = [0.5, 1, 2, 4, 8]
    # Of another budget, twice as many candidates a search: seconds for one are half as many.
    like = [replace(SEARCH, unit_seconds=2 * one, evaluations=500) for one in each]
    other = [replace(SEARCH, tool="ga_div", searcher="ga", unit_seconds=1000.0)] * 9
    found = Estimates(rates(*like, *other)).of(own, search("my_random"))
    assert found
    # Two run seeds of 40 inputs.
    assert found.seconds == pytest.approx(2 + 80 * 2)
    assert found.like == "random, budget (5 rates)"
    assert not found.stand_in


def test_searches_that_share_batches_say_nothing_of_isolated_ones(tmp_path: Path) -> None:
    stated = {"protocols": {"alone": {"isolated_of": "mine", "inputs": 4}}}
    config = configurations.overlaid(tmp_path, stated, "own_model")
    job = search("my_random", "alone")
    assert described(config, job).until == "budget, isolated"
    together = [replace(SEARCH, unit_seconds=float(one)) for one in range(1, 9)]
    assert Estimates(rates(*together)).of(config, job) is None
    alone = [replace(one, until="budget, isolated", unit_seconds=100 * one.unit_seconds) for one in together]
    found = Estimates(rates(*together, *alone)).of(config, job)
    assert found
    assert found.seconds > 4 * 100
    assert found.like == "random, budget, isolated (8 rates)"
    of_others = Estimates(rates(*together, *alone)).of(config, search("my_random"))
    assert of_others == Estimates(rates(*together)).of(config, search("my_random"))


def test_the_range_is_the_prediction_interval_of_one_more_of_them(own: Config) -> None:
    each = [0.5, 1, 2, 4, 8]
    # Of its own data and network, so that nothing is widened.
    like = [replace(SEARCH, dataset="my_data", model="my_net", tool="my_random", unit_seconds=one) for one in each]
    found = Estimates(rates(*like)).of(own, search("my_random"))
    assert found
    half = student.ppf(0.95, 4) * stdev(map(log, each)) * (1 + 1 / 5) ** 0.5
    assert (found.low, found.high) == pytest.approx((2 + 160 * exp(-half), 2 + 160 * exp(half)))


def test_data_of_ones_own_widen_the_range_by_how_much_jobs_vary_over_data(own: Config) -> None:
    spread = [1, 1.1, 1.2, 1.3, 1.4]
    alike = [replace(SEARCH, model="my_net", tool="my_random", unit_seconds=one) for one in spread]
    elsewhere = [replace(one, dataset="pavia_university_crop", unit_seconds=9 * one.unit_seconds) for one in alike]
    near = Estimates(rates(*(replace(one, dataset="my_data") for one in alike))).of(own, search("my_random"))
    far = Estimates(rates(*alike)).of(own, search("my_random"))
    both = Estimates(rates(*alike, *elsewhere)).of(own, search("my_random"))
    assert near
    assert far
    assert both
    # Data of one kind tell nothing of others, so that there only their number counts.
    assert far.high == pytest.approx(near.high)
    assert both.high / both.low > (near.high / near.low) ** 3


def test_few_rates_have_the_spread_of_other_rules_and_none_tell_nothing(own: Config) -> None:
    train = [replace(BLANK, rule="train", tool="", unit_seconds=one) for one in (1.0, 3.0, 9.0)]
    one = replace(BLANK, rule="adopt", tool="", model="other", units=7e4, unit_seconds=1e-4)
    adopt = Job("adopt", {"dataset": "my_data", "model": "my_net"})
    found = Estimates(rates(one, *train)).of(own, adopt)
    assert found
    # Nobody has counted the inputs, so the whole job counts: 2 s and 70,000 of 0.1 ms.
    assert found.seconds == pytest.approx(9)
    assert found.low < 9 / 3
    assert found.high > 9 * 3
    assert found.like == "any adopt (1 rate)"
    assert Estimates(rates(*train)).of(own, adopt) is None
    # A single rate says nothing of how much such jobs vary, so there is no range and no estimate.
    assert Estimates(rates(one)).of(own, adopt) is None


def test_a_measured_job_has_no_range_and_a_crop_is_named(tmp_path: Path) -> None:
    sample, paper = (configurations.of_scale(name) for name in ("sample", "paper"))
    names = {"model": "ssrn", "compression": "ptq_int8", "tool": "random", "protocol": "rq1", "block": "seeds_000-000"}
    for config, dataset, stand_in in ((sample, "salinas_a", False), (paper, "salinas", True)):
        found = Estimates(committed()).of(config, Job("search", names | {"dataset": dataset}))
        assert found
        assert found.low == found.seconds == found.high
        assert (found.like, found.stand_in) == ("", stand_in)


@given(st.lists(st.floats(1e-3, 1e3), min_size=ENOUGH, max_size=20))
def test_an_estimate_lies_in_its_range_and_among_those_like_it(each: list[float]) -> None:
    alike = [replace(BLANK, rule="shrink", unit_seconds=one) for one in each]
    found = Estimates(rates(*alike)).spread(alike[0], whole=False)
    assert found
    assert found.half >= 0
    assert min(each) * 0.999 <= exp(found.centre) <= max(each) * 1.001
    assert len(found.alike) == len(each)


def test_a_rate_is_held_out_of_what_says_how_long_it_takes() -> None:
    five = [replace(BLANK, rule="shrink", unit_seconds=1.0)] * 5
    # The key of a rate tells it apart; settings are as good as any other name.
    known = [
        replace(one, settings=str(number)) for number, one in enumerate([*five, replace(five[0], unit_seconds=99)])
    ]
    last = [*held_out(Rates({one.key: one for one in known}))][-1]
    assert last[1]
    assert last[1].centre == last[1].half == 0
    assert last[2] == pytest.approx(log(99))


@pytest.fixture(scope="module")
def planned() -> Result:
    """The committed rates, each planned from all others."""
    return judged(committed(), PUBLISHED)


@pytest.mark.nightly
def test_of_the_committed_rates_as_many_lie_in_their_ranges_as_promised(planned: Result) -> None:
    assert planned.value >= 0.9
    # Without anything on their data, their network or their tool, as in a run of one's own.
    for by, least in (("dataset", 0.8), ("model", 0.9), ("tool", 0.9)):
        assert planned.details[f"{by}_inside"] >= least
        assert planned.details[f"{by}_rates"] > 250


@pytest.mark.nightly
def test_nine_of_ten_rates_of_a_kind_are_planned_from_the_others_within_a_factor_of_two(planned: Result) -> None:
    assert planned.details["of_kind_rates"] > 250
    assert planned.details["of_kind_within_two"] >= 0.9


def test_a_rate_is_planned_from_others_of_its_kind_where_there_are_any() -> None:
    of_kind = [replace(BLANK, rule="shrink", settings=str(one), kind="a", unit_seconds=one) for one in (1.0, 4.0)]
    # Work of 10 units after 2 seconds, each.
    found = {rate.settings: error for rate, error in errors(Rates({one.key: one for one in of_kind}))}
    assert found == pytest.approx({"1.0": log(42 / 12), "4.0": log(12 / 42)})
    strangers = [replace(one, kind="") for one in of_kind]
    assert [*errors(Rates({one.key: one for one in strangers}))] == []


def test_a_rate_is_planned_from_data_that_stand_in_for_its_own_and_from_no_others() -> None:
    datasets = ("cifar10_subset", "sim_textures", "mnist")
    known = [
        replace(BLANK, rule="train", tool="", dataset=name, kind="a", unit_seconds=one)
        for name, one in zip(datasets, (1.0, 4.0, 99.0), strict=True)
    ]
    found = {rate.dataset: error for rate, error in of_stand_ins(Rates({one.key: one for one in known}), PUBLISHED)}
    assert found == pytest.approx({"cifar10_subset": log(42 / 12), "sim_textures": log(12 / 42)})


def test_a_device_says_nothing_of_processors_and_nobody_measured_one(own: Config) -> None:
    train = [replace(BLANK, rule="train", tool="", unit_seconds=one, device="gpu") for one in (1.0, 3.0, 9.0, 2.0, 2.0)]
    job = Job("train", {"dataset": "sim_pavia", "model": "hybridsn"})
    assert Estimates(rates(*train)).of(own, job) is None
    on_device = configurations.of_scale(training={"device": "gpu"})
    found = Estimates(rates(*train)).of(on_device, job)
    assert found
    assert found.like == "hybridsn (5 rates)"
    assert {rate.device for rate in committed().of.values()} == {"cpu"}
    assert Estimates(committed()).of(on_device, job) is None


def test_the_page_of_plans_has_a_line_for_each_way_to_hold_out() -> None:
    figures = {f"{one}_{of}": 0.5 for one in plan.HELD_OUT for of in ("inside", "factor")}
    figures |= {f"{one}_rates": 1234.0 for one in (*plan.HELD_OUT, "of_kind", "planned")}
    figures |= {"of_kind_within_two": 0.95, "planned_within_two": 0.84, "rate_factor": 29.6}
    lines = plan.text(figures).splitlines()
    assert lines[0].endswith("within a factor of 2 of the measured rate for 95 % of 1,234 rates.")
    assert "all 1,234 rates" in lines[1]
    assert "84 % of the predictions" in lines[1]
    assert lines[6:8] == ["| nothing | 1,234 | 50 % | 30 |", "| all of its tool | 1,234 | 50 % | 0.5 |"]


@pytest.mark.nightly
def test_the_document_has_the_shares_of_the_committed_rates(planned: Result) -> None:
    block = (pages.BLOCKS / "plan.md").read_text(encoding="utf-8")
    assert plan.text(planned.details) + "\n" == block, "run python -m tools.pages plan"
