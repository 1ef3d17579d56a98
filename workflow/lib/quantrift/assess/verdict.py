"""Verdict on a candidate: limits held against intervals.

A limit is kept if the upper end of the 95 % interval lies below it, exceeded if the lower end lies above it, and
otherwise the data do not decide. A candidate passes if it keeps every limit and fails if it exceeds one.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quantrift.assess.assessment import ClassFlips, Judgement, Limits, Verdict
from quantrift.assess.profiles import SAMPLED
from quantrift.assess.tool_result import Rate
from quantrift.metrics.clustered import clopper_pearson

ORDER: Sequence[Verdict] = ("pass", "inconclusive", "fail")
FEWEST = 3
"""Inputs, or seed inputs, with a disagreement below which no limit is shown to be exceeded."""
MOST = 1_000_000
"""Largest number of inputs that a verdict asks for."""
SEARCHED = "seed inputs that natural changes lead to a disagreement"
"""Figure of the limit on searches."""
GIVEN = "disagreement on the inputs as given"
LOST = 0.5
"""A class is lost if more than this share of its inputs gets another label."""


@dataclass(frozen=True)
class OnGiven:
    """Figures judged on the inputs as given."""

    disagreement: Rate
    """Share of the inputs with another label than the original's."""
    disagreeing: int
    right_to_wrong: int | None
    """``None`` without labels."""
    drop: Rate | None
    """Drop in accuracy."""
    classes: list[ClassFlips]
    inputs: int | None = None
    """Number of the inputs; that of all classes where it is not stated."""
    accuracy: str = "accuracy"
    """Name of the share of the inputs on which a network is right."""


