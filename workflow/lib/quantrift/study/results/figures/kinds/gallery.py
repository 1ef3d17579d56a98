"""Gallery of difference-inducing inputs beside their seed inputs, one a row."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import Arrays, taken
from quantrift.core.page import drawing as mpl
from quantrift.core.page.false_colour import channels, side_by_side
from quantrift.core.page.style import COLOURS
from quantrift.core.search.record_columns import switched_on
from quantrift.core.search.records.dii import Found, load
from quantrift.core.search.records.replaying import single
from quantrift.core.search.records.stored_vectors import ORDER, numbers
from quantrift.core.settings.references import ModelId
from quantrift.study.results.figures.finished_figure import Drawn, finished, lines
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PairTarget

BEFORE: dict[str, Any] = {"color": COLOURS[0], "linewidth": 1.2}
AFTER: dict[str, Any] = {"color": COLOURS[5], "linewidth": 1.2, "linestyle": "--"}
COLUMNS = (
    *("shown", "group", "input", "true_class", "label_original", "label_compressed", "psnr", "generation"),
    *("distortions", "command", "class", "p_original", "p_compressed"),
)
"""``shown`` counts inputs from 1; there is a row for each of them and each class."""
WIDTHS = (1, 1, 1, 1.9, 2.6)
"""Widths of seed input, distorted input, difference, spectrum (of scenes alone) and words."""
ROW = 1.15
"""Height of a row, in inches."""


class Settings(PairTarget):
    """Some difference-inducing inputs beside their seed inputs, a row each."""

    shows_inputs: ClassVar[bool] = True
    number: Annotated[int, Field(ge=1, le=20)] = 3
    """Inputs of each search tool on each subject; fewer where fewer are stored."""
    spread: Literal["class", "generation"] = "class"
    """Spread of the choice: over the classes of the seed inputs, or over the generations of first disagreements."""
    seed: int = 0
    """Seed of the choice among equals."""
    channels: dict[ModelId, tuple[int, int, int]] = Field(default_factory=dict)
    """Network -> channels of its inputs, from 0, shown as red, green and blue; three evenly spread ones where it is
    not given and there are more than three."""


DETAILS = ("shown",)
RUNS_NETWORKS = True


needs = asks(inputs=Results.inputs, records=Results.records, searched=Results.searched)


def make(settings: Settings, given: Given) -> Drawn:
    """A group of rows for each tool on each subject, a row an input that a distortion caused.

    A row: seed input and distorted input in the same colours, the mean absolute difference over channels (black where
    there is none), in scenes every channel of the centre pixel before and after, and what happened. The models agree on
    the seed input, which the original classifies correctly. Probabilities of both models, and the command that replays
    an input, stand in a table beside the figure.

    Raises:
        QuantriftError: there is no search, records cannot be read, or a channel is named that there is not.
    """
    records = given.searched("records", "its experiments have no such searches; name others in `from`")
    inputs = given.one("inputs")
    shown: list[tuple[str, Found, Arrays]] = []
    behind: list[dict[str, Any]] = []
    for (dataset, model, compression, tool, _), files in records.items():
        found = load(files, inputs[dataset, model])
        key: tuple[str | int, ...] = (*(str(name) for name in found.settings["subject"].values()), tool, settings.seed)
        title = f"{given.named(dataset, model, compression)}: {given.named(tool)}"
        chosen = choose(found.rows, settings.number, settings.spread, key)
        behind += _details(title, files, found, chosen, 1 + sum(len(one["input"]) for _, _, one in shown))
        shown.append((title, found, chosen))
    rows = [max(1, len(chosen["input"])) for _, _, chosen in shown]
    figure = mpl.Figure(figsize=(9.0, ROW * sum(rows) + 0.35 * len(rows) + 1.0), layout="constrained")
    parts = figure.subfigures(len(rows), 1, height_ratios=[ROW * count + 0.35 for count in rows], squeeze=False)
    for part, (title, found, chosen) in zip(parts.ravel(), shown, strict=True):
        part.suptitle(title, fontsize=9, fontweight="bold", x=0.01, ha="left")
        widths = WIDTHS if isinstance(found.inputs, ScenePatches) else WIDTHS[:3] + WIDTHS[4:]
        axes = part.subplots(max(1, len(chosen["input"])), len(widths), squeeze=False, width_ratios=widths)
        _group(axes, found, chosen, settings)
    if any(isinstance(found.inputs, ScenePatches) for _, found, _ in shown):
        figure.legend(
            handles=lines(("seed input", BEFORE), ("distorted input", AFTER)),
            loc="outside lower center",
            ncols=2,
            title="centre pixel, value of each channel",
        )
    return Drawn(finished(figure, settings, given), {"shown": pd.DataFrame(behind, columns=[*COLUMNS])})


def _group(axes: np.ndarray, found: Found, chosen: Arrays, settings: Settings) -> None:
    """Fill the axes, (rows, 5) of scenes and (rows, 4) of images, of one tool on one subject."""
    if not len(chosen["input"]):
        for place in axes[0]:
            place.set_axis_off()
        axes[0, 0].text(0, 0.5, "no difference-inducing input is stored", transform=axes[0, 0].transAxes)
        return
    network = found.settings["subject"]["model"]
    seeds, distorted = found.pairs(chosen)
    bands = channels(seeds.shape[3], settings.channels.get(network), network)
    for place, (own, seed, after) in enumerate(zip(axes, seeds, distorted, strict=True)):
        side_by_side(own, seed, after, bands, found.inputs)
        if isinstance(found.inputs, ScenePatches):
            middle = found.inputs.patch // 2
            own[3].plot(seed[middle, middle], **BEFORE)
            own[3].plot(after[middle, middle], **AFTER)
            own[3].xaxis.set_major_locator(mpl.MaxNLocator(nbins=6, integer=True))
            own[3].tick_params(labelsize=7)
        own[-1].set_axis_off()
        own[-1].text(0, 1, _words(found, chosen, place), transform=own[-1].transAxes, va="top", fontsize=7.5)
    for axis, words in zip(axes[0], ("seed input", "distorted", "difference"), strict=False):
        axis.set_title(words, fontsize=8)


def _words(found: Found, rows: Arrays, place: int) -> str:
    """Text on one input: its labels by both models, distance from its seed input, distortions."""
    classes: Sequence[str] = found.inputs.class_names
    names = [name.replace("_", " ") for name in switched_on(found.settings["distortions"], int(rows["active"][place]))]
    return "\n".join(
        [
            f"input {rows['input'][place]}: {classes[rows['true_label'][place]]}",
            f"original: {classes[rows['label_original'][place]]}",
            f"compressed: {classes[rows['label_compressed'][place]]}",
            f"PSNR {rows['psnr'][place]:.1f} dB, generation {rows['generation'][place] + 1}",
            *textwrap.wrap(", ".join(names), 42),
        ]
    )


def choose(rows: Arrays, number: int, spread: Literal["class", "generation"], key: Sequence[str | int]) -> Arrays:
    """Choose at most ``number`` rows, no two of the same seed input.

    Args:
        rows: rows to choose from.
        number: rows wanted.
        spread: ``class``: one of each class of the seed inputs in turn, in the order of labels. ``generation``: the
            earliest stored of each seed input, at even distances in the order of generations; one alone the middle.
        key: of the random stream that decides among equals.
    """
    order = stream("gallery", *key).permutation(len(rows["input"]))
    if spread == "generation":
        # Stable: equal generations stay in the random order.
        order = order[np.argsort(rows["generation"][order], kind="stable")]
    _, first = np.unique(rows["input"][order], return_index=True)
    order = order[np.sort(first)]
    if spread == "generation":
        ends = (0, len(order) - 1) if number > 1 else ((len(order) - 1) // 2,) * 2
        return taken(rows, order[np.linspace(*ends, min(number, len(order))).round().astype(int)])
    labels = rows["true_label"][order]
    turn = np.array([int((labels[:place] == label).sum()) for place, label in enumerate(labels)], int)
    return taken(rows, order[np.lexsort((labels, turn))][:number])


def _details(group: str, files: Sequence[Path], found: Found, chosen: Arrays, first: int) -> Iterator[dict[str, Any]]:
    """Rows of ``COLUMNS`` on the inputs that one group of a gallery shows.

    Args:
        group: heading of the group.
        files: candidates tables of its blocks.
        found: what they hold.
        chosen: rows that are shown.
        first: number of the first of them in the gallery.

    Raises:
        QuantriftError: if a file, or a network that it was made with, cannot be read.
    """
    known = {key: (file, number) for file in files for key, number in numbers(file).items()}
    places = [known[key] for key in zip(*(chosen[name].tolist() for name in ORDER), strict=True)]
    replayed = {
        (file, one.number): one
        for file in dict.fromkeys(file for file, _ in places)
        for one in single(file, [number for of, number in places if of == file])
    }
    classes: Sequence[str] = found.inputs.class_names
    for place, (file, number) in enumerate(places):
        one = replayed[file, number]
        about = {
            "shown": first + place,
            "group": group,
            "input": one.input,
            "true_class": classes[one.true_label],
            "label_original": classes[chosen["label_original"][place]],
            "label_compressed": classes[chosen["label_compressed"][place]],
            "psnr": float(chosen["psnr"][place]),
            "generation": int(chosen["generation"][place]) + 1,
            "distortions": ", ".join(name.replace("_", " ") for name in one.distortions),
            "command": f"quantrift replay --number {number} {shlex.quote(str(file))}",
        }
        for name, ours, theirs in zip(classes, one.original, one.compressed, strict=True):
            yield about | {"class": name, "p_original": ours, "p_compressed": theirs}
