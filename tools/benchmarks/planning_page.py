"""The section of docs/cluster.md on plans of rates that are held out, from results/bench/plan.json.

``python -m tools.benchmarks.planning_page``, in a checkout in which ``python -m tools.bench plan`` has run after
``config/rates.csv`` changed.
"""

from collections.abc import Mapping
from pathlib import Path

from tools.benchmarks.measured_rows import result
from tools.documents.marked_section import Section

PAGE = Path("docs") / "cluster.md"
BEGIN = "<!-- python -m tools.bench plan writes from here -->"
HELD_OUT = {
    "rate": "nothing",
    "tool": "all of its tool",
    "model": "all of its network",
    "dataset": "all of its data",
}
"""Prefix of figures -> rates that are held out with one, in words."""


def text(details: Mapping[str, float]) -> str:
    """Shares of rates within a factor of 2 and, for each way to hold out, within their ranges.

    Args:
        details: those of the benchmark.
    """
    of_kind, planned = (
        f"{details[f'{one}_within_two']:.0%} of {count}{details[f'{one}_rates']:,.0f}"
        for one, count in (("of_kind", ""), ("planned", "all "))
    )
    lines = [
        f"* Within a factor of 2: {of_kind} rates whose kind has others, {planned}, those included that only the most "
        "similar jobs can tell.",
        "* Within their ranges:",
        "",
        "| held out with the rate | rates | within the range | factor of the range each way, median |",
        "|---|---|---|---|",
    ]
    for prefix, title in HELD_OUT.items():
        rates, inside, factor = (details[f"{prefix}_{one}"] for one in ("rates", "inside", "factor"))
        lines.append(f"| {title} | {rates:,.0f} | {inside:.0%} | {factor:.2g} |")
    return "\n".join(lines)


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(text(result(Path.cwd(), "plan")["details"]))
