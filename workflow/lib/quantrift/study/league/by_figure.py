"""Checkers that are a figure which falls with the error, taken of the logits or of the worst layer."""

from collections.abc import Callable, Mapping
from math import isnan, nan
from pathlib import Path

import numpy as np

from quantrift.study.league.layer_figures import Figure
from quantrift.study.league.outputs import both

Score = Callable[[Path, Path, np.ndarray, np.ndarray], float]
"""A checker's ``score``."""
Layer = Callable[[Path, Path, np.ndarray, np.ndarray], str | None]
"""A checker's ``layer``."""
OfLayers = Callable[[Path, Path, np.ndarray], Mapping[str, float]]
"""From original, compressed network and inputs to name of each layer -> its figure."""


def at_output(figure: Figure) -> Score:
    """The score of a checker: a figure of the logits, with its sign changed."""

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        return -figure(*both(original, compressed, inputs))

    return score


def at_worst_layer(figures: OfLayers) -> tuple[Score, Layer]:
    """Score and layer of a checker: the least figure of all layers, with its sign changed, and that layer's name.

    The first of them is named on a tie; no layer, and NaN, where none has a figure.
    """

    def worst(original: Path, compressed: Path, inputs: np.ndarray) -> tuple[str | None, float]:
        known = {name: one for name, one in figures(original, compressed, inputs).items() if not isnan(one)}
        name = min(known, key=known.__getitem__, default=None)
        return name, nan if name is None else known[name]

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        return -worst(original, compressed, inputs)[1]

    def layer(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> str | None:
        return worst(original, compressed, inputs)[0]

    return score, layer
