"""Shares of the weights by number of bits, as in the thesis's Figure 3.3."""

from __future__ import annotations

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import INK
from quantrift.core.statistics.bit_study_accuracy import Distribution, short_names
from quantrift.study.results.figures.finished_figure import finished, in_rows
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.results import asks
from quantrift.study.results.targets.target import StudyTarget


class Settings(StudyTarget):
    """Shares of each number of bits, a bar a distribution, a panel a study."""


needs = asks()
"""No files: the configuration holds everything."""


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel a study, a bar a setting, a part a number of bits.

    Below each bar stand the mean and the variance of the bits of a weight.

    """
    bits, stated = over_bit_studies.distributions(given.stated), over_bit_studies.studies(given.stated)
    panels = [{name: bits[name] for name in stated[study].settings} for study in settings.studies]
    figure, axes = in_rows(len(panels), (0.72 * max(map(len, panels)), 2.8), (1.6, 0.6), most=1, least=5.4)
    for axis, study, panel in zip(axes, settings.studies, panels, strict=True):
        _panel(axis, panel)
        axis.set_title(study)
    return finished(figure, settings, given)


def _panel(axis: mpl.Axes, settings: dict[str, Distribution]) -> None:
    widths = sorted({width for one in settings.values() for width, share in one.shares.items() if share})
    shades = mpl.colormaps["viridis"].resampled(len(widths))
    colours = {width: shades(place) for place, width in enumerate(widths)}
    short = short_names(list(settings))
    for place, one in enumerate(settings.values()):
        bottom = 0.0
        for width in filter(one.shares.get, sorted(one.shares)):
            share = 100 * one.shares[width]
            axis.bar(place, share, 0.75, bottom, color=colours[width], edgecolor="white", linewidth=0.8)
            bottom += share
    axis.set_xticks(
        range(len(settings)),
        [f"{short[name]}\n{one.mean:.3g}\n± {one.variance**0.5:.2f}" for name, one in settings.items()],
    )
    axis.set(ylim=(0, 100), ylabel="weights (%)", xlabel="distribution; mean and standard deviation of its bits")
    axis.legend(
        handles=[
            mpl.Patch(color=colour, label="1 bit" if width == 1 else f"{width} bits")
            for width, colour in colours.items()
        ],
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        labelcolor=INK,
    )
