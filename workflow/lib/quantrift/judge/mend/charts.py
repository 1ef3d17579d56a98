"""Figure of a mending: size and share of the work in 8 bits against disagreements, for each order."""

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from quantrift.core.page.style import COLOURS, FAINT, INK
from quantrift.judge.mend.mending import Mending, Point
from quantrift.judge.mend.mixed_search import LAW, OURS, SQNR
from quantrift.judge.verdict.charts import drawn

CURVE = "curve"
MENDED = "mended"
# Where two orders are the same, both lines are seen.
_LINES = {OURS: (COLOURS[0], "-"), SQNR: (COLOURS[5], "--"), LAW: (COLOURS[2], "-.")}


def curve(found: Mending, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``."""
    panels: Sequence[tuple[str, Callable[[Point], float]]] = (
        ("size of the file, kB", lambda one: one.size / 1000),
        ("multiply-accumulates in 8 bits, %", lambda one: 100 * one.int8_mac_share),
    )
    with drawn(stem, 3.6, (".svg", ".png")) as figure:
        for axis, (label, of) in zip(figure.subplots(1, 2, sharey=True), panels, strict=True):
            _drawn(axis, found, of)
            axis.set_xlabel(label)
            axis.set_ylim(bottom=0)
        figure.axes[0].set_ylabel("disagreement on selection inputs\nand natural changes, %")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)


def _drawn(axis: Axes, found: Mending, of: Callable[[Point], float]) -> None:
    for order in dict.fromkeys(one.order for one in found.curve if one.order != MENDED):
        points = [one for one in found.curve if one.order == order]
        x, y = [of(one) for one in points], [100 * (one.rate.value or 0) for one in points]
        colour, style = _LINES.get(order, (FAINT, "-"))
        # Random orders share one entry of the legend.
        axis.plot(
            x,
            y,
            style,
            marker="o",
            markersize=3,
            linewidth=1.5,
            color=colour,
            label=f"by {order}" if order in _LINES else "random orders" if order.endswith(" 1") else "_",
            zorder=3 if order in _LINES else 1,
        )
        if order == OURS:
            axis.vlines(
                x,
                [100 * (one.rate.low or 0) for one in points],
                [100 * (one.rate.high or 0) for one in points],
                color=colour,
                linewidth=0.8,
            )
    for one in found.curve:
        if one.order == MENDED:
            axis.plot(
                [of(one)], [100 * (one.rate.value or 0)], "*", markersize=12, color=COLOURS[2], label=MENDED, zorder=4
            )
    if found.limits.max_dir is not None:
        axis.axhline(100 * found.limits.max_dir, color=INK, linestyle="--", linewidth=1, label="limit on DiR")
