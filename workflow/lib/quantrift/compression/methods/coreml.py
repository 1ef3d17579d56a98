"""Conversion to Core ML, with weights in 32, 16 or 8 bits (DiffChaser, Table 2).

Core ML runs on Apple's systems only. So a package is made by Apple's tools, and what runs here is the network with the
weights that the package holds, in float: what Core ML's own arithmetic adds to their rounding is not part of it.
"""

import io
import logging
import tempfile
from contextlib import redirect_stderr
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

from quantrift.base.errors import QuantriftError
from quantrift.compression.coreml_package import FILE, PACKAGE, Weights, packed, weights
from quantrift.compression.coreml_program import KERNELS, name_of, program
from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import CoreML
from quantrift.data.inputs import Inputs
from quantrift.models.rewriting import copied, rewritten
from quantrift.models.tflite_files import to_tflite

BITS = {
    "float32": {"weight": 32, "bias": 32},
    "float16": {"weight": 16, "bias": 16},
    "int8": {"weight": 8, "bias": 32},
}
"""Bits of one number of each kind, by how the weights are stored."""


def compress(original: Original, inputs: Inputs, settings: CoreML) -> Compressed:
    """The 2-D twin, with the weights of its Core ML package in float; the package lies beside it.

    Weights in 8 bits have a range of their own for each output channel, from its smallest to its largest (the linear
    mode of coremltools, the default when DiffChaser was published); biases stay in 32 bits.

    Raises:
        QuantriftError: if coremltools is not installed, or a layer is of a kind that is not built for Core ML here.
    """
    coremltools = _library()
    # Its progress bars are for conversions that take minutes.
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        package = packed(converted(original.twin, settings.weights, coremltools), Path(folder), coremltools)
        stored = weights(Path(folder) / PACKAGE, coremltools)
    each = BITS[settings.weights]
    bits = sum(each[kind] * values.size for one in stored.values() for kind, values in one.items())
    facts = {
        "runs": "converted weights in float",
        "package_bytes": len(package),
        "coremltools": version("coremltools"),
    }
    return Compressed(to_tflite(with_weights(original.twin, stored)), bits, facts, {FILE: package})


def converted(model: keras.Model, stored_as: str, coremltools: Any) -> Any:
    """The Core ML model of a network, with weights stored as ``float32``, ``float16`` or ``int8``.

    With float16 it also computes in 16 bits, as Core ML does unless told otherwise.
    """
    precision = coremltools.precision
    made = coremltools.convert(
        program(model, coremltools),
        convert_to="mlprogram",
        compute_precision=precision.FLOAT16 if stored_as == "float16" else precision.FLOAT32,
        minimum_deployment_target=coremltools.target.iOS16,
        skip_model_load=True,
    )
    if stored_as != "int8":
        return made
    optimize = coremltools.optimize.coreml
    each = optimize.OpLinearQuantizerConfig(mode="linear", dtype="int8", weight_threshold=0)
    return optimize.linear_quantize_weights(made, optimize.OptimizationConfig(global_config=each))


def with_weights(model: keras.Model, stored: Weights) -> keras.Model:
    """A copy of ``model`` with weights that were read from its package, widened to float32."""
    copy = rewritten(model, copied)
    for layer in copy.layers:
        if layer.weights:
            of_layer = stored[name_of(layer)]
            order = KERNELS["conv" if isinstance(layer, layers.Conv2D) else "linear"]
            values = [of_layer["weight"].transpose(np.argsort(order))]
            if layer.use_bias:
                values.append(of_layer["bias"])
            layer.set_weights([value.astype(np.float32) for value in values])
    return copy


def _library() -> Any:
    # It warns of versions of libraries whose networks it could convert too, which are not converted here.
    logging.getLogger("coremltools").setLevel(logging.CRITICAL)
    try:
        return import_module("coremltools")
    except ModuleNotFoundError as error:
        # Anything else that is missing is a broken installation, which its own message describes best.
        if error.name != "coremltools":
            raise
        raise QuantriftError(
            "method coreml needs coremltools, which is not installed; run `pip install quantrift[coreml]`, or leave "
            "the compression out"
        ) from None
