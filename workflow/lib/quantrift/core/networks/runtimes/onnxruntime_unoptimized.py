"""Inference with ONNX Runtime without graph optimizations, on one thread: each operation as the file states it."""

from functools import partial

from quantrift.core.networks.runtimes import onnxruntime

SUFFIXES: tuple[str, ...] = ()
"""It runs ONNX Runtime's files, when asked to."""
PACKAGES = onnxruntime.PACKAGES
ORIGINAL, COMPRESSED = onnxruntime.ORIGINAL, None
WAYS = dict.fromkeys(onnxruntime.SUFFIXES, "unoptimized")
HOW = "ONNX Runtime without graph optimizations"

export = onnxruntime.export


class Unoptimized(onnxruntime.ONNXRuntime):
    """A network in an .onnx file, none of whose operations are fused or replaced."""

    OPTIMIZATIONS = "ORT_DISABLE_ALL"


load, load_values = Unoptimized, partial(Unoptimized, values=True)
