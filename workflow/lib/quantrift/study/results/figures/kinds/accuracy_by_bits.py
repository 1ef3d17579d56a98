"""Accuracy over repetitions, by number of bits or distribution (thesis, Section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.page import drawing as mpl
from quantrift.core.page.number_format import distinct
from quantrift.core.page.style import COLOURS, FAINT, INK
from quantrift.core.settings.references import StudyId
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_study_accuracy import Distribution, counterpart
from quantrift.core.statistics.published import read_published
from quantrift.study.results.figures.finished_figure import finished, in_rows, lines
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.target import BitTarget, with_paired

OWN, CONTROL = COLOURS[0], COLOURS[5]


class Settings(BitTarget):
    """Accuracy by number of bits or distribution, a panel a network and study."""

    paired: Annotated[dict[StudyId, StudyId], Field(alias="controls", default_factory=dict)]
    """Study -> the study that has, for each distribution, two adjacent numbers of bits of the same mean."""

    @property
    def needed(self) -> list[str]:
        """See ``StudyTarget``."""
        return with_paired(self.studies, self.paired)


needs = over_bit_studies.accuracies


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
    refuse((not panels, "no networks were trained; name other studies in `studies`"))
    bits = over_bit_studies.distributions(given.stated)
    published = read_published(given.published_file, ("dataset", "model", "study", "setting"))
    marks: set[str] = set()
    figure, axes = in_rows(len(panels), (4.4, 3.0), (0, 1.3), "accuracy (%)", least=5.4)
    for axis, (names, own) in zip(axes, panels, strict=True):
        dataset, model, study = map(str, names)
        shown = list(dict.fromkeys(own["setting"]))
        _points(axis, own, shown, OWN, 0)
        beside = settings.paired.get(study)
        others = found[(found["dataset"] == dataset) & (found["model"] == model) & (found["study"] == beside)]
        if len(others):
            candidates = {name: bits[name] for name in dict.fromkeys(others["setting"])}
            _points(axis, others, [counterpart(bits[name], candidates) for name in shown], CONTROL, 0.28)
            marks.add("control")
        marks |= _published(axis, shown, filed((dataset, model, study), given.published_as), published)
        _axis(axis, shown, bits)
        axis.set_title(f"{given.named(dataset)}\n{given.named(model, study)}")
    repetitions = distinct(found.groupby([*bit_study_accuracy.SUBJECT, "setting"]).size())
    handles = [
        *lines(
            ("mean and standard deviation", {"marker": "o", "color": OWN}),
            ("a repetition", {"marker": "o", "color": OWN, "alpha": 0.45, "markersize": 3.5, "linestyle": "none"}),
            *((words, look) for mark, (words, look) in OPTIONAL.items() if mark in marks),
        ),
        *([mpl.Patch(color=FAINT, alpha=0.45, label="published, approximate range")] if "range" in marks else []),
    ]
    return finished(figure, settings, given, f"{repetitions} repetitions", handles=handles, columns=2)


def _points(axis: mpl.Axes, found: pd.DataFrame, settings: Sequence[str | None], colour: str, shift: float) -> None:
    """Dots of each setting, and their mean with its bar a little to the right of them."""
    for place, name in enumerate(settings):
        values = 100 * found.loc[found["setting"] == name, "accuracy"].to_numpy()
        if len(values):
            centre = place + shift
            axis.plot(np.full(len(values), centre - 0.06), values, "o", color=colour, alpha=0.45, markersize=3.5)
            # A single repetition has no spread, which is not the same as a spread of 0.
            spread = values.std(ddof=1) if len(values) > 1 else None
            axis.errorbar(
                centre + 0.06, values.mean(), spread, fmt="o", color=colour, markersize=5, capsize=3, linewidth=1.3
            )


def _published(
    axis: mpl.Axes,
    settings: Sequence[str],
    row: tuple[str, ...],
    published: Mapping[tuple[str, ...], Mapping[str, float]],
) -> set[str]:
    """Draws marks of published numbers; returns their kinds."""
    used: set[str] = set()
    for place, name in enumerate(settings):
        if "accuracy" in (numbers := published.get((*row, name), {})):
            kind = "approximate" if numbers.get("approximate") else "exact"
            axis.plot([place - 0.22], [100 * numbers["accuracy"]], **OPTIONAL[kind][1])
            used.add(kind)
    if "least" in (of_all := published.get((*row, ""), {})):
        # A range without width must still be seen.
        low, high = 100 * of_all["least"] - 0.05, 100 * of_all["most"] + 0.05
        axis.axhspan(low, high, color=FAINT, alpha=0.45, linewidth=0, zorder=0)
        used.add("range")
    return used


def _axis(axis: mpl.Axes, settings: Sequence[str], bits: Mapping[str, Distribution]) -> None:
    short = bit_study_accuracy.short_names(settings)
    mixed = any(len(bits[name].shares) > 1 for name in settings)
    axis.set_xticks(range(len(settings)), [short[name] for name in settings])
    axis.set(xlim=(-0.5, len(settings) - 0.5), xlabel="distribution" if mixed else "bits of each weight")
    low, high = axis.get_ylim()
    # The axis never zooms in so far that a thousandth looks large, and never leaves 0 to 1.
    middle, reach = (low + high) / 2, max(2.0, (high - low) / 2)
    axis.set_ylim(max(0, middle - reach), min(101, middle + reach))


DIAMOND: Mapping[str, Any] = {"marker": "D", "markersize": 5, "linestyle": "none", "zorder": 5}
OPTIONAL: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "control": ("control: two adjacent bits, same mean", {"marker": "o", "color": CONTROL}),
    "exact": ("published", {**DIAMOND, "color": INK}),
    "approximate": ("published, approximate", {**DIAMOND, "color": "white", "markeredgecolor": INK}),
}
"""Label and look of marks that some panels have."""
