"""Accuracy under attack by strength, a line for each setting (thesis, Section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid
from quantrift.core.page.style import COLOURS, FAINT, INK
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.published import published_dataset, read_published
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import BitTarget

COLUMNS = 2
"""Panels side by side at most."""
KEYS = ("dataset", "model", "study", "setting", "attack", "strength")
"""Key columns in the file of the thesis's numbers."""
LINES = (*COLOURS[:6], INK)
"""Without the palette's yellow, which is weak as a line."""
MARKERS = ("o", "s", "^", "v", "D", "P", "X")
Published = Mapping[tuple[str, ...], Mapping[str, float]]
STYLES = ("-", "--", "-.", ":")


class Settings(BitTarget):
    """Accuracy under an attack by strength, a panel a network and study, a line a setting."""

    kind: Literal["robustness_by_strength"]
    attack: Annotated[tuple[Literal["fgsm", "fgsm_margin", "pgd"], ...], Field(min_length=1)] = ("fgsm",)
    """Attacks, a panel each (``quantrift.core.networks.training.accuracy_under_attack``)."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Outcomes of attacks on the networks of each study."""
    return {"outcomes": results.bits(settings, "robustness.parquet", attacked=True)}


states = over_bit_studies.states


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a dataset, network, study and attack, a line a setting.

    A line is the mean over repetitions, with its standard deviation as a bar. Lines of neighbours are shifted a little
    so that bars do not hide each other. Published accuracies, all approximate, are a white diamond in the line's
    colour, or a band for several strengths together.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    found = bit_study_accuracy.load(given.files["outcomes"])
    found = found[found["attack"].isin(settings.attack)]
    panels = list(found.groupby([*bit_study_accuracy.SUBJECT, "attack"], sort=False))
    if not panels:
        raise QuantriftError("no networks were attacked; name other studies in `studies`")
    published = read_published(given.published_file, KEYS)
    shown = list(dict.fromkeys(found["setting"]))
    looks = dict(zip(shown, zip(cycle(LINES), cycle(MARKERS), cycle(STYLES), strict=False), strict=False))
    names = _names(found, given)
    marks: set[str] = set()
    grid = Grid(len(panels), COLUMNS)
    figure, axes = grid.drawn((max(5.4, 4.2 * grid.width), 3.1 * grid.height + 1.4), "accuracy (%)")
    for axis, ((dataset, model, study, attack), own) in zip(axes, panels, strict=True):
        _lines(axis, own, looks)
        filed = (published_dataset(str(dataset), given.datasets), str(model), str(study))
        for name in dict.fromkeys(own["setting"]):
            marks |= _published(axis, (*filed, name, str(attack)), published, looks[name][0])
        axis.set(ylim=(-2, 102), xlabel="strength, in parts of the range of values")
        axis.set_title(f"{given.named(str(dataset))}\n{given.named(str(model), str(study), str(attack))}")
    handles: list[mpl.Line2D | mpl.Patch] = [
        mpl.Line2D([], [], color=colour, marker=marker, linestyle=style, label=names[name])
        for name, (colour, marker, style) in looks.items()
    ]
    if "point" in marks:
        diamond: Mapping[str, Any] = {"marker": "D", "color": "white", "markeredgecolor": INK, "linestyle": "none"}
        handles.append(mpl.Line2D([], [], label="published, approximate", **diamond))
    if "range" in marks:
        handles.append(mpl.Patch(color=FAINT, alpha=0.5, label="published, approximate range"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    repetitions = sorted(found.groupby([*bit_study_accuracy.SUBJECT, "setting"])["repetition"].nunique().unique())
    inputs = sorted(found["inputs"].unique())
    heading = (
        f"{settings.title}\n{', '.join(map(str, repetitions))} repetitions; {', '.join(map(str, inputs))} inputs; "
        f"scale: {given.scale}"
    )
    figure.suptitle(heading, fontsize=10)
    return figure


def _published(axis: mpl.Axes, key: tuple[str, ...], published: Published, colour: str) -> set[str]:
    """Draws marks of published numbers of one line; returns their kinds."""
    used: set[str] = set()
    for (*row, strength), numbers in published.items():
        if tuple(row) != key:
            continue
        if strength:
            place, height = float(strength), 100 * numbers["accuracy"]
            axis.plot([place], [height], "D", color="white", markeredgecolor=colour, zorder=5)
            used.add("point")
        else:
            axis.axhspan(100 * numbers["least"], 100 * numbers["most"], color=FAINT, alpha=0.3, linewidth=0, zorder=0)
            used.add("range")
    return used


def _names(found: pd.DataFrame, given: Given) -> dict[str, str]:
    """Setting -> its name in the legend."""
    names: dict[str, str] = {}
    bits_of = over_bit_studies.distributions(given.stated)
    for _, own in found.groupby("study", sort=False):
        short = bit_study_accuracy.short_names(list(dict.fromkeys(own["setting"])))
        for setting, number in short.items():
            shares = bits_of[setting].shares
            bits = f"{number} bits" if number != "1" else "1 bit"
            names[setting] = given.titles.get(setting, bits if len(shares) == 1 else f"distribution {number}")
    return names


def _lines(axis: mpl.Axes, found: pd.DataFrame, looks: dict[str, tuple[str, str, str]]) -> None:
    rows = bit_study_accuracy.summary(found, ("setting", "strength"))
    largest = float(rows["strength"].max()) or 1.0
    own = list(dict.fromkeys(rows["setting"]))
    for place, name in enumerate(own):
        line = rows[rows["setting"] == name].sort_values("strength")
        shift = (place - (len(own) - 1) / 2) * 0.006 * largest
        colour, marker, style = looks[name]
        axis.errorbar(
            line["strength"] + shift,
            100 * line["accuracy"],
            100 * line["accuracy_sd"],
            color=colour,
            marker=marker,
            markersize=4.5,
            linestyle=style,
            linewidth=1.4,
            capsize=2.5,
        )
    strengths = sorted(rows["strength"].unique())
    axis.set_xticks(strengths, [f"{strength:g}" for strength in strengths])
