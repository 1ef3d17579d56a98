"""Accuracy over repetitions, by number of bits or distribution (thesis, Section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page import drawing as mpl
from quantrift.core.page.panel_grid import Grid
from quantrift.core.page.style import COLOURS, FAINT, INK
from quantrift.core.settings.references import StudyId
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_study_accuracy import Distribution, counterpart
from quantrift.core.statistics.published import published_dataset, read_published
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import BitTarget

COLUMNS = 2
"""Panels side by side at most."""
KEYS = ("dataset", "model", "study", "setting")
"""Key columns in the file of the thesis's numbers."""
OWN, CONTROL = COLOURS[0], COLOURS[5]
Published = Mapping[tuple[str, ...], Mapping[str, float]]


class Settings(BitTarget):
    """Accuracy by number of bits or distribution, a panel a network and study."""

    kind: Literal["accuracy_by_bits"]
    controls: dict[StudyId, StudyId] = Field(default_factory=dict)
    """Study -> the study that has, for each distribution, two adjacent numbers of bits of the same mean."""

    @property
    def paired(self) -> Mapping[str, str]:
        """See ``StudyTarget``."""
        return self.controls


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Accuracies of the networks of each study."""
    return {"accuracies": results.bits(settings, "accuracies.parquet")}


states = over_bit_studies.states


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a dataset, network and study.

    A dot is a repetition; a point with a bar their mean and standard deviation. Beside a distribution stand, where they
    were trained, networks with two adjacent numbers of bits of the same mean. A published accuracy is a diamond,
    white where it is approximate, or a band where a range is published for all settings together.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    found = bit_study_accuracy.clean(bit_study_accuracy.load(given.files["accuracies"]))
    panels = list(found[found["study"].isin(settings.studies)].groupby(list(bit_study_accuracy.SUBJECT), sort=False))
    if not panels:
        raise QuantriftError("no networks were trained; name other studies in `studies`")
    bits = over_bit_studies.distributions(given.stated)
    published = read_published(given.published_file, KEYS)
    marks: set[str] = set()
    grid = Grid(len(panels), COLUMNS)
    figure, axes = grid.drawn((max(5.4, 4.4 * grid.width), 3.0 * grid.height + 1.3), "accuracy (%)")
    for axis, ((dataset, model, study), own) in zip(axes, panels, strict=True):
        shown = list(dict.fromkeys(own["setting"]))
        _points(axis, [own[own["setting"] == name] for name in shown], OWN, 0)
        beside = settings.controls.get(str(study))
        others = found[(found["dataset"] == dataset) & (found["model"] == model) & (found["study"] == beside)]
        if len(others):
            _controls(axis, shown, others, bits)
            marks.add("control")
        filed = (published_dataset(str(dataset), given.datasets), str(model), str(study))
        marks |= _published(axis, shown, filed, published)
        _axis(axis, shown, bits)
        axis.set_title(f"{given.named(str(dataset))}\n{given.named(str(model), str(study))}")
    figure.legend(handles=_handles(marks), loc="outside lower center", ncols=2)
    repetitions = sorted(found.groupby([*bit_study_accuracy.SUBJECT, "setting"]).size().unique())
    heading = f"{settings.title}\n{', '.join(map(str, repetitions))} repetitions; scale: {given.scale}"
    figure.suptitle(heading, fontsize=10)
    return figure


def _points(axis: mpl.Axes, settings: Sequence[pd.DataFrame], colour: str, shift: float) -> None:
    """Dots of each setting, and their mean with its bar a little to the right of them."""
    for place, rows in enumerate(settings):
        if rows.empty:
            continue
        values = 100 * rows["accuracy"].to_numpy()
        axis.plot(np.full(len(values), place + shift - 0.06), values, "o", color=colour, alpha=0.45, markersize=3.5)
        # A single repetition has no spread, which is not the same as a spread of 0.
        spread = values.std(ddof=1) if len(values) > 1 else None
        axis.errorbar(
            place + shift + 0.06, values.mean(), spread, fmt="o", color=colour, markersize=5, capsize=3, linewidth=1.3
        )


def _controls(axis: mpl.Axes, settings: Sequence[str], others: pd.DataFrame, bits: Mapping[str, Distribution]) -> None:
    """Draws the counterparts of settings to the right of them."""
    candidates = {name: bits[name] for name in dict.fromkeys(others["setting"])}
    partners = [counterpart(bits[name], candidates) for name in settings]
    _points(axis, [others[others["setting"] == name] for name in partners], CONTROL, 0.28)


def _published(axis: mpl.Axes, settings: Sequence[str], filed: tuple[str, str, str], published: Published) -> set[str]:
    """Draws marks of published numbers; returns their kinds."""
    used: set[str] = set()
    for place, name in enumerate(settings):
        numbers = published.get((*filed, name), {})
        if "accuracy" in numbers:
            kind = "approximate" if numbers.get("approximate") else "exact"
            axis.plot([place - 0.22], [100 * numbers["accuracy"]], **MARKS[kind])
            used.add(kind)
    of_all = published.get((*filed, ""), {})
    if "least" in of_all:
        # A range without width must still be seen.
        ends = [100 * of_all["least"] - 0.05, 100 * of_all["most"] + 0.05]
        axis.axhspan(*ends, color=FAINT, alpha=0.45, linewidth=0, zorder=0)
        used.add("range")
    return used


def _axis(axis: mpl.Axes, settings: Sequence[str], bits: Mapping[str, Distribution]) -> None:
    short = bit_study_accuracy.short_names(settings)
    mixed = any(len(bits[name].shares) > 1 for name in settings)
    axis.set_xticks(range(len(settings)), [short[name] for name in settings])
    axis.set_xlim(-0.5, len(settings) - 0.5)
    axis.set_xlabel("distribution" if mixed else "bits of each weight")
    low, high = axis.get_ylim()
    # The axis never zooms in so far that a thousandth looks large, and never leaves 0 to 1.
    middle, reach = (low + high) / 2, max(2.0, (high - low) / 2)
    axis.set_ylim(max(0, middle - reach), min(101, middle + reach))


MARKS: Mapping[str, Mapping[str, Any]] = {
    "exact": {"marker": "D", "color": INK, "markersize": 5, "linestyle": "none", "zorder": 5},
    "approximate": {
        "marker": "D",
        "color": "white",
        "markeredgecolor": INK,
        "markersize": 5,
        "linestyle": "none",
        "zorder": 5,
    },
}
"""Markers of published numbers."""


def _handles(marks: set[str]) -> list[mpl.Line2D | mpl.Patch]:
    handles: list[mpl.Line2D | mpl.Patch] = [
        mpl.Line2D([], [], marker="o", color=OWN, label="mean and standard deviation"),
        mpl.Line2D([], [], marker="o", color=OWN, alpha=0.45, markersize=3.5, linestyle="none", label="a repetition"),
    ]
    if "control" in marks:
        handles.append(mpl.Line2D([], [], marker="o", color=CONTROL, label="control: two adjacent bits, same mean"))
    for kind, label in (("exact", "published"), ("approximate", "published, approximate")):
        if kind in marks:
            handles.append(mpl.Line2D([], [], label=label, **MARKS[kind]))
    if "range" in marks:
        handles.append(mpl.Patch(color=FAINT, alpha=0.45, label="published, approximate range"))
    return handles
