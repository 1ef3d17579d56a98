"""Stored difference-inducing inputs on a new build: do the networks still disagree?"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.assess import given
from quantrift.assess.layout import channels_last
from quantrift.assess.networks import Ready, compressed, original
from quantrift.config.errors import QuantriftError
from quantrift.data.arrays import read_arrays
from quantrift.models.foreign.reader import ForeignFiles

STORED = "label_original"


@dataclass(frozen=True, eq=False)
class Still:
    """What both networks say of stored inputs."""

    original: np.ndarray
    """Labels, int64 (n,)."""
    compressed: np.ndarray
    """Labels, int64 (n,)."""

    @property
    def rows(self) -> np.ndarray:
        """Rows of the file on which they disagree, ascending."""
        return np.flatnonzero(self.original != self.compressed)


def still(dii: Path, compressed_path: Path, original_path: Path | None = None) -> Still:
    """Run stored inputs again.

    Args:
        dii: .npz with ``inputs``, and ``label_original`` where no original is given (``quantrift.assess.dii``).
        compressed_path: the new build, .tflite or .onnx.
        original_path: what it is compared with, in any form that ``quantrift assess`` takes; the stored labels of the
            original where it is not given.

    Raises:
        QuantriftError: if a file cannot be read, or they do not fit each other.
    """
    arrays = given.read(dii, array="inputs")
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder, ForeignFiles() as files:
        new = compressed(compressed_path, files)
        if original_path is not None:
            labels = _labels(original(original_path, Path(folder), files), arrays.values, dii, original_path)
        else:
            stored = read_arrays(dii)
            if STORED not in stored or len(stored[STORED]) != len(arrays.values):
                raise QuantriftError(f"{dii}: has no labels of the original, array '{STORED}'; give --original")
            labels = stored[STORED].astype(np.int64)
    return Still(labels, _labels(new, arrays.values, dii, compressed_path))


def _labels(network: Ready, values: np.ndarray, dii: Path, path: Path) -> np.ndarray:
    inputs, _ = channels_last(values, network.network.input_shape, dii.name, path.name)
    found: np.ndarray = network.network(inputs.astype(np.float32)).argmax(axis=1)
    return found
