"""Core ML itself, on macOS: runs the packages that the compression ``coreml`` makes beside its models.

Not tried so far, as no Mac was at hand. Everywhere else these packages' weights run in float, on LiteRT.
"""

import importlib
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from quantrift.core.networks.batches import Batches, Runtime

FILE = "model.mlpackage.zip"
"""Name of a package beside its model; it holds one folder."""
INPUT = "image"
"""Name of a package's input, float32 (1, H, W, C)."""


def runnable(compressed: Path) -> Path | None:
    """The package that Core ML can run here in place of a .tflite file; None without one, macOS or coremltools."""
    package = compressed.with_name(FILE)
    runs = sys.platform == "darwin" and find_spec("coremltools") is not None and package.is_file()
    return package if runs else None


class CoreML(Batches):
    """A network in a package, from images to logits, on the processor alone and one input after the other."""

    def __init__(self, package: Path, same: Runtime) -> None:
        """Loads ``package``, whose inputs and classes are those of ``same``."""
        coremltools = importlib.import_module("coremltools")
        # Core ML compiles a folder when it loads it, and may read from it later.
        self._folder = tempfile.TemporaryDirectory()
        with zipfile.ZipFile(package) as archive:
            archive.extractall(self._folder.name)
        [folder] = Path(self._folder.name).iterdir()
        self._model = coremltools.models.MLModel(str(folder), compute_units=coremltools.ComputeUnit.CPU_ONLY)
        super().__init__(package, same.input_shape, same.classes, batch=1, fixed=1)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        [logits] = self._model.predict({INPUT: rows}).values()
        return np.asarray(logits, np.float32).reshape(1, self.classes)
