"""Inference with TensorFlow itself, on one thread: Keras networks, as they were trained."""

from pathlib import Path

import numpy as np

from quantrift.core.networks.batches import Batches
from quantrift.core.networks.one_thread import use_one_thread

SUFFIXES = (".keras", ".h5")
PACKAGES = ("keras", "tensorflow")
ORIGINAL, COMPRESSED = "model.keras", None


class TensorFlow(Batches):
    """A Keras network in a .keras or .h5 file, from images to logits; a softmax at its end is left out.

    TensorFlow's results for an input change in the last bits with the number of inputs run at once, so that every run
    is filled up to that number: one input costs as much as a whole batch.
    """

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on ``batch`` inputs at once.

        Raises:
            QuantriftError: if the file is missing, damaged or no network from images to logits; if TensorFlow is not
                installed, or already runs in this process on more threads.
        """
        use_one_thread(path)
        import tensorflow as tf

        from quantrift.core.networks.foreign.given_keras import read_network

        model = read_network(Path(path))
        image: tuple[int, int, int] = tuple(model.inputs[0].shape[1:])
        self._function = tf.function(
            lambda x: model(x, training=False), input_signature=[tf.TensorSpec((batch, *image), tf.float32)]
        )
        super().__init__(Path(path), image, model.outputs[0].shape[1], batch, fixed=batch)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        logits: np.ndarray = self._function(rows).numpy()
        return logits


load = TensorFlow
