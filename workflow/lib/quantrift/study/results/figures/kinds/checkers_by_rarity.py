"""Faults that act on few inputs: which checkers catch them, from which share of the inputs on."""

from __future__ import annotations

import numpy as np

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import INK, in_words
from quantrift.core.statistics.checker_figures import ALLOWED, read_all, summaries
from quantrift.study.results.tables.kinds.checkers import needs as needs
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import Target


class Settings(Target):
    """A row for each checker, a column for each share of the inputs that a fault acts on."""


def make(settings: Settings, given: Given) -> mpl.Figure:
    """Cells have the share of the faulty pairs that a checker catches, with its interval; most caught stand above.

    Raises:
        QuantriftError: there is no pair.
    """
    rows, checkers = read_all(given.one("checked").values())
    found = [one for one in summaries(rows, checkers) if one.rare]
    if not found:
        return in_words("No fault acts on a share of the inputs alone, or no checker was run.", settings.title)
    found.sort(key=lambda one: (-sum(share.hits for share in one.rare.values()), one.name))
    strengths = list(found[0].rare)
    values = np.array([[one.rare[strength].value for strength in strengths] for one in found], np.float64)
    figure = mpl.Figure(figsize=(7.5, 1.6 + 0.3 * len(found)), layout="constrained")
    axes = figure.subplots()
    axes.imshow(values, cmap="Blues", vmin=0, vmax=1.3, aspect="auto", interpolation="none")
    for row, one in enumerate(found):
        for column, strength in enumerate(strengths):
            axes.text(column, row, str(one.rare[strength]), ha="center", va="center", fontsize=8, color=INK)
    axes.set_yticks(range(len(found)), [one.title for one in found])
    axes.set_xticks(range(len(strengths)), [f"{100 * strength:g} %" for strength in strengths])
    axes.set_xlabel(
        f"inputs that the fault acts on; caught (%) where at most {100 * ALLOWED:.0f} % of good pairs alarm"
    )
    axes.grid(visible=False)
    pairs = next(iter(found[0].rare.values())).of
    figure.suptitle(f"{settings.title}\n{pairs} pairs for each share; scale: {given.scale}", fontsize=10)
    return figure
