"""Style of all figures and how they are saved: colour-blind safe, deterministic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.files import replacing
from quantrift.core.page import drawing as mpl

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
    # mpl.Text stays text in SVG: searchable, readable by screen readers, small.
    "svg.fonttype": "none",
    # Element ids otherwise differ from run to run.
    "svg.hashsalt": "quantrift",
}
"""Matplotlib settings; apply them with ``matplotlib.rc_context(STYLE)`` around drawing and saving."""


UNDATED = {".svg": {"Date": None}, ".png": {"Software": None}}
"""Format of a figure -> metadata that keep its date out of the file."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML allows in no form."""
_CLIP = re.compile(r'(?<=<clipPath id=")p[0-9a-f]{10}(?=")|(?<=clip-path="url\(#)p[0-9a-f]{10}(?=\)")')
"""Names of clip paths, at definition and use."""


def in_words(words: str, title: str) -> mpl.Figure:
    """A figure with the reason why there is nothing to draw."""
    figure = mpl.Figure(figsize=(6, 1.3), layout="constrained")
    figure.suptitle(title, fontsize=10)
    figure.text(0.5, 0.2, words, ha="center")
    return figure


def save(figure: mpl.Figure, stem: Path, forms: Sequence[str] = tuple(UNDATED)) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``, without dates, so that equal figures are equal files.

    Titles, names of tools, classes and layers are drawn as they are, whatever characters they hold: a dollar sign
    begins no formula, and an SVG has a replacement character for each that XML does not allow.
    """
    mpl.FigureCanvasAgg(figure)
    _take_literally(figure)
    for suffix in forms:
        with replacing(stem.with_name(stem.name + suffix)) as temporary:
            figure.savefig(temporary, metadata=UNDATED[suffix])
            if suffix == ".svg":
                drawn = _NO_XML.sub("\ufffd", temporary.read_text(encoding="utf-8"))
                temporary.write_text(_numbered(drawn), encoding="utf-8")


def _numbered(drawn: str) -> str:
    """An SVG whose clip paths are numbered in the order of their use.

    matplotlib names them after the exact bounds of axes, and the last bits of a constrained layout may change from one
    process to the next, far below what is drawn.
    """
    numbers: dict[str, str] = {}
    return _CLIP.sub(lambda found: numbers.setdefault(found[0], f"clip{len(numbers)}"), drawn)


def _take_literally(figure: mpl.Figure) -> None:
    """Let no text be read as a formula but the powers of ten that matplotlib writes along logarithmic axes.

    The setting ``text.parse_math`` would take these for plain text too: they are made by the same class.
    """
    logarithmic = [
        axis for axis in figure.findobj(mpl.Axis) if isinstance(axis.get_major_formatter(), mpl.LogFormatter)
    ]
    powers = {label for axis in logarithmic for label in axis.findobj(mpl.Text) if label is not axis.label}
    for text in figure.findobj(mpl.Text):
        if text not in powers:
            text.set_parse_math(False)
