"""Grid of inputs found by targeted searches, as in DiffChaser's Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pandas as pd

from quantrift.core.base.table_columns import taken
from quantrift.core.page import drawing as mpl
from quantrift.core.page.false_colour import channels, pictures
from quantrift.core.page.style import FAINT, INK
from quantrift.core.search.records.dii import Found, load
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.study.results.figures.finished_figure import finished
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Key, Results, asks
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget

CELL = 0.44
"""Side of a picture, in inches."""


class Settings(ToolTarget, PublishedOfTools):
    """Inputs that targeted searches found: a row a seed input, a column a class."""

    shows_inputs: ClassVar[bool] = True


needs = asks(inputs=Results.inputs, records=Results.records, searches=Results.counts)
mistakes = protocol_checks.targeted


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A grid for each tool on each subject, a row a seed input.

    Beside it stands, for each class, the first stored input on which one model keeps the seed's label and the other
    gives that class. A faint cross stands where the search failed; the class of the seed input itself is left empty.

    Raises:
        QuantriftError: there is no search, or records cannot be read.
    """
    records, inputs, counts = given.searched("records"), given.one("inputs"), given.files["searches"]
    shown = [(load(files, inputs[key[:2]]), disagreements.load({key: counts[key]})) for key, files in records.items()]
    # Run seed and number of each seed input, by class.
    seeds = [
        list(dict.fromkeys(zip(one["run_seed"], one["input"], strict=True)))
        for _, searches in shown
        for one in [searches.sort_values(["true_label", "run_seed", "input"])]
    ]
    classes = max(len(found.inputs.class_names) for found, _ in shown)
    heights = [CELL * (len(rows) + 1) + 0.5 for rows in seeds]
    width = max(CELL * (classes + 1) * 1.08 + 0.6, 5.2)
    figure = mpl.Figure(figsize=(width, sum(heights) + 0.6), layout="constrained")
    parts = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False).ravel()
    for part, key, rows, (found, searches) in zip(parts, records, seeds, shown, strict=True):
        part.suptitle(_heading(key, searches, given, settings.published_as), fontsize=8.5, x=0.01, ha="left")
        axes = part.subplots(len(rows), len(found.inputs.class_names) + 1, squeeze=False)
        _grid(axes, rows, found, searches)
    return finished(figure, settings, given)


def _grid(axes: np.ndarray, seeds: Sequence[tuple[int, int]], found: Found, searches: pd.DataFrame) -> None:
    """Fill the axes, (seed inputs, 1 + classes)."""
    rows = taken(found.rows, found.rows["reached"])
    # Those of a search stand in the order of evaluations; of every search that succeeded at least one is stored.
    keys = list(zip(*(rows[name].tolist() for name in ("run_seed", "input", "target")), strict=True))
    earliest = {keys[place]: place for place in reversed(range(len(keys)))}
    searched = set(zip(searches["run_seed"], searches["input"], searches["target"], strict=True))
    names = found.inputs.class_names
    for axis, name in zip(axes[0, 1:], names, strict=True):
        axis.set_title(name, fontsize=7)
    axes[0, 0].set_title("seed", fontsize=7, fontweight="bold")
    for own, (run_seed, number) in zip(axes, seeds, strict=True):
        classes = [wanted for wanted in range(len(names)) if (run_seed, number, wanted) in earliest]
        chosen = taken(rows, np.array([earliest[run_seed, number, wanted] for wanted in classes], dtype=np.int64))
        seed = found.inputs.take([number])[0]
        after = found.pairs(chosen)[1] if classes else np.empty((0, *seed.shape), np.float32)
        _show(own[0], seed, seed, found)
        own[0].set_ylabel(names[int(found.inputs.labels[number])], fontsize=7)
        drawn = dict(zip(classes, after, strict=True))
        for wanted, axis in enumerate(own[1:]):
            _show(axis, drawn.get(wanted), seed, found)
            if wanted not in drawn and (run_seed, number, wanted) in searched:
                axis.plot(0.5, 0.5, "x", transform=axis.transAxes, color=FAINT, markersize=4)


def _show(axis: mpl.Axes, image: np.ndarray | None, seed: np.ndarray, found: Found) -> None:
    """A framed place, with an image where there is one."""
    axis.set(xticks=[], yticks=[])
    axis.grid(visible=False)
    axis.spines[:].set(visible=image is not None, color=INK, linewidth=0.4)
    if image is not None:
        bands = channels(image.shape[2], None, found.settings["subject"]["model"])
        shown = pictures(np.stack([seed, image]), bands, found.inputs)[1]
        # Not interpolated, so that an SVG holds the pixels themselves.
        axis.imshow(shown, cmap="gray", vmin=0, vmax=1, interpolation="none")


def _heading(key: Key, searches: pd.DataFrame, given: Given, published_as: Mapping[str, str]) -> str:
    """Heading: tool and subject, successes and their iterations, published numbers."""
    *subject, tool, _ = key
    won = searches[searches["success"]]
    lines = [
        f"{given.named(*subject)}: {given.named(tool)}",
        f"{len(won)} of {len(searches)} found"
        + (f", after {(won['generations'] - 1).mean():.2f} iterations on average" if len(won) else ""),
    ]
    numbers = published_numbers.beside(read_published(given.published_file, SUBJECT), key[:3], given.published_as)
    name = published_as.get(tool, tool)
    if f"{name}_n_success" in numbers:
        lines.append(
            f"published: {numbers[f'{name}_n_success']:.0f} of {numbers[f'{name}_searches']:.0f}, "
            f"after {numbers[f'{name}_iterations_average']:.2f} iterations"
        )
    return "\n".join(lines)
