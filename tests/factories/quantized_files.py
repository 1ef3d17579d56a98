"""A small classifier in 8 bits, in both kinds of files, to plant faults in."""

from collections.abc import Callable
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers
from tests.factories.networks import chain

from quantrift.core.networks.runtimes.onnxruntime import export
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.study.board.public_quantizers import onnx_static
from quantrift.study.league.planted.conversion import int8
from quantrift.study.league.planted.stored_weights import Edited, EditedTFLite
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX


def blobs() -> np.ndarray:
    """80 images of squares, float32 (80, 12, 12, 1), 0 to 1."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (80, 3, 3, 1)).repeat(4, axis=1).repeat(4, axis=2)
    images: np.ndarray = (coarse / 255).astype(np.float32)
    return images


def classifier() -> keras.Model:
    """Two convolutions, ``first`` and ``second``, and four logits."""
    model = chain(
        (12, 12, 1),
        layers.Conv2D(6, 3, 2, activation="relu", name="first"),
        layers.Conv2D(8, 3, 1, activation="relu", name="second"),
        layers.GlobalAveragePooling2D(name="pool"),
        layers.Dense(4, name="logits"),
    )
    rng = np.random.default_rng(1)
    # The converter leaves out a bias of 0.
    model.set_weights([one + rng.normal(0, 0.1, one.shape) if one.ndim == 1 else one for one in model.get_weights()])
    return model


@dataclass(frozen=True)
class Made:
    """Content of files of one kind."""

    original: bytes
    int8: bytes
    edited: Callable[[bytes], Edited]


def made(model: keras.Model) -> dict[str, Made]:
    """Files of a classifier of such images, by ending."""
    original = export(model)
    return {
        ".tflite": Made(to_tflite(model), int8(model, blobs()), EditedTFLite),
        ".onnx": Made(original, onnx_static(original, blobs()), EditedONNX),
    }
