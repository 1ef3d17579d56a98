"""Whether a candidate passes: limits held against intervals, and what to tell the shell.

A candidate is ``above`` a limit only if the lower end of the 95 % interval exceeds it: then the data rule out that the
true rate keeps the limit. A figure above a limit that lies within its interval passes, and the line says so; more
inputs make the interval narrower.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quantrift.assess.assessment import Limits, Verdict
from quantrift.assess.tool_result import Rate, ToolResult

EXIT: Mapping[Verdict, int] = {"pass": 0, "above": 1}
"""Verdict -> exit code; 2 is for what could not run."""


@dataclass(frozen=True)
class _Held:
    """A rate of a judged tool that a limit is held against."""

    title: str
    metric: str
    rate: Rate
    value: float
    low: float
    limit: float


def _held(tools: Sequence[ToolResult], limits: Limits) -> Iterator[_Held]:
    """What limits are held against: defined rates of judged tools."""
    for tool in tools:
        for metric, rate, limit in (("DiR", tool.dir, limits.max_dir), ("SR", tool.sr, limits.max_sr)):
            if tool.judged and limit is not None and rate.value is not None and rate.low is not None:
                yield _Held(tool.title, metric, rate, rate.value, rate.low, limit)


def judged(tools: Sequence[ToolResult], limits: Limits) -> tuple[Verdict, list[str]]:
    """Verdict on a candidate, and one line for each limit and judged tool."""
    verdict: Verdict = "pass"
    reasons = []
    for one in _held(tools, limits):
        exceeds = one.low > one.limit
        what = _what(one.value, one.limit, exceeds)
        reasons.append(f"{one.title}: {one.metric} {said(one.rate)}, limit {one.limit:.2%}: {what}")
        if exceeds:
            verdict = "above"
    return verdict, reasons


def said(rate: Rate) -> str:
    """A rate with its interval, in percent."""
    if rate.value is None:
        return "not defined"
    if rate.low is None or rate.high is None:
        return f"{rate.value:.2%}"
    return f"{rate.value:.2%} (95 % interval {rate.low:.2%} to {rate.high:.2%})"


def _what(value: float, limit: float, exceeds: bool) -> str:
    if exceeds:
        return "above, even the lower end of the interval exceeds it"
    if value > limit:
        return "not shown to be above, as the lower end of the interval does not exceed it; more inputs decide"
    return "kept"


def sentence(name: str, verdict: Verdict, tools: Sequence[ToolResult], limits: Limits) -> str:
    """The verdict on a candidate in one sentence, with the figure that decides."""
    held = list(_held(tools, limits))
    if not held:
        return f"{name}: {verdict}; no limit was given"
    worst = max(held, key=_share_of_limit)
    how = "exceeds" if verdict == "above" else "does not exceed"
    figure = f"{worst.metric} of {worst.title} is {said(worst.rate)}"
    return f"{name}: {verdict}; {figure}, whose lower end {how} the limit of {worst.limit:.2%}"


def _share_of_limit(one: _Held) -> tuple[float, float]:
    """The lower end as a share of the limit; the figure itself decides on ties. A limit of 0 is one as well."""
    size = max(one.limit, 1e-9)
    return one.low / size, one.value / size
