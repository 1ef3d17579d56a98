"""Runtimes by name."""

from importlib import import_module
from pathlib import Path

from quantrift.base.errors import QuantriftError, nearest
from quantrift.models.runtime_protocol import Runtime

RUNTIMES = {"litert": "LiteRT", "openvino": "OpenVINO", "onnxruntime": "ONNXRuntime", "tensorflow": "TensorFlow"}
"""Name, which is also the module's -> class. LiteRT and OpenVINO read .tflite files, ONNX Runtime .onnx, TensorFlow
.keras and .h5."""
PACKAGES = {
    "litert": ("ai-edge-litert",),
    "openvino": ("openvino",),
    "onnxruntime": ("onnxruntime",),
    "tensorflow": ("keras", "tensorflow"),
}
"""Name -> packages whose versions its results depend on."""


def runtime_of(path: Path) -> str:
    """Name of the runtime that a compressed network's file is for, told from how its name ends."""
    return "onnxruntime" if path.suffix == ".onnx" else "litert"


def load_runtime(name: str, path: str | Path, batch: int = 256) -> Runtime:
    """The network in the file ``path`` on the runtime called ``name``; at most ``batch`` inputs are run at once.

    Raises:
        QuantriftError: if there is no such runtime, its library is not installed, or it cannot run the file.
    """
    if name not in RUNTIMES:
        raise QuantriftError(f"there is no runtime '{name}'; {nearest(name, RUNTIMES)}")
    # Libraries are loaded only where they are used: a search process starts in a fraction of a second.
    runtime: Runtime = getattr(import_module(f"quantrift.models.runtimes.{name}"), RUNTIMES[name])(path, batch)
    return runtime
