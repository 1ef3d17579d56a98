"""Accuracy and loss after each epoch of training, a panel for each network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from quantrift.core.base.files import read_json
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS, INK
from quantrift.study.results.figures.finished_figure import finished, lines
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import SubjectTarget

TRAINING: Mapping[str, Any] = {"color": COLOURS[0], "linewidth": 1.5}
VALIDATION: Mapping[str, Any] = {"color": COLOURS[5], "linewidth": 1.5, "linestyle": "-."}
TEST: Mapping[str, Any] = {"color": INK, "linewidth": 1, "linestyle": "--"}


class Settings(SubjectTarget):
    """Accuracy and loss after each epoch of training, a panel a network."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """The training of each network."""
    return {"histories": results.networks(settings, "history.csv", "model.json", trained=True)}


def make(settings: Settings, given: Given) -> mpl.Figure:
    """A panel has two parts over the same epochs.

    Above: accuracy on the training inputs as they were met, on the validation inputs where there are any, and, as a
    level line, on the test inputs after the last epoch. Below: loss on the training inputs, from 0. Each panel has its
    own scale.

    Raises:
        QuantriftError: there is nothing to draw.
    """
    histories = given.one("histories", "none of its networks is trained here; name others in `subjects`")
    width = min(3, len(histories))
    height = -(-len(histories) // width)
    figure = mpl.Figure(figsize=(max(2.9 * width, 4.2), 3.2 * height + 0.7), layout="constrained")
    axes = figure.subplots(2 * height, width, squeeze=False, height_ratios=[3, 2] * height)
    for unused in axes[-2:, len(histories) - (height - 1) * width :].ravel():
        unused.set_visible(False)
    looks = {"training": TRAINING, "test, after the last epoch": TEST}
    for place, ((dataset, model), file) in enumerate(histories.items()):
        row, column = divmod(place, width)
        above, below = axes[2 * row : 2 * row + 2, column]
        above.set_title(f"{given.named(dataset)}\n{given.named(model)}")
        history = pd.read_csv(file)
        if "validation_accuracy" in history:
            looks = {"training": TRAINING, "validation": VALIDATION, **looks}
        _panel(above, below, history, read_json(file.with_name("model.json"))["accuracy"])
        if column == 0:
            above.set_ylabel("accuracy (%)")
            below.set_ylabel("loss")
    return finished(figure, settings, given, handles=lines(*looks.items()))


def _panel(above: mpl.Axes, below: mpl.Axes, history: pd.DataFrame, test: float) -> None:
    epochs = history["epoch"]
    # A single epoch would be invisible as a line.
    marks: Mapping[str, Any] = {"marker": "o", "markersize": 2.5} if len(epochs) <= 30 else {}
    above.plot(epochs, 100 * history["accuracy"], **TRAINING, **marks)
    if "validation_accuracy" in history:
        above.plot(epochs, 100 * history["validation_accuracy"], **VALIDATION, **marks)
    above.axhline(100 * test, **TEST)
    above.sharex(below)
    above.tick_params(labelbottom=False)
    below.plot(epochs, history["loss"], **TRAINING, **marks)
    below.set(ylim=(0, 1.08 * history["loss"].max()), xlim=(epochs.min() - 0.5, epochs.max() + 0.5), xlabel="epoch")
    below.xaxis.set_major_locator(mpl.MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
