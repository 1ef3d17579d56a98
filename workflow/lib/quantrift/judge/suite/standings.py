"""Tables of a suite: a row for each tool on each pair, with intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quantrift.core.base.files import write_json
from quantrift.core.page import markdown
from quantrift.core.page.number_format import percent
from quantrift.judge.verdict.tool_result import Rate, ToolResult


@dataclass(frozen=True)
class Standing:
    """Outcome of a tool on a pair."""

    pair: str
    comparison: str
    tool: str
    outside: bool
    """Whether it is the tool that joined."""
    result: ToolResult
    sha256: Mapping[str, str]
    """Digests of ``original``, ``compressed`` and ``inputs``, as they were run."""


def table(rows: Sequence[Standing]) -> str:
    """Markdown of the rows of one pair, in their order; the tool that joined in bold."""
    return markdown.table(
        [
            "tool",
            "seed inputs with a disagreement %",
            "valid changes that disagree %",
            "evaluations to the first",
            "processor seconds",
            "SHA-256 of original, compressed, inputs",
        ],
        (
            [
                f"**{found.title}**" if row.outside else found.title,
                _rate(found.sr),
                _rate(found.dir_valid),
                _queries(found),
                f"{found.seconds:.1f}",
                ", ".join(one[:12] for one in row.sha256.values()),
            ]
            for row, found in ((row, row.result) for row in rows)
        ),
    )


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "not defined"
    if rate.low is None or rate.high is None:
        return f"{percent(rate.value)} (no interval from so few)"
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"


def _queries(found: ToolResult) -> str:
    """Median over seed inputs, where searches end with their first disagreement."""
    if found.queries is None or not found.first_attack:
        return "not defined" if found.first_attack else "not counted"
    low, high = found.queries.low, found.queries.high
    reach = "" if low is None or high is None else f" ({low:,.0f} to {high:,.0f})"
    return f"{found.queries.median:,.0f}{reach}"


def written(rows: Iterable[Standing], path: Path) -> None:
    """Write the rows to a .json file: rates as fractions with the ends of their 95 % intervals."""
    write_json(path, [_entry(row) for row in rows])


def _entry(row: Standing) -> dict[str, Any]:
    found = asdict(row.result)
    named = ("title", "searches", "successes", "evaluations", "valid", "dii", "seconds", "sr", "dir_valid", "vr")
    return {
        **{name: getattr(row, name) for name in ("pair", "comparison", "tool", "outside")},
        "sha256": dict(row.sha256),
        **{name: found[name] for name in (*named, "queries")},
    }
