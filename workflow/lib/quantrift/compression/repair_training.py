"""Training of a compressed network on more inputs, within its method, to repair it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.base.paths import TRAINABLE
from quantrift.compression import method
from quantrift.compression.learned_inputs import learned
from quantrift.compression.original import Original
from quantrift.compression.trainable import restore
from quantrift.config.training import Training
from quantrift.data.inputs import Floats, Inputs, Integers
from quantrift.models.training.training_run import fit, reproducible


def trained_on(
    folders: tuple[Path, Path],
    inputs: Inputs,
    compression: Mapping[str, Any],
    values: Floats,
    labels: Integers,
    training: Training,
) -> bytes:
    """Content of the .tflite file of a compressed network after more training.

    Args:
        folders: of the original and of the compressed network, which ``quantrift.compression.build`` wrote.
        inputs: what the original was trained on; nothing is learned from them here.
        compression: settings of the method.
        values: what is learned, float32 (n, H, W, C), n > 0.
        labels: their labels, int64 (n,).
        training: how.

    Raises:
        QuantriftError: if the stored weights belong to another network, or if TensorFlow already runs in this process
            with another number of threads.
    """
    reproducible(training)
    settings = method.settings(compression)
    made = method.load_trained(settings.method).trainable(Original(folders[0]), inputs, settings)
    restore(made.network, folders[1] / TRAINABLE)
    fit(made.network, learned(inputs.dataset, inputs.title, inputs.class_names, values, labels), training)
    return made.content()
