"""ai-edge-quantizer's ``validate`` with its signal-to-noise ratio; names the worst tensor's layer."""

from functools import partial

from quantrift.study.league import ai_edge
from quantrift.study.league.by_figure import at_worst_layer

TITLE = "ai-edge-quantizer, SNR"
MEANING = "least signal-to-noise ratio of all tensors that are no weights, with its sign changed"
SUFFIXES = (".tflite",)
PACKAGE = ai_edge.PACKAGE
score, layer = at_worst_layer(partial(ai_edge.errors, metric="SNR"))
