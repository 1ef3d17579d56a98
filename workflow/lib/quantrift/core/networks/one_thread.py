"""TensorFlow on one thread of this process."""

import os
from pathlib import Path

from quantrift.core.base.errors import QuantriftError


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
