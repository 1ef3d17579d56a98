"""Conversion to Core ML, with weights in 32, 16 or 8 bits (DiffChaser, Table 2).

A package is made by Apple's tools. Core ML runs on Apple's systems only, so elsewhere what runs is the network with the
weights that the package holds, in float: what Core ML's own arithmetic adds to their rounding is not part of it. On
macOS searches run the package itself (``networks.coreml``).
"""

import io
import logging
import tempfile
from contextlib import redirect_stderr
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.plugins import library
from quantrift.core.networks.coreml import FILE
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression
from quantrift.study.compression.coreml_package import PACKAGE, packed, weights

if TYPE_CHECKING:
    import keras

BITS = {
    "float32": {"weight": 32, "bias": 32},
    "float16": {"weight": 16, "bias": 16},
    "int8": {"weight": 8, "bias": 32},
}
"""Bits of one number of each kind, by how the weights are stored."""


class Settings(Compression):
    """Conversion to Core ML (DiffChaser, Table 2); needs coremltools. Its weights run in float, but on macOS."""

    method: Literal["coreml"] = "coreml"
    weights: Literal["float32", "float16", "int8"]
    """As what the package stores the weights."""


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The 2-D twin, with the weights of its Core ML package in float; the package lies beside it.

    Weights in 8 bits have a range of their own for each output channel, from its smallest to its largest (the linear
    mode of coremltools, the default when DiffChaser was published); biases stay in 32 bits.

    Raises:
        QuantriftError: if coremltools is not installed, or a layer is of a kind that is not built for Core ML here.
    """
    from quantrift.core.networks.tflite_files import to_tflite
    from quantrift.study.compression.coreml_program import with_weights

    # It warns of versions of libraries whose networks it could convert too, which are not converted here.
    logging.getLogger("coremltools").setLevel(logging.CRITICAL)
    coremltools = library(
        "coremltools",
        "method coreml needs coremltools, which is not installed; run `pip install quantrift[coreml]`, or "
        "leave the compression out",
    )
    # Its progress bars are for conversions that take minutes.
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        package = packed(converted(original.twin, settings.weights, coremltools), Path(folder), coremltools)
        stored = weights(Path(folder) / PACKAGE, coremltools)
    bits = sum(BITS[settings.weights][kind] * of.size for one in stored.values() for kind, of in one.items())
    facts = {
        "runs": "converted weights in float",
        "package_bytes": len(package),
        "coremltools": version("coremltools"),
    }
    return Compressed(to_tflite(with_weights(original.twin, stored)), bits, facts, {FILE: package})


def converted(model: "keras.Model", stored_as: str, coremltools: Any) -> Any:
    """The Core ML model of a network, with weights stored as ``float32``, ``float16`` or ``int8``.

    With float16 it also computes in 16 bits, as Core ML does unless told otherwise.
    """
    from quantrift.study.compression.coreml_program import program

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
