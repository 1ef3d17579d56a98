"""Verdict on a candidate: limits held against intervals.

A limit is kept if the upper end of the 95 % interval lies below it, exceeded if the lower end lies above it, and
otherwise the data do not decide. A candidate passes if it keeps every limit and fails if it exceeds one.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from quantrift.core.pairs.channels import Dead
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.judge.verdict.assessment import ClassFlips, Clean, Judgement, Limits, Verdict
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
from quantrift.judge.verdict.tool_result import Rate, ToolResult

ORDER: Sequence[Verdict] = ("pass", "inconclusive", "fail")
SEARCHED = "seed inputs that natural changes lead to a disagreement"
"""Figure of the limit on searches."""
GIVEN = "disagreement on the inputs as given"
UNITS = ("inputs", "seed inputs")
"""Cases of a figure on the inputs as given, and of that of a tool."""
LOST = 0.5
"""A class is lost if more than this share of its inputs gets another label."""
MOVED = 20
"""Fewest inputs on which the original moves a channel that show it to be dead in the compressed network."""
NAMED = 5
"""Most channels of an output that a line names."""


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


def judged(
    clean: Clean,
    inputs: int,
    tools: Sequence[OfTool | ToolResult],
    limits: Limits,
    accuracy: str = "accuracy",
    dead: Sequence[Dead] = (),
) -> list[Judgement]:
    """Judgements, the inputs as given first.

    Args:
        clean: both networks on the inputs as given.
        inputs: number of these.
        tools: those that are judged.
        limits: to be held.
        accuracy: name of the share of the inputs on which a network is right.
        dead: channels of outputs that the original alone moves.
    """
    lost = {one.name: found for one in clean.classes if (found := _lost(one, len(clean.classes)))}
    # A class that is lost is not judged again by its logit.
    still = [one for one in dead if one.moved >= MOVED and one.channel not in lost]
    return [*_clean(clean, inputs, limits, accuracy), *lost.values(), *_dead(still), *natural(tools, limits)]


def natural(tools: Sequence[OfTool | ToolResult], limits: Limits) -> Iterator[Judgement]:
    """The limits on natural changes.

    The share of valid changes is that of random sampling, which draws them as the space has them: a search finds
    changes for which the networks disagree, and how many of them says more about the search.
    """
    for tool in tools:
        if tool.samples and (allowed := limits.max_dir) is not None:
            yield judgement(
                "max_dir",
                "disagreement on valid natural changes",
                tool.dir_valid,
                allowed,
                tool.searches,
                tool.successes,
                tool,
                needed_clusters,
            )
    for tool in tools:
        if (allowed := limits.max_sr) is not None:
            yield judgement(
                "max_sr",
                SEARCHED,
                tool.sr,
                allowed,
                tool.searches,
                tool.successes,
                tool,
                partial(needed, ends=of_searches),
            )


def _clean(clean: Clean, count: int, limits: Limits, accuracy: str) -> Iterator[Judgement]:
    if (allowed := limits.max_disagreement) is not None:
        yield judgement("max_disagreement", GIVEN, clean.disagreement, allowed, count, clean.disagreeing)
    if (allowed := limits.max_accuracy_drop) is not None and clean.drop is not None:
        lost = clean.right_to_wrong or 0
        yield judgement(
            "max_accuracy_drop",
            f"drop in {accuracy}",
            clean.drop,
            allowed,
            count,
            lost,
            need=partial(needed, ends=partial(of_drop, gained=lost / count - (clean.drop.value or 0.0))),
        )


def judgement(
    limit: str,
    figure: str,
    rate: Rate,
    allowed: float,
    count: int,
    events: int,
    tool: OfTool | ToolResult | None = None,
    need: Callable[[Rate, float, int], Needed] = needed,
) -> Judgement:
    """A limit held against a figure.

    Args:
        limit: name of the limit.
        figure: what was measured, in words.
        rate: the figure and its interval.
        allowed: the limit.
        count: inputs, or seed inputs, that it rests on.
        events: those of them with a disagreement.
        tool: whose figure it is, if it is that of one.
        need: how many would decide.
    """
    verdict: Verdict = "inconclusive"
    if rate.low is not None and rate.high is not None:
        kept = rate.high < allowed or allowed >= 1
        verdict = "fail" if rate.low > allowed and events >= FEWEST else "pass" if kept else "inconclusive"
    least, most = need(rate, allowed, count) if verdict == "inconclusive" else UNKNOWN
    # To numbers that look like the estimates that they are.
    least = least and max(count + 1, least // (digits := _digits(least)) * digits)
    most = most and -(-most // (digits := _digits(most))) * digits
    # Seed inputs of the tool for each of ``--seeds``.
    each = SAMPLED if tool is not None and tool.samples else 1
    seeds = [None if one is None or tool is None else math.ceil(one / each) for one in (least, most)]
    more = _more(least, most, UNITS[tool is not None])
    more += f" (--seeds {between(*seeds)})".replace(",", "") if seeds[1] else ""
    title = None if tool is None else tool.title
    found = Judgement(limit, figure, title, rate, allowed, verdict, count, most, seeds[1], "", least)  # type: ignore[arg-type]
    return _with_text(found, said(rate), more)


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
    rate = Rate(share, low, None)
    found = Judgement(limit, figure, tool, rate, allowed, verdict, count, None, None, "")  # type: ignore[arg-type]
    return _with_text(found, f"at least {100 * share:.2f} % (95 % interval from {100 * low:.2f} %)", remedy)


def _with_text(one: Judgement, share: str, more: str) -> Judgement:
    """A judgement on one line: ``share`` states its rate, ``more`` what would decide."""
    what = {"pass": "kept", "fail": "exceeded", "inconclusive": f"not decided; {more}"}[one.verdict]
    unit = UNITS[one.tool is not None]
    return replace(one, text=f"{named(one)}: {share}, {one.count:,} {unit}, limit {100 * one.allowed:.2f} %: {what}")


def named(one: Judgement) -> str:
    """Figure of a judgement, with its tool."""
    return one.figure if one.tool is None else f"{one.figure} ({one.tool})"


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
    least = fewest_without(one.allowed, WITHOUT[one.limit])
    more = "no number is enough" if least is None else f"at least {least:,} are needed"
    return (
        f"{one.count:,} {UNITS[one.tool is not None]} are too few to show that a limit is kept, even without any "
        f"disagreement: {more} for {named(one)}, limit {100 * one.allowed:.2f} %"
    )


def _lost(one: ClassFlips, classes: int) -> Judgement | None:
    """A class that most of its inputs lose, as far as chance over all classes allows to say so."""
    if one.flipped < FEWEST or not one.original:
        return None
    share = one.flipped / one.original
    low, high = clopper_pearson(share, one.original, tail=0.025 / classes)
    text = (
        f"class '{one.name}': {one.flipped} of the {one.original} inputs of this class, by the original, get another "
        f"class; the compressed network gives it to {one.compressed}: lost"
    )
    found = Judgement(
        "lost_class", f"class '{one.name}'", None, Rate(share, low, high), LOST, "fail", one.original, None, None, text
    )
    return found if low > LOST else None


def _dead(found: Sequence[Dead]) -> Iterator[Judgement]:
    """Outputs of which some channels are dead."""
    for output, group in groupby(found, lambda one: one.output):
        channels = list(group)
        most = max(channels, key=lambda one: one.moved)
        rate, allowed = Rate(most.moved / most.inputs, None, None), (MOVED - 1) / most.inputs
        yield Judgement(
            "dead_output",
            f"output '{output}'",
            None,
            rate,
            allowed,
            "fail",
            most.inputs,
            None,
            None,
            f"{_still(output, channels)}: dead",
        )


def unknown(found: Sequence[Dead]) -> Iterator[str]:
    """Lines on outputs of which some channels may be dead, as the original moves them on too few inputs to tell."""
    for output, group in groupby((one for one in found if one.moved < MOVED), lambda one: one.output):
        yield f"{_still(output, list(group))}, and {MOVED} inputs would tell: unknown whether it is dead"


def _still(output: str, found: Sequence[Dead]) -> str:
    moved = [one.moved for one in found]
    channels = ", ".join(one.channel for one in found[:NAMED])
    channels += f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return (
        f"output '{output}': the compressed network never moves channel{'s' if len(found) > 1 else ''} {channels} on "
        f"{found[0].inputs:,} inputs; the original moves by more than {max(one.step for one in found):.2g} on "
        f"{between(min(moved), max(moved)).replace(',', '')} of them"
    )


def said(rate: Rate) -> str:
    """A rate and its interval, in percent."""
    if rate.value is None:
        return "not defined"
    if rate.low is None or rate.high is None:
        return f"{100 * rate.value:.2f} % (no interval from so few)"
    return f"{100 * rate.value:.2f} % (95 % interval {100 * rate.low:.2f} to {100 * rate.high:.2f} %)"


def sentence(name: str, judgements: Sequence[Judgement]) -> str:
    """The verdict on a candidate in one sentence, with the figure that decides."""
    verdict = worst(one.verdict for one in judgements)
    if not judgements:
        return f"{name}: {verdict}; no limit was given"
    decisive = [one for one in judgements if one.verdict == verdict]
    if verdict == "pass":
        nearest = max(decisive, key=lambda one: (one.rate.high or 0.0) / max(one.allowed, 1e-9))
        return f"{name}: pass; every limit is kept, nearest {nearest.text}"
    more = f" (and {len(decisive) - 1} more)" if len(decisive) > 1 else ""
    return f"{name}: {verdict}; {decisive[0].text}{more}"
