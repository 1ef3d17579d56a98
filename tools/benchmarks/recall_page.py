"""The section of docs/certifying.md on recall against the truth, from results/bench/recall.json.

``python -m tools.benchmarks.recall_page``, in a checkout in which ``python -m tools.bench recall`` has run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.benchmarks.measured_rows import measured
from tools.documents.marked_section import Section

PAGE = Path("docs") / "certifying.md"
BEGIN = "<!-- python -m tools.bench recall writes from here -->"
Row = Mapping[str, Any]


def text(rows: Sequence[Row]) -> str:
    """Two tables: inputs certified in each neighbourhood, and the recall of each tool at each number of queries."""
    lines = [
        "| pair | neighbourhood | members | certified | 95 % interval | CPU s an input |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['pair']} | `{row['neighbourhood']}` | {row['members']:,} | {row['certified']:.1%} of {row['inputs']} "
        f"| {_interval(row['certified_interval'])} | {row['seconds']:.3f} |"
        for row in rows
        if "tool" not in row
    ]
    of_tools = [row for row in rows if "tool" in row]
    queries = sorted({row["queries"] for row in of_tools})
    heads = [*(f"recall, {number} queries" for number in queries), f"of all disagreeing images, {queries[-1]}"]
    lines += [
        "",
        f"| pair | neighbourhood | inputs with a disagreement | tool | {' | '.join(heads)} |",
        f"|---|---|---|---|{'---|' * len(heads)}",
    ]
    for row in of_tools:
        if row["queries"] != queries[-1]:
            continue
        own = [one for one in of_tools if (one["pair"], one["tool"]) == (row["pair"], row["tool"])]
        cells = [f"{_share(one['recall'])} ({_interval(one['recall_interval'])})" for one in own]
        holding = f"{row['with_disagreement']} of {row['inputs']}"
        lines.append(
            f"| {row['pair']} | `{row['neighbourhood']}` | {holding} | {row['title']} | {' | '.join(cells)} | "
            f"{_share(row['recall_inputs'])} |"
        )
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def _interval(ends: Sequence[float] | None) -> str:
    return "none" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %"


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(text(measured(Path.cwd(), "recall")))
