"""Good compressed files of a network, as converters make them without a fault."""

from collections.abc import Sequence

from quantrift.core.networks.runtimes import onnxruntime
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.study.league.planted.conversion import dynamic, float16, int8, int8_16
from quantrift.study.league.planted.conversion_recipe import LENET, RESIDUAL, SEPARABLE, Recipe
from quantrift.study.league.planted.faults import badly_scaled
from quantrift.study.league.planted.onnx_conversion import onnx_int8
from quantrift.study.league.planted.trained_networks import Trained


def onnx_by_channel(net: Trained) -> bytes:
    """The network as .onnx with rounding written out before and behind each operation (QDQ), weights by channel."""
    return onnx_int8(onnxruntime.export(net.model), net.samples)


SOUND: Sequence[Recipe] = (
    Recipe("float32", "exported again", lambda net: to_tflite(net.model), (SEPARABLE,)),
    Recipe("float16", "weights in 16 bits", lambda net: float16(net.model), (LENET, RESIDUAL)),
    Recipe("dynamic range", "weights in 8 bits", lambda net: dynamic(net.model)),
    Recipe("int8", "weights by channel", lambda net: int8(net.model, net.samples)),
    Recipe(
        "int8, other samples",
        "ranges measured on 50 other images",
        lambda net: int8(net.model, net.others),
        (LENET, SEPARABLE),
    ),
    Recipe(
        "int8 throughout",
        "input and logits too",
        lambda net: int8(net.model, net.samples, border="int8"),
        (LENET, RESIDUAL),
    ),
    Recipe(
        "int8, one large channel",
        "weights by channel, of which one is 20 or 60 times as large",
        lambda net: int8(badly_scaled(net), net.samples),
        (LENET, RESIDUAL),
        source=badly_scaled,
    ),
    Recipe("16x8", "activations in 16 bits", lambda net: int8_16(net.model, net.samples), (LENET,)),
    Recipe("ONNX float32", "exported again", lambda net: onnxruntime.export(net.model), (SEPARABLE,), ".onnx"),
    Recipe("ONNX int8", "weights by channel", onnx_by_channel, suffix=".onnx"),
)
