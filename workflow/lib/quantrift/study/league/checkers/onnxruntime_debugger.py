"""ONNX Runtime's debugger of quantization loss (``qdq_loss_debug``), activation by activation."""

from quantrift.study.league import qdq_debug
from quantrift.study.league.by_figure import at_worst_layer

TITLE = "onnxruntime, qdq_loss_debug"
MEANING = "least SQNR of all activations that are rounded, in dB, with its sign changed"
SUFFIXES = (".onnx",)
PACKAGE = qdq_debug.PACKAGE
score, layer = at_worst_layer(qdq_debug.errors)
