"""How all figures look and how they are saved: colour-blind safe, deterministic."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quantrift.config.files import replacing

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Palette of Okabe and Ito (2008), told apart with every common colour vision; yellow last, it is weak on white."""

INK = "#222222"
"""Text, axes, outlines."""
FAINT = "#BBBBBB"
"""Grid lines."""

STYLE: dict[Any, Any] = {
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    # Text stays text in SVG: searchable, readable by screen readers, small.
    "svg.fonttype": "none",
    # Element ids otherwise differ from run to run.
    "svg.hashsalt": "quantrift",
}
"""Matplotlib settings; apply them with ``matplotlib.rc_context(STYLE)`` around drawing and saving."""


UNDATED = {".svg": {"Date": None}, ".png": {"Software": None}}
"""Form of a figure -> what keeps its date out of the file."""


def save_words(words: str, title: str, stem: Path) -> None:
    """Write a figure that says why there is nothing to draw."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 1.3), layout="constrained")
        figure.suptitle(title, fontsize=10)
        figure.text(0.5, 0.2, words, ha="center")
        save(figure, stem)


def save(figure: Figure, stem: Path, forms: Sequence[str] = tuple(UNDATED)) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``, without dates, so that equal figures are equal files."""
    FigureCanvasAgg(figure)
    for suffix, metadata in ((form, UNDATED[form]) for form in forms):
        with replacing(stem.with_name(stem.name + suffix)) as temporary:
            figure.savefig(temporary, metadata=metadata)
