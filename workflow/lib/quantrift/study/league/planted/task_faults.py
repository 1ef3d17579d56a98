"""Compressed files of the networks for drawn shapes: faultless ones, and ones with a planted fault."""

from collections.abc import Callable, Mapping

import keras
import numpy as np
from keras import layers

from quantrift.study.league.planted.conversion import dynamic, float16, int8

Make = Callable[[keras.Model, np.ndarray], bytes]
"""From a trained network and samples, float32 (n, H, W, C), to the content of a .tflite file."""


def _of_outputs(
    model: keras.Model, change: Mapping[str, Callable[[keras.KerasTensor], keras.KerasTensor]]
) -> keras.Model:
    """The network with outputs changed: by their name, or the only one by ``""``."""
    if not isinstance(model.output, dict):
        return keras.Model(model.input, change[""](model.output))
    return keras.Model(model.input, {name: change.get(name, _same)(one) for name, one in model.output.items()})


def _same(x: keras.KerasTensor) -> keras.KerasTensor:
    return x


def _scaled(by: float) -> Callable[[keras.KerasTensor], keras.KerasTensor]:
    return layers.Rescaling(by)


def _swapped(x: keras.KerasTensor) -> keras.KerasTensor:
    """The last axis in reverse order."""
    return keras.ops.flip(x, axis=-1)


def _on_other_inputs(model: keras.Model, before: Callable[[keras.KerasTensor], keras.KerasTensor]) -> keras.Model:
    given = keras.Input(model.input.shape[1:], name="image")
    return keras.Model(given, model(before(given)))


def _shifted(x: keras.KerasTensor) -> keras.KerasTensor:
    """Two pixels to the right, as a wrong crop does."""
    return layers.ZeroPadding2D(((0, 0), (2, 0)))(layers.Cropping2D(((0, 0), (0, 2)))(x))


def _faulty(change: Callable[[keras.Model], keras.Model]) -> Make:
    return lambda model, samples: int8(change(model), samples)


SOUND: Mapping[str, Make] = {
    "float16": lambda model, samples: float16(model),
    "dynamic range": lambda model, samples: dynamic(model),
    "int8": int8,
}
"""Files without a fault."""
_PREPROCESSING: Mapping[str, Make] = {
    "inputs shifted by two pixels": _faulty(lambda model: _on_other_inputs(model, _shifted)),
    "inputs from -1 to 1": _faulty(lambda model: _on_other_inputs(model, layers.Rescaling(2.0, -1.0))),
}
FAULTS: Mapping[str, Mapping[str, Make]] = {
    "regress": {
        "outputs swapped": _faulty(lambda model: _of_outputs(model, {"": _swapped})),
        "scale of outputs": _faulty(lambda model: _of_outputs(model, {"": _scaled(1.2)})),
        **_PREPROCESSING,
    },
    "multilabel": {
        "outputs swapped": _faulty(lambda model: _of_outputs(model, {"": _swapped})),
        "scale of outputs": _faulty(lambda model: _of_outputs(model, {"": _scaled(0.5)})),
        "inputs from -1 to 1": _PREPROCESSING["inputs from -1 to 1"],
    },
    "detect": {
        "classes swapped": _faulty(lambda model: _of_outputs(model, {"scores": _swapped})),
        "scale of boxes": _faulty(lambda model: _of_outputs(model, {"boxes": _scaled(0.6)})),
        "scale of scores": _faulty(lambda model: _of_outputs(model, {"scores": _scaled(0.5)})),
        **_PREPROCESSING,
    },
}
"""Task -> name of a fault -> file with it; held-out images say whether it breaks the network."""
