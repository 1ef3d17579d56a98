"""Whether a candidate passes: limits held against intervals, and what to tell the shell.

A candidate is ``above`` a limit only if the lower end of the 95 % interval exceeds it: then the data rule out that the
true rate keeps the limit. A figure above a limit that lies within its interval passes, and the line says so; more
inputs make the interval narrower.
"""

from collections.abc import Mapping, Sequence

from quantrift.assess.assessment import Limits, Verdict
from quantrift.assess.tool_result import Rate, ToolResult

EXIT: Mapping[Verdict, int] = {"pass": 0, "above": 1}
"""Verdict -> exit code; 2 is for what could not run."""


def judged(tools: Sequence[ToolResult], limits: Limits) -> tuple[Verdict, list[str]]:
    """Verdict on a candidate, and one line for each limit and judged tool."""
    verdict: Verdict = "pass"
    reasons = []
    for tool in tools:
        if not tool.judged:
            continue
        for name, rate, limit in (("DiR", tool.dir, limits.max_dir), ("SR", tool.sr, limits.max_sr)):
            if limit is None or rate.value is None or rate.low is None:
                continue
            exceeds = rate.low > limit
            reasons.append(f"{tool.title}: {name} {said(rate)}, limit {limit:.2%}: {_what(rate.value, limit, exceeds)}")
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
    worst = _worst(tools, limits)
    if worst is None:
        return f"{name}: {verdict}; no limit was given"
    title, metric, rate, limit = worst
    how = "exceeds" if verdict == "above" else "does not exceed"
    return f"{name}: {verdict}; {metric} of {title} is {said(rate)}, whose lower end {how} the limit of {limit:.2%}"


def _worst(tools: Sequence[ToolResult], limits: Limits) -> tuple[str, str, Rate, float] | None:
    """The judged figure whose lower end is largest as a share of its limit; the figure itself decides on ties."""
    found: list[tuple[tuple[float, float], tuple[str, str, Rate, float]]] = []
    for tool in tools:
        for metric, rate, limit in (("DiR", tool.dir, limits.max_dir), ("SR", tool.sr, limits.max_sr)):
            if tool.judged and limit is not None and rate.value is not None and rate.low is not None:
                # A limit of 0 is one as well.
                size = max(limit, 1e-9)
                found.append(((rate.low / size, rate.value / size), (tool.title, metric, rate, limit)))
    return max(found, key=lambda one: one[0])[1] if found else None
