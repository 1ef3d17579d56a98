"""Verdict on a candidate: limits held against intervals.

A limit is kept if the upper end of the 95 % interval lies below it, exceeded if the lower end lies above it, and
otherwise the data do not decide. A candidate passes if it keeps every limit and fails if it exceeds one.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from quantrift.core.pairs.channels import Dead
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.judge.verdict.assessment import ClassFlips, Judgement, Limits, Verdict
from quantrift.judge.verdict.more_inputs import (
    FEWEST,
    UNKNOWN,
    WITHOUT,
    Needed,
    fewest_without,
    needed,
    needed_clusters,
    of_drop,
    of_searches,
)
from quantrift.judge.verdict.profiles import SAMPLED
from quantrift.judge.verdict.tool_result import Rate

ORDER: Sequence[Verdict] = ("pass", "inconclusive", "fail")
SEARCHED = "seed inputs that natural changes lead to a disagreement"
"""Figure of the limit on searches."""
GIVEN = "disagreement on the inputs as given"
LOST = 0.5
"""A class is lost if more than this share of its inputs gets another label."""
MOVED = 20
"""Fewest inputs on which the original moves a channel that show it to be dead in the compressed network."""
NAMED = 5
"""Most channels of an output that a line names."""


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
    dead: Sequence[Dead] = ()
    """Channels of outputs that the original alone moves."""


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
                "max_dir",
                figure,
                tool.title,
                tool.dir_valid,
                limits.max_dir,
                tool.searches,
                tool.successes,
                SAMPLED,
                needed_clusters,
            )
    for tool in tools:
        if limits.max_sr is not None:
            figure = SEARCHED
            each = SAMPLED if tool.samples else 1
            yield judgement(
                "max_sr",
                figure,
                tool.title,
                tool.sr,
                limits.max_sr,
                tool.searches,
                tool.successes,
                each,
                partial(needed, ends=of_searches),
            )


def _clean(clean: OnGiven, limits: Limits) -> Iterator[Judgement]:
    count = sum(one.original for one in clean.classes) if clean.inputs is None else clean.inputs
    if limits.max_disagreement is not None:
        yield judgement(
            "max_disagreement", GIVEN, None, clean.disagreement, limits.max_disagreement, count, clean.disagreeing
        )
    if limits.max_accuracy_drop is not None and clean.drop is not None:
        lost = clean.right_to_wrong or 0
        ends = of_drop(lost / count - (clean.drop.value or 0.0)) if count else of_drop(0.0)
        yield judgement(
            "max_accuracy_drop",
            f"drop in {clean.accuracy}",
            None,
            clean.drop,
            limits.max_accuracy_drop,
            count,
            lost,
            need=partial(needed, ends=ends),
        )
    lost_classes = {one.name: found for one in clean.classes if (found := _lost(one, len(clean.classes))) is not None}
    yield from lost_classes.values()
    # A class that is lost is not judged again by its logit.
    yield from _dead([one for one in clean.dead if one.moved >= MOVED and one.channel not in lost_classes])


def judgement(
    limit: str,
    figure: str,
    tool: str | None,
    rate: Rate,
    allowed: float,
    count: int,
    events: int,
    each: float = 1,
    need: Callable[[Rate, float, int], Needed] = needed,
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
        need: how many would decide.
    """
    verdict: Verdict = "inconclusive"
    if rate.low is not None and rate.high is not None:
        if rate.low > allowed and events >= FEWEST:
            verdict = "fail"
        elif rate.high < allowed or allowed >= 1:
            verdict = "pass"
    unit = "inputs" if tool is None else "seed inputs"
    wanted = need(rate, allowed, count) if verdict == "inconclusive" else UNKNOWN
    # To numbers that look like the estimates that they are.
    least = wanted.least and max(count + 1, wanted.least // (digits := _digits(wanted.least)) * digits)
    most = wanted.most and -(-wanted.most // (digits := _digits(wanted.most))) * digits
    seeds = [None if one is None or tool is None else math.ceil(one / each) for one in (least, most)]
    more = _more(least, most, unit) + (f" (--seeds {between(*seeds)})".replace(",", "") if seeds[1] else "")
    what = {"pass": "kept", "fail": "exceeded", "inconclusive": f"not decided; {more}"}[verdict]
    of = f" ({tool})" if tool else ""
    text = f"{figure}{of}: {said(rate)}, {count:,} {unit}, limit {allowed:.2%}: {what}"
    return Judgement(limit, figure, tool, rate, allowed, verdict, count, most, seeds[1], text, least)  # type: ignore[arg-type]


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


def _digits(number: int) -> int:
    """Power of ten to which a number is rounded: it keeps two digits."""
    return 10 ** max(0, len(str(number)) - 2)


def _more(least: int | None, most: int | None, unit: str) -> str:
    if most is not None:
        return f"about {between(least, most)} {unit} would decide"
    fewer = f", but fewer than {least:,} hardly would" if least is not None else ""
    return f"how many {unit} would decide cannot be said{fewer}"


def between(least: int | None, most: int | None) -> str:
    """A range of numbers; files of earlier versions state one alone."""
    return f"{most:,}" if least is None or least == most else f"{least:,} to {most:,}"


def too_few(one: Judgement) -> str:
    """Line on a limit that is not shown to be kept, from its judgement where nothing disagrees."""
    unit = "inputs" if one.tool is None else "seed inputs"
    least = fewest_without(one.allowed, WITHOUT[one.limit])
    more = "no number is enough" if least is None else f"at least {least:,} are needed"
    of = f" ({one.tool})" if one.tool else ""
    return (
        f"{one.count:,} {unit} are too few to show that a limit is kept, even without any disagreement: {more} for "
        f"{one.figure}{of}, limit {one.allowed:.2%}"
    )


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


def _dead(found: Sequence[Dead]) -> Iterator[Judgement]:
    """Outputs of which some channels are dead."""
    for output, group in groupby(found, lambda one: one.output):
        channels = list(group)
        most = max(channels, key=lambda one: one.moved)
        rate, allowed = Rate(most.moved / most.inputs, None, None), (MOVED - 1) / most.inputs
        text = f"{_still(output, channels)}: dead"
        yield Judgement("dead_output", f"output '{output}'", None, rate, allowed, "fail", most.inputs, None, None, text)


def unknown(found: Sequence[Dead]) -> Iterator[str]:
    """Lines on outputs of which some channels may be dead, as the original moves them on too few inputs to tell."""
    for output, group in groupby((one for one in found if one.moved < MOVED), lambda one: one.output):
        yield f"{_still(output, list(group))}, and {MOVED} inputs would tell: unknown whether it is dead"


def _still(output: str, found: Sequence[Dead]) -> str:
    names, moved = [one.channel for one in found], [one.moved for one in found]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    channels = f"channel{'s' if len(names) > 1 else ''} {', '.join(names[:NAMED])}{more}"
    on = f"{min(moved)}" if min(moved) == max(moved) else f"{min(moved)} to {max(moved)}"
    return (
        f"output '{output}': the compressed network never moves {channels} on {found[0].inputs:,} inputs; the original "
        f"moves by more than {max(one.step for one in found):.2g} on {on} of them"
    )


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
