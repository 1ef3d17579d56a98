"""Good compressed files of a network, as converters make them without a fault."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.cli.benchmarks.planted.conversion import dynamic, float16, int8, int8_16
from quantrift.cli.benchmarks.planted.conversion_recipe import LENET, RESIDUAL, SEPARABLE, Recipe
from quantrift.cli.benchmarks.planted.faults import badly_scaled
from quantrift.cli.benchmarks.planted.trained_networks import Trained
from quantrift.models.libraries import library
from quantrift.models.onnx_files import to_onnx
from quantrift.models.tflite_files import to_tflite


def onnx_int8(net: Trained) -> bytes:
    """The network as .onnx with rounding written out before and behind each operation (QDQ), weights by channel."""
    quantization = library("onnxruntime.quantization", "onnxruntime")
    batches = iter([{"image": one[None]} for one in net.samples])

    class Samples(quantization.CalibrationDataReader):  # type: ignore[name-defined]
        """Gives the samples one by one."""

        def get_next(self) -> dict[str, np.ndarray] | None:
            """The next one, None behind the last."""
            return next(batches, None)

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "float32.onnx", Path(folder) / "int8.onnx"
        source.write_bytes(to_onnx(net.model))
        quantization.quantize_static(source, target, Samples(), per_channel=True)
        return target.read_bytes()


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
    Recipe("ONNX float32", "exported again", lambda net: to_onnx(net.model), (SEPARABLE,), ".onnx"),
    Recipe("ONNX int8", "weights by channel", onnx_int8, suffix=".onnx"),
)
