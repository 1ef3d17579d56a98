"""Kind ``gallery``: difference-inducing inputs beside their seed inputs, a row each."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from quantrift.config.errors import QuantriftError
from quantrift.config.targets import GalleryFigure
from quantrift.data.inputs import Inputs, ScenePatches
from quantrift.figures.false_colour import channels, pictures
from quantrift.figures.gallery_choice import choose
from quantrift.figures.style import COLOURS, INK, STYLE, save
from quantrift.metrics.given import Given
from quantrift.records.dii import Found, load
from quantrift.records.vectors import Stored

BEFORE: dict[str, Any] = {"color": COLOURS[0], "linewidth": 1.2}
AFTER: dict[str, Any] = {"color": COLOURS[5], "linewidth": 1.2, "linestyle": "--"}
WIDTHS = (1, 1, 1, 1.9, 2.6)
"""Of seed input, distorted input, difference, spectrum (of scenes alone) and words."""
ROW = 1.45
"""Height of a row, in inches."""


def make(target: GalleryFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    A row: seed input and distorted input in the same colours, the mean absolute difference over channels (black where
    there is none), in scenes every channel of the centre pixel before and after, and what happened. Shown are only
    inputs that a distortion caused: the models agree on the seed input, which the original classifies correctly.

    Args:
        target: how many, of which tools, in which colours.
        given: candidates tables of the searches, in a results folder that holds their inputs; their order is the order
            of groups.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, records cannot be read, or a channel is named that there is not.
    """
    groups: dict[Path, list[Path]] = {}
    for file in given.files:
        if file.suffix == ".parquet":
            groups.setdefault(file.parent, []).append(file)
    if not groups:
        raise QuantriftError(f"figure {out_stem.name}: its experiments have no such searches; name others in `from`")
    shown: list[tuple[str, Found, Stored]] = []
    for files in groups.values():
        found = load(files)
        subject, tool = found.settings["subject"], found.settings["tool"]
        key = (*(str(name) for name in subject.values()), tool, target.seed)
        names = [given.datasets[subject["dataset"]].title, subject["model"], subject["compression"]]
        title = f"{', '.join([*names[:2], given.titles.get(names[2], names[2])])}: {given.titles.get(tool, tool)}"
        shown.append((title, found, choose(found.rows, target.number, target.spread, key)))
    rows = [max(1, len(chosen)) for _, _, chosen in shown]
    with mpl.rc_context(STYLE):
        size = 9.0, ROW * sum(rows) + 0.35 * len(rows) + 1.0
        figure = Figure(figsize=size, layout="constrained")
        heights = [ROW * count + 0.35 for count in rows]
        parts = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)
        for part, (title, found, chosen) in zip(parts.ravel(), shown, strict=True):
            part.suptitle(title, fontsize=9, fontweight="bold", x=0.01, ha="left")
            widths = WIDTHS if isinstance(found.inputs, ScenePatches) else WIDTHS[:3] + WIDTHS[4:]
            axes = part.subplots(max(1, len(chosen)), len(widths), squeeze=False, width_ratios=widths)
            _group(axes, found, chosen, target)
        if any(isinstance(found.inputs, ScenePatches) for _, found, _ in shown):
            lines = [Line2D([], [], label="seed input", **BEFORE), Line2D([], [], label="distorted input", **AFTER)]
            figure.legend(
                handles=lines, loc="outside lower center", ncols=2, title="centre pixel, value of each channel"
            )
        figure.suptitle(f"{target.title}\nscale: {given.scale}", fontsize=10)
        save(figure, out_stem)


def _group(axes: np.ndarray, found: Found, chosen: Stored, target: GalleryFigure) -> None:
    """Fill the axes, (rows, 5) of scenes and (rows, 4) of images, of one tool on one subject."""
    if not len(chosen):
        for place in axes[0]:
            place.set_axis_off()
        axes[0, 0].text(0, 0.5, "no difference-inducing input is stored", transform=axes[0, 0].transAxes)
        return
    network = found.settings["subject"]["model"]
    seeds, distorted = found.pairs(chosen)
    bands = channels(seeds.shape[3], target.channels.get(network), network)
    for place, (own, seed, after) in enumerate(zip(axes, seeds, distorted, strict=True)):
        side_by_side(own, seed, after, bands, found.inputs)
        if isinstance(found.inputs, ScenePatches):
            middle = found.inputs.patch // 2
            own[3].plot(seed[middle, middle], **BEFORE)
            own[3].plot(after[middle, middle], **AFTER)
            own[3].xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
            own[3].tick_params(labelsize=7)
        own[-1].set_axis_off()
        own[-1].text(0, 1, _words(found, chosen, place), transform=own[-1].transAxes, va="top", fontsize=7.5)
    for axis, words in zip(axes[0], ("seed input", "distorted", "difference"), strict=False):
        axis.set_title(words, fontsize=8)


def side_by_side(
    axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray, bands: tuple[int, ...], inputs: Inputs
) -> None:
    """Fill the first three axes: a seed input, float32 (H, W, C), what was made of it, and where they differ."""
    for picture, axis in zip(pictures(np.stack([seed, after]), bands, inputs), axes, strict=False):
        _image(axis, picture, "gray", 1.0)
    difference = np.abs(after - seed).mean(axis=2, dtype=np.float64)
    _image(axes[2], difference, "magma", float(difference.max()))
    axes[2].set_xlabel(f"at most {difference.max():.2g}", fontsize=7)


def _image(axis: Axes, picture: np.ndarray, colours: str, most: float) -> None:
    # Not interpolated, so that an SVG holds the pixels themselves.
    axis.imshow(picture, cmap=colours, vmin=0, vmax=most or 1.0, interpolation="none")
    axis.set(xticks=[], yticks=[])
    axis.grid(visible=False)
    axis.spines[:].set(visible=True, color=INK, linewidth=0.5)


def _words(found: Found, rows: Stored, place: int) -> str:
    """What the models say of one input, how far it is from its seed input, and what was done to it."""
    classes: Sequence[str] = found.inputs.class_names
    names = [name.replace("_", " ") for name in found.switched_on(int(rows.active[place]))]
    lines = [
        f"input {rows.input[place]}: {classes[rows.true_label[place]]}",
        f"original: {classes[rows.label_original[place]]}",
        f"compressed: {classes[rows.label_compressed[place]]}",
        f"PSNR {rows.psnr[place]:.1f} dB, generation {rows.generation[place] + 1}",
        *textwrap.wrap(", ".join(names), 42),
    ]
    return "\n".join(lines)
