"""ai-edge-quantizer's ``validate`` with its default metric, the mean squared error; names the worst tensor's layer."""

from pathlib import Path

import numpy as np

from quantrift.study.league import ai_edge
from quantrift.study.league.by_figure import at_worst_layer

TITLE = "ai-edge-quantizer, MSE"
MEANING = "largest mean squared error of all tensors that are no weights"
SUFFIXES = (".tflite",)
PACKAGE = ai_edge.PACKAGE


def _falling(original: Path, compressed: Path, inputs: np.ndarray) -> dict[str, float]:
    found = ai_edge.errors(original, compressed, inputs, "MSE")
    return {name: -error for name, error in found.items()}


score, layer = at_worst_layer(_falling)
