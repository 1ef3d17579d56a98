"""Quantrift's own error of each layer: its SQNR on what the compressed network gives it to read."""

from math import inf, nan
from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.judge.verdict.suspects import suspects
from quantrift.study.league.checker import BOTH
from quantrift.study.league.layer_figures import INPUTS

TITLE = "Quantrift, layers"
MEANING = "least SQNR that a layer has by itself, in dB, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None


def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """See :class:`quantrift.study.league.checker.Checker`."""
    found = layer_errors(original, compressed, [inputs[:INPUTS]])
    # Without error there is no ratio, and none is as bad as NaN.
    own = [inf if one.added_mse == 0 else nan if one.added_sqnr_db is None else one.added_sqnr_db for one in found]
    own = [-inf if one.not_finite else ratio for one, ratio in zip(found, own, strict=True)]
    return -float(np.nanmin(own)) if own and not np.isnan(own).all() else nan


def layer(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> str | None:
    """Name of the first layer that ``quantrift assess`` would suspect, if it suspects one."""
    return next(iter(suspects(layer_errors(original, compressed, [inputs[:INPUTS]]))), None)
