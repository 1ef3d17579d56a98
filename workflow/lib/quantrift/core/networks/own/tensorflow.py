"""Networks made here, on TensorFlow itself, on one thread: Keras networks, as they were trained."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.batches import Batches


def use_one_thread(path: str | Path) -> None:
    """Load TensorFlow, quietly, to run on one thread in this process; ``path`` is the network that needs it.

    Raises:
        QuantriftError: if TensorFlow already runs in this process on more threads.
    """
    # Must be said before TensorFlow is loaded; what it would say is about processors with graphics.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf

    try:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:
        raise QuantriftError(
            f"{path}: TensorFlow already runs here on other threads than one; load the network in a new process"
        ) from None


if TYPE_CHECKING:
    import keras

PACKAGES = ("keras", "tensorflow")
ORIGINAL = "model.keras"


class TensorFlow(Batches):
    """A Keras network that was made here, from images to logits.

    TensorFlow's results for an input change in the last bits with the number of inputs run at once, so that every run
    is filled up to that number: one input costs as much as a whole batch.
    """

    def __init__(self, path: str | Path, batch: int = 256) -> None:
        """Loads ``path``, to be run on ``batch`` inputs at once.

        Raises:
            QuantriftError: if the file is missing, damaged or no network from images to logits; if TensorFlow already
                runs in this process on more threads.
        """
        use_one_thread(path)
        import tensorflow as tf

        model = self._read(Path(path))
        image: tuple[int, int, int] = tuple(model.inputs[0].shape[1:])
        self._function = tf.function(
            lambda x: model(x, training=False), input_signature=[tf.TensorSpec((batch, *image), tf.float32)]
        )
        super().__init__(Path(path), image, model.outputs[0].shape[1], batch, fixed=batch)

    def _read(self, path: Path) -> "keras.Model":
        from quantrift.core.networks import keras_files

        return keras_files.load(path)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._function(rows).numpy())


load = TensorFlow
