"""The section of docs/cluster.md on the growth of costs and its figure, from results/bench/growth.json.

``python -m tools.benchmarks.growth_page``, in a checkout in which ``python -m tools.bench growth`` has run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.benchmarks.measured_rows import measured
from tools.documents.marked_section import Section

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS, FAINT, STYLE, save

PAGE = Path("docs") / "cluster.md"
FIGURE = Path("docs") / "images" / "growth"
BEGIN = "<!-- python -m tools.bench growth writes from here -->"
TITLES = {
    "searches": "searches of 10 candidates",
    "candidates": "candidates of 10 searches",
    "genes": "genes of a candidate",
    "jobs": "jobs of a dry run",
}
Row = Mapping[str, Any]


def table(rows: Sequence[Row]) -> str:
    """Costs of each line at its first and last point, and of one more at the end."""
    lines = ["| of | from | to | processor seconds | one more, at the end | memory |", "|---|---|---|---|---|---|"]
    for name, title in TITLES.items():
        own = [row for row in rows if row["line"] == name]
        first, *_, before, last = own
        each = (last["processor_seconds"] - before["processor_seconds"]) / (last["number"] - before["number"])
        memory = "" if last["mb"] is None else f"{first['mb']:.0f} to {last['mb']:.0f} MB"
        spent = f"{first['processor_seconds']:.2g} to {last['processor_seconds']:.3g}"
        lines.append(f"| {title} | {first['number']:,} | {last['number']:,} | {spent} | {_short(each)} | {memory} |")
    return "\n".join(lines)


def _short(seconds: float) -> str:
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit = next((name for name, size in units.items() if seconds >= size), "ns")
    return f"{seconds / units[unit]:.2g} {unit}"


def figure(rows: Sequence[Row]) -> mpl.Figure:
    """A panel for each line on logarithmic axes; a straight line goes through its last point."""
    drawn = mpl.Figure(figsize=(10, 2.6), layout="constrained")
    for (name, title), axes in zip(TITLES.items(), drawn.subplots(1, len(TITLES)), strict=True):
        own = [row for row in rows if row["line"] == name]
        numbers, seconds = ([row[key] for row in own] for key in ("number", "processor_seconds"))
        straight = [seconds[-1] * number / numbers[-1] for number in numbers]
        axes.loglog(numbers, straight, color=FAINT, linestyle="--", label="in proportion")
        axes.loglog(numbers, seconds, color=COLOURS[0], marker="o", markersize=4, label="measured")
        axes.set_xlabel(title)
    drawn.axes[0].set_ylabel("processor seconds")
    drawn.axes[0].legend(fontsize=8)
    return drawn


if __name__ == "__main__":
    found = measured(Path.cwd(), "growth")
    Section(PAGE, BEGIN).write(table(found))
    with mpl.rc_context(STYLE):
        save(figure(found), FIGURE, forms=(".svg",))
