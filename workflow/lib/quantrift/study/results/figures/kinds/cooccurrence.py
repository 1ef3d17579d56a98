"""Odds ratios of two distortions being on together, a panel for each subject and tool."""

from __future__ import annotations

import numpy as np

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import FAINT, INK
from quantrift.core.statistics.odds import DII, OTHER, Activation, log_odds_of_pairs, read
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.figures.finished_figure import finished, in_rows
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PairTarget


class Settings(PairTarget):
    """Which distortions are switched on together, a panel a subject and tool."""


needs = asks(records=Results.records)
mistakes = protocol_checks.others_are_stored


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A cell is the natural logarithm of the odds ratio that two distortions are on together, 1/2 added to every count.

    Below the diagonal it is that among difference-inducing inputs, above it among the other valid candidates. All
    panels share their colours. A cell stays empty where a distortion is never or always on, and a triangle where there
    are no candidates.

    Raises:
        QuantriftError: there is nothing to draw, records are damaged, or a tool has searched under two protocols.
    """
    panels = {key: read(files) for key, files in by_tool(given.searched("records")).items()}
    shown = {
        key: np.where(
            np.tri(len(one.distortions), dtype=bool), log_odds_of_pairs(one, DII), log_odds_of_pairs(one, OTHER)
        )
        for key, one in panels.items()
    }
    largest = max(1.0, *(float(np.nanmax(np.abs(one), initial=0)) for one in shown.values()))
    with mpl.rc_context({"axes.grid": False}):
        figure, axes = in_rows(len(panels), (5.4, 5.2), (0.8, 0.9))
        for place, (key, one) in zip(axes, panels.items(), strict=True):
            place.set_title(f"{given.named(key[0])}\n{given.named(*key[1:])}\n{_counts(one)}")
            image = _panel(place, one, shown[key], largest)
        bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, label="log odds ratio of being on together")
        bar.outline.set_edgecolor(INK)
        return finished(
            figure,
            settings,
            given,
            "below the diagonal: difference-inducing inputs; above: other valid candidates; empty: never or always on",
        )


def _panel(axes: mpl.Axes, one: Activation, values: np.ndarray, largest: float) -> mpl.AxesImage:
    names = [name.replace("_", " ") for name in one.distortions]
    # Orange where distortions seek each other, violet where they avoid each other.
    image = axes.imshow(values, cmap="PuOr_r", vmin=-largest, vmax=largest)
    for (row, column), value in np.ndenumerate(values):
        if row == column:
            axes.fill_between([column - 0.5, column + 0.5], row - 0.5, row + 0.5, color=FAINT, linewidth=0)
        elif not np.isnan(value):
            colour = "white" if abs(value) > 0.6 * largest else INK
            # Adding 0 makes a zero of a negative one.
            text = f"{round(float(value), 1) + 0:.1f}".replace("-", "\u2212")
            number = axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color=colour)
            # It lies within its cell; measuring all of them for the layout would take most of the time.
            number.set_in_layout(False)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    return image


def _counts(one: Activation) -> str:
    """Note on the number of candidates of a panel."""
    total = one.total.sum(axis=0)
    size = f"{len(one.inputs)} inputs of {len(np.unique(one.run_seeds))} run seeds"
    return f"{total[DII]:,} difference-inducing, {total[OTHER]:,} other; {size}"