@dataclass(frozen=True)
class OfTool:
    """Figures judged of a tool."""

    title: str
    samples: bool
    """Whether it draws changes as its space has them."""
    searches: int
    successes: int
    dir_valid: Rate
    sr: Rate


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several limits or candidates; ``pass`` on none."""
    return max(verdicts, key=ORDER.index, default="pass")


def judged(clean: OnGiven, tools: Sequence[OfTool], limits: Limits) -> list[Judgement]:
    """Judgements, the inputs as given first; ``tools`` are those that are judged."""
    return [*_clean(clean, limits), *natural(tools, limits)]


def natural(tools: Sequence[OfTool], limits: Limits) -> Iterator[Judgement]:
    """The limits on natural changes.

    The share of valid changes is that of random sampling, which draws them as the space has them: a search finds
    changes for which the networks disagree, and how many of them says more about the search.
    """
    for tool in tools:
        if tool.samples and limits.max_dir is not None:
            figure = "disagreement on valid natural changes"
            yield judgement(
                "max_dir", figure, tool.title, tool.dir_valid, limits.max_dir, tool.searches, tool.successes, SAMPLED
            )
    for tool in tools:
        if limits.max_sr is not None:
            figure = SEARCHED
            each = SAMPLED if tool.samples else 1
            yield judgement("max_sr", figure, tool.title, tool.sr, limits.max_sr, tool.searches, tool.successes, each)


def _clean(clean: OnGiven, limits: Limits) -> Iterator[Judgement]:
    count = sum(one.original for one in clean.classes) if clean.inputs is None else clean.inputs
    if limits.max_disagreement is not None:
        yield judgement(
            "max_disagreement", GIVEN, None, clean.disagreement, limits.max_disagreement, count, clean.disagreeing
        )
    if limits.max_accuracy_drop is not None and clean.drop is not None:
        lost = clean.right_to_wrong or 0
        yield judgement(
            "max_accuracy_drop", f"drop in {clean.accuracy}", None, clean.drop, limits.max_accuracy_drop, count, lost
        )
    for one in clean.classes:
        if (lost_class := _lost(one, len(clean.classes))) is not None:
            yield lost_class


def judgement(
    limit: str, figure: str, tool: str | None, rate: Rate, allowed: float, count: int, events: int, each: float = 1
) -> Judgement:
    """A limit held against a figure.

    Args:
        limit: name of the limit.
        figure: what was measured, in words.
        tool: title of the tool, if it is a figure of one.
        rate: the figure and its interval.
        allowed: the limit.
        count: inputs, or seed inputs, that it rests on.
        events: those of them with a disagreement.
        each: seed inputs of the tool for each of ``--seeds``.
    """
    verdict: Verdict = "inconclusive"
    if rate.low is not None and rate.high is not None:
        if rate.low > allowed and events >= FEWEST:
            verdict = "fail"
        elif rate.high < allowed or allowed >= 1:
            verdict = "pass"
    unit = "inputs" if tool is None else "seed inputs"
    needed = _needed(rate, allowed, count) if verdict == "inconclusive" else None
    seeds = math.ceil(needed / each) if needed and tool else None
    what = {"pass": "kept", "fail": "exceeded", "inconclusive": f"not decided; {_more(needed, seeds, unit)}"}[verdict]
    of = f" ({tool})" if tool else ""
    text = f"{figure}{of}: {said(rate)}, {count:,} {unit}, limit {allowed:.2%}: {what}"
    return Judgement(limit, figure, tool, rate, allowed, verdict, count, needed, seeds, text)  # type: ignore[arg-type]


def at_least(
    limit: str, figure: str, tool: str | None, events: int, count: int, allowed: float, remedy: str
) -> Judgement:
    """A limit held against cases of which some alone were looked at: they may exceed it, and never keep it.

    Args:
        limit: name of the limit.
        figure: what was measured, in words.
        tool: title of the tool, if it is a figure of one.
        events: cases with a disagreement, of those that were looked at.
        count: all cases; others may have one too.
        allowed: the limit.
        remedy: what would decide.
    """
    share = events / count if count else 0.0
    low = clopper_pearson(share, count)[0] if count else 0.0
    verdict: Verdict = "fail" if low > allowed and events >= FEWEST else "inconclusive"
    what = "exceeded" if verdict == "fail" else f"not decided; {remedy}"
    unit, of = ("inputs", "") if tool is None else ("seed inputs", f" ({tool})")
    ends = f"95 % interval from {low:.2%}"
    text = f"{figure}{of}: at least {share:.2%} ({ends}), {count:,} {unit}, limit {allowed:.2%}: {what}"
    return Judgement(limit, figure, tool, Rate(share, low, None), allowed, verdict, count, None, None, text)  # type: ignore[arg-type]


def _more(needed: int | None, seeds: int | None, unit: str) -> str:
    if needed is None:
        return f"more {unit} may decide, but nobody can say how many"
    option = f" (--seeds {seeds})" if seeds else ""
    return f"about {needed:,} {unit}{option} would decide, if the figure stays"


def _lost(one: ClassFlips, classes: int) -> Judgement | None:
    """A class that most of its inputs lose, as far as chance over all classes allows to say so."""
    if one.flipped < FEWEST or not one.original:
        return None
    share = one.flipped / one.original
    low, high = clopper_pearson(share, one.original, tail=0.025 / classes)
    if low <= LOST:
        return None
    text = (
        f"class '{one.name}': {one.flipped} of the {one.original} inputs of this class, by the original, get another "
        f"class; the compressed network gives it to {one.compressed}: lost"
    )
    return Judgement(
        "lost_class", f"class '{one.name}'", None, Rate(share, low, high), LOST, "fail", one.original, None, None, text
    )


def _needed(rate: Rate, allowed: float, count: int) -> int | None:
    """About how many inputs would decide if the figure stays: the width of an interval falls with their root."""
    if rate.value is None or rate.low is None or rate.high is None or rate.value == allowed or not count:
        return None
    side = rate.high if rate.value < allowed else rate.low
    gap, reach = abs(allowed - rate.value), abs(side - rate.value)
    # Without any event the upper end falls as one over the number.
    more = int(np.ceil(count * (reach / gap) ** (1 if rate.value == 0 else 2)))
    needed = max(more, count + 1)
    # To a number that looks like the estimate that it is.
    digits = 10 ** max(0, len(str(needed)) - 2)
    rounded = -(-needed // digits) * digits
    return rounded if rounded <= MOST else None


def said(rate: Rate) -> str:
    """A rate and its interval, in percent."""
    if rate.value is None:
        return "not defined"
    if rate.low is None or rate.high is None:
        return f"{rate.value:.2%} (no interval from so few)"
    return f"{rate.value:.2%} (95 % interval {rate.low:.2%} to {rate.high:.2%})"


def sentence(name: str, judgements: Sequence[Judgement]) -> str:
    """The verdict on a candidate in one sentence, with the figure that decides."""
    verdict = worst(one.verdict for one in judgements)
    if not judgements:
        return f"{name}: {verdict}; no limit was given"
    decisive = [one for one in judgements if one.verdict == verdict]
    if verdict == "pass":
        nearest = max(decisive, key=_share_of_limit)
        return f"{name}: pass; every limit is kept, nearest {nearest.text}"
    more = f" (and {len(decisive) - 1} more)" if len(decisive) > 1 else ""
    return f"{name}: {verdict}; {decisive[0].text}{more}"


def _share_of_limit(one: Judgement) -> float:
    return (one.rate.high or 0.0) / max(one.allowed, 1e-9)
