"""Errors of activations as ONNX Runtime's ``quantization.qdq_loss_debug`` compares them."""

import tempfile
from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_values.onnx_layers import LayeredONNX
from quantrift.core.networks.libraries import library
from quantrift.study.league.outputs import of_any_outputs

PACKAGE = "onnxruntime"
INPUTS = 64
"""Inputs that are compared, all at once."""


def errors(original: Path, compressed: Path, inputs: np.ndarray) -> dict[str, float]:
    """Layer, or ``output`` -> the library's ``xmodel_err``: SQNR of its activation between both networks, in dB.

    Activations that the quantized file does not round are not compared by the library.

    Args:
        original: float .onnx.
        compressed: the same with QuantizeLinear and DequantizeLinear, .onnx.
        inputs: float32 (n, H, W, C), of which the first ``INPUTS`` are run.
    """
    debug = library(f"{PACKAGE}.quantization.qdq_loss_debug", PACKAGE)
    network = of_any_outputs(LayeredONNX, original, INPUTS)
    feed = network.feed(inputs[:INPUTS])
    names = network.tensor_names()
    activations = []
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder:
        for number, path in enumerate((original, compressed)):
            augmented = Path(folder) / f"{number}.onnx"
            debug.modify_model_output_intermediate_tensors(str(path), str(augmented))
            # Of what reads inputs it asks only for one batch after the other.
            activations.append(debug.collect_activations(str(augmented), [feed]))
    matched = debug.create_activation_matching(activations[1], activations[0])
    found = debug.compute_activation_error({name: one for name, one in matched.items() if "float" in one})
    return {names[name]: one["xmodel_err"] for name, one in found.items() if name in names}
