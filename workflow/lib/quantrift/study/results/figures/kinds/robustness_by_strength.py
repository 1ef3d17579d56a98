"""Accuracy under attack by strength, a line for each setting (thesis, Section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, FAINT, INK
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.published import read_published
from quantrift.study.results.figures.finished_figure import PUBLISHED, finished, in_rows, lines
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.target import BitTarget


class Settings(BitTarget):
    """Accuracy under an attack by strength, a panel a network and study, a line a setting."""

    attack: Annotated[tuple[Literal["fgsm", "fgsm_margin", "pgd"], ...], Field(min_length=1)] = ("fgsm",)
    """Attacks, a panel each (``quantrift.core.networks.training.accuracy_under_attack``)."""


needs = over_bit_studies.outcomes


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
    refuse((not panels, "no networks were attacked; name other studies in `studies`"))
    published = read_published(given.published_file, ("dataset", "model", "study", "setting", "attack", "strength"))
    # The palette's yellow is weak as a line.
    each = zip(cycle((*COLOURS[:6], INK)), cycle("os^vDPX"), cycle(("-", "--", "-.", ":")), strict=False)
    looks = {
        name: dict(zip(("color", "marker", "linestyle"), look, strict=True))
        for name, look in zip(dict.fromkeys(found["setting"]), each, strict=False)
    }
    names = _names(found, given)
    marks: set[str] = set()
    figure, axes = in_rows(len(panels), (4.2, 3.1), (0, 1.4), "accuracy (%)", least=5.4)
    for axis, (ids, own) in zip(axes, panels, strict=True):
        dataset, model, study, attack = map(str, ids)
        _lines(axis, own, looks)
        for name in dict.fromkeys(own["setting"]):
            key = filed((dataset, model, study, name, attack), given.published_as)
            marks |= _published(axis, key, published, looks[name]["color"])
        axis.set(
            ylim=(-2, 102),
            xlabel="strength, in parts of the range of values",
            title=f"{given.named(dataset)}\n{given.named(model, study)}\n{given.named(attack)}",
        )
    handles = [
        *lines(
            *((names[name], look) for name, look in looks.items()),
            ("published, approximate", PUBLISHED if "point" in marks else {}),
        ),
        *([mpl.Patch(color=FAINT, alpha=0.5, label="published, approximate range")] if "range" in marks else []),
    ]
    repetitions = distinct(found.groupby([*bit_study_accuracy.SUBJECT, "setting"])["repetition"].nunique())
    size = f"{repetitions} repetitions; {distinct(found['inputs'])} inputs"
    return finished(figure, settings, given, size, handles=handles, columns=3)


def _published(
    axis: mpl.Axes, key: tuple[str, ...], published: Mapping[tuple[str, ...], Mapping[str, float]], colour: str
) -> set[str]:
    """Draws marks of published numbers of one line; returns their kinds."""
    own = {strength: numbers for (*row, strength), numbers in published.items() if tuple(row) == key}
    for strength, numbers in own.items():
        if strength:
            axis.plot(
                [float(strength)], [100 * numbers["accuracy"]], "D", color="white", markeredgecolor=colour, zorder=5
            )
        else:
            axis.axhspan(100 * numbers["least"], 100 * numbers["most"], color=FAINT, alpha=0.3, linewidth=0, zorder=0)
    return {"point" if strength else "range" for strength in own}


def _names(found: pd.DataFrame, given: Given) -> dict[str, str]:
    """Setting -> its name in the legend, in fewer words than its title: a panel names its study."""
    bits_of = over_bit_studies.distributions(given.stated)
    return {
        setting: f"distribution {number}"
        if len(bits_of[setting].shares) > 1
        else f"{number} bit{'s' * (number != '1')}"
        for _, own in found.groupby("study", sort=False)
        for setting, number in bit_study_accuracy.short_names(list(dict.fromkeys(own["setting"]))).items()
    }


def _lines(axis: mpl.Axes, found: pd.DataFrame, looks: Mapping[str, Mapping[str, Any]]) -> None:
    rows = bit_study_accuracy.summary(found, ("setting", "strength"))
    largest = float(rows["strength"].max()) or 1.0
    own = list(dict.fromkeys(rows["setting"]))
    for place, name in enumerate(own):
        line = rows[rows["setting"] == name].sort_values("strength")
        axis.errorbar(
            line["strength"] + ((place - (len(own) - 1) / 2) * 0.006 * largest),
            100 * line["accuracy"],
            100 * line["accuracy_sd"],
            **looks[name],
            markersize=4.5,
            linewidth=1.4,
            capsize=2.5,
        )
    strengths = sorted(rows["strength"].unique())
    axis.set_xticks(strengths, [f"{strength:g}" for strength in strengths])
