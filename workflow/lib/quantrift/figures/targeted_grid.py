"""Kind ``targeted_grid``: what targeted searches found, a row a seed input, as in DiffChaser's Figures 3 and 4."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quantrift.config.diffchaser_targets import TargetedFigure
from quantrift.config.errors import QuantriftError
from quantrift.figures.false_colour import channels, pictures
from quantrift.figures.style import COLOURS, INK, STYLE, save
from quantrift.metrics import disagreements
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT, published_dataset, read_published
from quantrift.records.dii import Found, load

CELL = 0.62
"""Side of a picture, in inches."""


def make(target: TargetedFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    A row: the seed input, then for each class the first stored input on which one model keeps the seed's label and the
    other gives that class. A cross stands where the search failed; the class of the seed input itself is left empty.

    Args:
        target: title, and whose numbers are printed.
        given: candidates and searches tables of the searches, in a results folder that holds their inputs; their order
            is the order of grids. The file of the paper's numbers.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, or records cannot be read.
    """
    candidates: dict[Path, list[Path]] = {}
    counts: dict[Path, list[Path]] = {}
    for file in given.files:
        if file.suffix == ".parquet":
            kind = counts if file.name.endswith(".searches.parquet") else candidates
            kind.setdefault(file.parent, []).append(file)
    if not candidates:
        raise QuantriftError(f"figure {out_stem.name}: its experiments have no searches; name others in `from`")
    shown = [(load(files), disagreements.load(counts[place])) for place, files in candidates.items()]
    seeds = [_seeds(searches) for _, searches in shown]
    classes = max(len(found.inputs.class_names) for found, _ in shown)
    with mpl.rc_context(STYLE):
        heights = [CELL * (len(rows) + 1) + 0.5 for rows in seeds]
        size = max(CELL * (classes + 1) * 1.08 + 0.6, 5.2), sum(heights) + 0.6
        figure = Figure(figsize=size, layout="constrained")
        parts = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False).ravel()
        for part, rows, (found, searches) in zip(parts, seeds, shown, strict=True):
            part.suptitle(_heading(found, searches, given, target.published_as), fontsize=8.5, x=0.01, ha="left")
            axes = part.subplots(len(rows), len(found.inputs.class_names) + 1, squeeze=False)
            _grid(axes, rows, found, searches)
        figure.suptitle(f"{target.title}\nscale: {given.scale}", fontsize=10)
        save(figure, out_stem)


def _seeds(searches: pd.DataFrame) -> list[tuple[int, int]]:
    """Run seed and number of each seed input, by class."""
    order = searches.sort_values(["true_label", "run_seed", "input"])
    return list(dict.fromkeys(zip(order["run_seed"].tolist(), order["input"].tolist(), strict=True)))


def _grid(axes: np.ndarray, seeds: Sequence[tuple[int, int]], found: Found, searches: pd.DataFrame) -> None:
    """Fill the axes, (seed inputs, 1 + classes)."""
    rows = found.rows.take(found.rows.reached)
    # Those of a search stand in the order of evaluations; of every search that succeeded at least one is stored.
    keys = zip(rows.run_seed.tolist(), rows.input.tolist(), rows.target.tolist(), strict=True)
    earliest: dict[tuple[int, int, int], int] = {}
    for place, key in enumerate(keys):
        earliest.setdefault(key, place)
    searched = set(zip(searches["run_seed"], searches["input"], searches["target"], strict=True))
    names = found.inputs.class_names
    for axis, name in zip(axes[0, 1:], names, strict=True):
        axis.set_title(name, fontsize=7)
    axes[0, 0].set_title("seed", fontsize=7, fontweight="bold")
    for own, (run_seed, number) in zip(axes, seeds, strict=True):
        classes = [wanted for wanted in range(len(names)) if (run_seed, number, wanted) in earliest]
        chosen = rows.take(np.array([earliest[run_seed, number, wanted] for wanted in classes], dtype=np.int64))
        seed = found.inputs.take([number])[0]
        after = found.pairs(chosen)[1] if classes else np.empty((0, *seed.shape), np.float32)
        _show(own[0], seed, seed, found)
        own[0].set_ylabel(names[int(found.inputs.labels[number])], fontsize=7)
        drawn = dict(zip(classes, after, strict=True))
        for wanted, axis in enumerate(own[1:]):
            if wanted in drawn:
                _show(axis, drawn[wanted], seed, found)
            else:
                _bare(axis)
                if (run_seed, number, wanted) in searched:
                    axis.plot(0.5, 0.5, "x", transform=axis.transAxes, color=COLOURS[5], markersize=9)


def _show(axis: Axes, image: np.ndarray, seed: np.ndarray, found: Found) -> None:
    bands = channels(image.shape[2], None, found.settings["subject"]["model"])
    _bare(axis)
    # Not interpolated, so that an SVG holds the pixels themselves.
    axis.imshow(
        pictures(np.stack([seed, image]), bands, found.inputs)[1], cmap="gray", vmin=0, vmax=1, interpolation="none"
    )


def _bare(axis: Axes) -> None:
    axis.set(xticks=[], yticks=[])
    axis.grid(visible=False)
    axis.spines[:].set(visible=True, color=INK, linewidth=0.4)


def _heading(found: Found, searches: pd.DataFrame, given: Given, published_as: Mapping[str, str]) -> str:
    """What is shown, how many searches succeeded after how many iterations, and what the paper prints of it."""
    subject: dict[str, Any] = found.settings["subject"]
    tool = found.settings["tool"]
    names = [
        given.datasets[subject["dataset"]].title,
        subject["model"],
        given.titles.get(subject["compression"], subject["compression"]),
    ]
    won = searches[searches["success"]]
    lines = [
        f"{', '.join(names)}: {given.titles.get(tool, tool)}",
        f"{len(won)} of {len(searches)} found"
        + (f", after {(won['generations'] - 1).mean():.2f} iterations on average" if len(won) else ""),
    ]
    key = (published_dataset(subject["dataset"], given.datasets), subject["model"], subject["compression"])
    numbers = read_published(given.published[0] if given.published else None, SUBJECT).get(key, {})
    name = published_as.get(tool, tool)
    if f"{name}_n_success" in numbers:
        lines.append(
            f"published: {numbers[f'{name}_n_success']:.0f} of {numbers[f'{name}_searches']:.0f}, "
            f"after {numbers[f'{name}_iterations_average']:.2f} iterations"
        )
    return "\n".join(lines)
