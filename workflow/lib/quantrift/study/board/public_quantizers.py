"""Public quantizers as their guides have them: ONNX Runtime's, its converter to 16 bits, and ai-edge-quantizer."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from quantrift.core.networks.libraries import library

Quantizer = Callable[[bytes, np.ndarray], bytes]
"""From the content of a float file, and samples as the network takes them, to the content of a compressed file."""
Ranges = Literal["MinMax", "Entropy", "Percentile"]
"""How ONNX Runtime finds the ranges of activations."""


def onnx_prepared(content: bytes, shape: tuple[int, ...], symbolic: bool = True) -> bytes:
    """An .onnx file as ONNX Runtime's guide has it before it is quantized: one shape of inputs, constants folded.

    Args:
        content: of a float .onnx file with one input.
        shape: of one input.
        symbolic: whether shapes that depend on each other are followed by symbols.
    """
    onnx = library("onnx", "onnxruntime")
    # 13 is the first version of operators in which each channel may have its scale.
    model = _model(content)
    if model.opset_import[0].version < 13:
        model = import_module("onnx.version_converter").convert_version(model, 13)
    given = model.graph.input[0]
    given.CopyFrom(onnx.helper.make_tensor_value_info(given.name, onnx.TensorProto.FLOAT, ["n", *shape]))
    # Shapes that were stored for other inputs are found anew.
    del model.graph.value_info[:]
    first = import_module("onnxruntime.quantization.shape_inference").quant_pre_process
    return _quantized(first, model.SerializeToString(), skip_symbolic_shape=not symbolic)


def onnx_static(
    content: bytes,
    samples: np.ndarray,
    per_channel: bool = True,
    ranges: Ranges = "MinMax",
    activations: str = "QInt8",
    weights: str = "QInt8",
    left_out: Sequence[str] = (),
) -> bytes:
    """An .onnx file with rounding written out before and behind each operation (QDQ).

    Args:
        content: of a float .onnx file with one input.
        samples: float32 (n, ...), on which the ranges of activations are measured.
        per_channel: whether each output channel's weights have a scale of their own.
        ranges: method of ONNX Runtime's calibration.
        activations: their type.
        weights: their type.
        left_out: kinds of operations that stay in float.
    """
    quantization = library("onnxruntime.quantization", "onnxruntime")
    graph = _model(content).graph
    name = graph.input[0].name
    # The library takes whatever gives a next batch, and None behind the last, for a reader of inputs.
    reader = SimpleNamespace(get_next=partial(next, iter([{name: one[None]} for one in samples]), None))
    return _quantized(
        quantization.quantize_static,
        content,
        reader,
        per_channel=per_channel,
        activation_type=quantization.QuantType[activations],
        weight_type=quantization.QuantType[weights],
        calibrate_method=quantization.CalibrationMethod[ranges],
        nodes_to_exclude=[node.name for node in graph.node if node.op_type in left_out],
    )


def onnx_dynamic(content: bytes, samples: np.ndarray | None = None) -> bytes:
    """An .onnx file with weights in 8 bits and activations quantized as they come; takes no samples."""
    quantization = library("onnxruntime.quantization", "onnxruntime")
    return _quantized(quantization.quantize_dynamic, content, weight_type=quantization.QuantType.QUInt8)


def onnx_float16(content: bytes, samples: np.ndarray | None = None) -> bytes:
    """An .onnx file that computes in 16 bits; takes no samples."""
    convert = import_module("onnxruntime.transformers.float16").convert_float_to_float16
    return bytes(convert(_model(content), keep_io_types=True).SerializeToString())


def ai_edge(content: bytes, samples: np.ndarray | None = None, *, recipe: str) -> bytes:
    """A .tflite file by a recipe of ai-edge-quantizer that takes no samples."""
    quantizer, recipes = (import_module(f"ai_edge_quantizer.{name}") for name in ("quantizer", "recipe"))
    return bytes(quantizer.Quantizer(content, getattr(recipes, recipe)()).quantize().quantized_model)


def _model(content: bytes) -> Any:
    return library("onnx", "onnxruntime").load_from_string(content)


def _quantized(quantize: Callable[..., None], content: bytes, *given: Any, **settings: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "float32.onnx", Path(folder) / "quantized.onnx"
        source.write_bytes(content)
        quantize(source, target, *given, **settings)
        return target.read_bytes()


WIDE = partial(onnx_static, activations="QUInt16")
QUANTIZERS: Mapping[str, Quantizer] = {
    "static": onnx_static,
    "static, percentiles": partial(onnx_static, ranges="Percentile"),
    "static, activations of 16 bits": WIDE,
    "static, 16 bits": partial(WIDE, weights="QInt16"),
    "dynamic": onnx_dynamic,
    "float16": onnx_float16,
    "weights alone": partial(ai_edge, recipe="weight_only_wi8_afp32"),
    "dynamic, ai-edge-quantizer": partial(ai_edge, recipe="dynamic_wi8_afp32"),
}
"""Name -> quantizer; 8 bits where nothing else is said. The last two are for .tflite files, all others for .onnx."""
