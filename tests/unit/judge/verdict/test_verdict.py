"""Limits at the ends of intervals, and the order of candidates."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from quantrift.cli.verdict_options import share
from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.channels import Dead
from quantrift.core.statistics.clustered import clopper_pearson, clustered
from quantrift.core.statistics.intervals import drop, wilson
from quantrift.judge.verdict import verdict as limits_held
from quantrift.judge.verdict.assessment import LIMITS, ClassFlips, Clean, Judgement, Limits
from quantrift.judge.verdict.clean_inputs import clean
from quantrift.judge.verdict.record_summary import rate as of_numbers
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.verdict import OfTool, sentence, unknown, worst

NONE = ClassFlips("a", 250, 250, 0)


def on_given(lost: int = 0, gained: int = 0, count: int = 500, classes: list[ClassFlips] | None = None) -> Clean:
    """Inputs as given, of which some are wrong now and some right."""
    share = (lost + gained) / count
    return replace(
        clean(np.zeros(count), np.zeros(count), None, []),
        disagreement=Rate(share, *clopper_pearson(share, count)),
        disagreeing=lost + gained,
        right_to_wrong=lost,
        drop=Rate(*drop(lost, gained, count)),
        classes=classes or [NONE, NONE],
    )


def judged(found: Clean, tools: Sequence[OfTool], limits: Limits, dead: Sequence[Dead] = ()) -> list[Judgement]:
    """The limits held against the inputs as given, as many as the classes have."""
    return limits_held.judged(found, sum(one.original for one in found.classes), tools, limits, dead=dead)


def of_tool(hits: int, searches: int = 200, *, samples: bool = True, each: int = 40) -> OfTool:
    """A tool that found one disagreement among 40 valid changes of some seed inputs."""
    found = np.zeros(searches)
    found[:hits] = 1
    rate = of_numbers(*clustered(found, np.full(searches, each)))
    return OfTool("Sampling", samples, searches, hits, rate, Rate(hits / searches, *wilson(hits, searches)))


@pytest.mark.parametrize(
    ("lost", "verdict"),
    [(0, "pass"), (10, "pass"), (14, "pass"), (20, "inconclusive"), (30, "inconclusive"), (40, "fail"), (50, "fail")],
)
def test_a_limit_is_decided_by_the_end_of_the_interval_that_is_nearer(lost: int, verdict: str) -> None:
    [found] = judged(on_given(lost), [], Limits(max_disagreement=0.05))
    assert found.verdict == verdict
    assert found.rate.low is not None
    assert found.rate.high is not None
    assert (found.rate.low > 0.05) == (verdict == "fail")
    assert (found.rate.high < 0.05) == (verdict == "pass")
    assert (found.needed is None) == (verdict != "inconclusive")


def test_a_tenth_of_unchanged_inputs_never_passes() -> None:
    assert judged(on_given(50), [], LIMITS)[0].verdict == "fail"
    assert judged(on_given(5, count=50), [], LIMITS)[0].verdict == "inconclusive"


def test_accuracy_may_stay_while_labels_change_and_both_are_judged() -> None:
    disagreement, accuracy = judged(on_given(60, 60), [], LIMITS)
    assert (disagreement.verdict, accuracy.verdict) == ("fail", "inconclusive")
    assert accuracy.rate.value == 0
    lost, dropped = judged(on_given(60), [], LIMITS)
    assert (lost.verdict, dropped.verdict) == ("fail", "fail")


def test_changes_are_judged_among_the_valid_ones_of_random_sampling_and_searches_by_their_success() -> None:
    tools = [of_tool(60), of_tool(60, samples=False)]
    assert [one.limit for one in judged(on_given(), tools, Limits(max_dir=0.05, max_sr=0.2))] == [
        "max_dir",
        "max_sr",
        "max_sr",
    ]
    sampled, *searched = judged(on_given(), tools, Limits(max_dir=0.05, max_sr=0.2))
    assert (sampled.verdict, sampled.rate.value) == ("pass", 60 / 8000)
    assert [one.verdict for one in searched] == ["fail", "fail"]


def test_one_or_two_seed_inputs_decide_nothing() -> None:
    for hits, verdict in ((1, "inconclusive"), (2, "inconclusive"), (3, "fail")):
        [found] = judged(on_given(), [of_tool(hits, 3, samples=False)], Limits(max_sr=0.0))
        assert found.verdict == verdict
    [alone] = judged(on_given(), [of_tool(1, 1)], Limits(max_dir=0.9))
    assert alone.verdict == "inconclusive"
    assert "no interval from so few" in alone.text


def test_a_class_that_is_never_given_is_lost_even_among_many() -> None:
    rare = [*[ClassFlips(str(one), 25, 25, 0) for one in range(19)], ClassFlips("19", 25, 0, 25)]
    found = judged(on_given(25, count=2000, classes=rare), [], LIMITS)
    assert [one.verdict for one in found[:2]] == ["pass", "pass"]
    assert found[2].limit == "lost_class"
    assert "class '19': 25 of the 25 inputs" in found[2].text
    few = [*rare[:19], ClassFlips("19", 4, 1, 3)]
    assert all(one.limit != "lost_class" for one in judged(on_given(3, classes=few), [], LIMITS))


DEAD = Dead("out", "4", 25, 200, 0.004)


def test_a_channel_that_the_original_alone_moves_fails_from_twenty_inputs_on() -> None:
    dead = [DEAD, replace(DEAD, channel="7", moved=20), replace(DEAD, channel="8", moved=19)]
    [_, _, found] = judged(on_given(), [], LIMITS, dead)
    assert (found.limit, found.verdict, found.count) == ("dead_output", "fail", 200)
    assert found.text == (
        "output 'out': the compressed network never moves channels 4, 7 on 200 inputs; the original moves by more than "
        "0.004 on 20 to 25 of them: dead"
    )
    [line] = unknown(dead)
    assert "channel 8" in line
    assert "unknown" in line


def test_a_lost_class_is_not_judged_again_by_its_logit() -> None:
    classes = [NONE, ClassFlips("b", 25, 0, 25)]
    found = judged(on_given(classes=classes), [], LIMITS, [replace(DEAD, output="logits", channel="b")])
    assert [one.limit for one in found if one.verdict == "fail"] == ["lost_class"]


def test_the_worst_limit_is_the_verdict_and_the_sentence_names_it() -> None:
    found = judged(on_given(50), [of_tool(100, samples=False)], replace(LIMITS, max_sr=0.2))
    assert worst(one.verdict for one in found) == "fail"
    assert sentence("int8", found).startswith("int8: fail; disagreement on the inputs as given: 10.00 % (95 % interval")
    kept = judged(on_given(), [], LIMITS)
    assert "int8: pass; every limit is kept, nearest drop in accuracy" in sentence("int8", kept)
    assert worst([]) == "pass"


def test_shares_are_percent_or_fractions() -> None:
    assert (share("5%", "--max-dir"), share("0.05", "--max-dir"), share("none", "--max-dir")) == (0.05, 0.05, None)
    for wrong in ("5", "-1%", "much"):
        with pytest.raises(QuantriftError, match=f"--max-dir is '{wrong}'"):
            share(wrong, "--max-dir")


@pytest.mark.parametrize(("samples", "each"), [(True, 2.5), (False, 1.0)])
def test_what_would_decide_is_told_as_seed_inputs_and_as_the_option_that_takes_so_many(
    samples: bool, each: float
) -> None:
    limits = Limits(max_disagreement=None, max_accuracy_drop=None, max_dir=None, max_sr=0.2)
    [found] = judged(on_given(), [of_tool(38, samples=samples)], limits)
    assert found.verdict == "inconclusive"
    assert found.needed
    assert found.seeds
    assert found.needed_least
    assert found.seeds - 1 < found.needed / each <= found.seeds
    assert f"about {found.needed_least:,} to {found.needed:,} seed inputs would decide (--seeds " in found.text
    assert f" to {found.seeds})" in found.text
