"""Training of a compressed network on more inputs, within its method, to repair it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.core.base.inputs import Floats, Inputs, Integers
from quantrift.core.base.paths import TRAINABLE
from quantrift.core.networks.training.learned_inputs import learned
from quantrift.core.networks.training.original import Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.training import Training
from quantrift.study.compression import method
from quantrift.study.compression.trainable import restore


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
        folders: of the original and of the compressed network, which ``quantrift.study.compression.build`` wrote.
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
