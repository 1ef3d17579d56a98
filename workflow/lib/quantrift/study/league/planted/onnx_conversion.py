"""Conversions to .onnx files with rounding written out before and behind each operation (QDQ)."""

import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quantrift.core.networks.libraries import library

Method = Literal["MinMax", "Entropy", "Percentile"]
"""How ONNX Runtime finds the ranges of activations."""


def onnx_int8(original: bytes, samples: np.ndarray, per_channel: bool = True, method: Method = "MinMax") -> bytes:
    """An .onnx file in 8 bits.

    Args:
        original: float .onnx file with the input ``image``.
        samples: float32 (n, H, W, C), on which the ranges of activations are measured.
        per_channel: whether each output channel's weights have a scale of their own.
        method: of the ranges.
    """
    quantization = library("onnxruntime.quantization", "onnxruntime")
    batches = iter([{"image": one[None]} for one in samples])

    class Samples(quantization.CalibrationDataReader):  # type: ignore[name-defined]
        """Gives the samples one by one."""

        def get_next(self) -> dict[str, np.ndarray] | None:
            """The next one, None behind the last."""
            return next(batches, None)

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "float32.onnx", Path(folder) / "int8.onnx"
        source.write_bytes(original)
        ranges: Any = quantization.CalibrationMethod[method]
        quantization.quantize_static(source, target, Samples(), per_channel=per_channel, calibrate_method=ranges)
        return target.read_bytes()


def onnx_dynamic(original: bytes) -> bytes:
    """An .onnx file with weights in 8 bits and activations quantized as they come."""
    quantization = library("onnxruntime.quantization", "onnxruntime")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "float32.onnx", Path(folder) / "dynamic.onnx"
        source.write_bytes(original)
        quantization.quantize_dynamic(source, target, weight_type=quantization.QuantType.QUInt8)
        return target.read_bytes()
