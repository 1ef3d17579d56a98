"""Inference with TensorFlow itself, on one thread, of Keras networks in given files."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.core.base import extras
from quantrift.core.networks.own import tensorflow

if TYPE_CHECKING:
    import keras

SUFFIXES = (".keras", ".h5")
PACKAGES = tensorflow.PACKAGES
ORIGINAL, COMPRESSED = tensorflow.ORIGINAL, None


class TensorFlow(tensorflow.TensorFlow):
    """A Keras network in a .keras or .h5 file, from images to logits; a softmax at its end is left out."""

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on ``batch`` inputs at once.

        Raises:
            QuantriftError: if the file is missing, damaged or no network from images to logits; if TensorFlow is not
                installed, or already runs in this process on more threads.
        """
        extras.check(Path(path).name, "tensorflow")
        super().__init__(path, batch)

    def _read(self, path: Path) -> "keras.Model":
        from quantrift.core.networks.foreign.given_keras import read_network

        return read_network(path)


load = TensorFlow
