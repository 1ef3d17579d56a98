"""Drawn shapes, three tiny networks for them, and compressed files of these, faultless ones and ones with a fault.

The networks tell where one shape is, which there are, and boxes around them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import keras
import numpy as np
from keras import layers, ops

from quantrift.core.base.streams import stream
from quantrift.study.league.planted.conversion import dynamic, float16, int8
from quantrift.study.league.planted.faults import behind

SIDE = 16
"""Rows and columns of an image."""
GRID = 4
"""Cells of the detector along a side; each tells one box."""
KINDS = 2
"""Kinds of shapes: filled squares, and rings."""
EPOCHS = 20


@dataclass(frozen=True, eq=False)
class Shapes:
    """Drawn images with what is true of them."""

    images: np.ndarray
    """Float32 (n, 16, 16, 1), 0 to 1."""
    truth: np.ndarray
    """By task: row and column of the shape, (n, 2); presence of each kind, (n, 2); boxes and kinds, (n, 2, 5)."""


@dataclass(frozen=True)
class Drawn:
    """A network for drawn shapes, before training."""

    build: Callable[[], keras.Model]
    learned: Callable[[np.ndarray], list[np.ndarray]]
    """What it learns, by output, of the truth."""
    losses: Sequence[Any]
    """Of each output: the name of a loss, or a function of the truth and of what the network says."""


def shapes(task: str, count: int, part: str) -> Shapes:
    """Images for a task, the same each time; ``part`` names the set, like ``train``."""
    rng = stream("drawn shapes", task, part)
    images = np.zeros((count, SIDE, SIDE, 1), np.float32)
    truth: list[Any] = []
    for image in images:
        image += rng.uniform(0, 0.15, image.shape)
        if task == "regress":
            kinds = [int(rng.integers(KINDS))]
        else:
            kinds = [kind for kind in range(KINDS) if rng.random() < 0.6]
        # Each in a half of its own, so that no shape covers another.
        halves = zip(kinds, _halves(len(kinds), rng), strict=True)
        boxes = [_drawn(image, kind, rng, columns) for kind, columns in halves]
        if task == "regress":
            top, left, bottom, right = boxes[0]
            truth.append([(top + bottom) / 2, (left + right) / 2])
        elif task == "multilabel":
            truth.append([float(kind in kinds) for kind in range(KINDS)])
        else:
            empty = [[np.nan] * 5] * (KINDS - len(kinds))
            truth.append([*([*box, kind] for box, kind in zip(boxes, kinds, strict=True)), *empty])
    # On a grid of 8 bits, as pictures are.
    return Shapes(np.rint(255 * images.clip(0, 1)).astype(np.float32) / np.float32(255), np.array(truth, np.float32))


def _halves(count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Columns for each shape."""
    halves = [(0, SIDE // 2), (SIDE // 2, SIDE)]
    return [(0, SIDE)] if count == 1 else [halves[place] for place in rng.permutation(2)[:count]]


def _drawn(image: np.ndarray, kind: int, rng: np.random.Generator, columns: tuple[int, int]) -> list[float]:
    """Draw one shape; its corners, row before column, in pixels."""
    size = int(rng.integers(4, 7))
    top, left = int(rng.integers(0, SIDE - size + 1)), int(rng.integers(columns[0], columns[1] - size + 1))
    image[top : top + size, left : left + size] = rng.uniform(0.7, 1.0)
    if kind == 1:
        image[top + 1 : top + size - 1, left + 1 : left + size - 1] = 0.1
    return [float(top), float(left), float(top + size), float(left + size)]


def _body(given: keras.KerasTensor) -> keras.KerasTensor:
    x = layers.Conv2D(16, 3, 2, "same", activation="relu", name="conv1")(given)
    return layers.Conv2D(24, 3, 2, "same", activation="relu", name="conv2")(x)


def _dense(units: int, activation: str | None, name: str) -> keras.Model:
    given = keras.Input((SIDE, SIDE, 1), name="image")
    x = layers.Dense(32, activation="relu", name="dense")(layers.Flatten(name="flat")(_body(given)))
    return keras.Model(given, layers.Dense(units, activation, name=name)(x))


def _detector() -> keras.Model:
    """Each cell tells a box by its centre, as an offset of the cell's, and its size; and a score of each kind."""
    given = keras.Input((SIDE, SIDE, 1), name="image")
    x = layers.Conv2D(32, 3, 1, "same", activation="relu", name="conv3")(_body(given))
    cells = GRID * GRID
    boxes = layers.Reshape((cells, 4), name="boxes")(layers.Conv2D(4, 3, 1, "same", name="box_head")(x))
    scores = layers.Conv2D(KINDS, 3, 1, "same", activation="sigmoid", name="score_head")(x)
    return keras.Model(given, {"boxes": boxes, "scores": layers.Reshape((cells, KINDS), name="scores")(scores)})


def _cells(truth: np.ndarray) -> list[np.ndarray]:
    """Of each cell: its box (4), the share of it that counts (4); and scores (kinds)."""
    boxes = np.zeros((len(truth), GRID * GRID, 8), np.float32)
    scores = np.zeros((len(truth), GRID * GRID, KINDS), np.float32)
    for number, rows in enumerate(truth):
        for row in rows[np.isfinite(rows[:, 0])]:
            cell = (np.minimum((row[:2] + row[2:4]) / 2, SIDE - 1) * GRID // SIDE).astype(int)
            place = cell[0] * GRID + cell[1]
            boxes[number, place] = [*row[:4], 1, 1, 1, 1]
            scores[number, place, int(row[4])] = 1
    return [boxes, scores]


def _of_cells(truth: keras.KerasTensor, said: keras.KerasTensor) -> keras.KerasTensor:
    """Squared error of the boxes of cells that have one."""
    return ops.mean(ops.sum(truth[..., 4:] * ops.square(truth[..., :4] - said) / SIDE, axis=(1, 2)))


DRAWN = {
    "regress": Drawn(partial(_dense, 2, None, "position"), lambda truth: [truth], ["mse"]),
    "multilabel": Drawn(partial(_dense, KINDS, "sigmoid", "kinds"), lambda truth: [truth], ["binary_crossentropy"]),
    "detect": Drawn(_detector, _cells, [_of_cells, "binary_crossentropy"]),
}
"""Networks by their tasks."""


def trained(task: str, count: int = 1500, epochs: int = EPOCHS) -> keras.Model:
    """The network for a task, trained on ``count`` images; float32, the same each time on one type of processor."""
    drawn, data = DRAWN[task], shapes(task, count, "train")
    keras.utils.set_random_seed(0)
    model = drawn.build()
    model.compile(keras.optimizers.Adam(0.003), loss=_by_output(model, drawn.losses))
    model.fit(data.images, _by_output(model, drawn.learned(data.truth)), 32, epochs, verbose=0)
    return model


def _by_output(model: keras.Model, each: Sequence[Any]) -> Any:
    """Something of each output by its name, or that of the only one."""
    return dict(zip(model.output, each, strict=True)) if isinstance(model.output, dict) else each[0]


Make = Callable[[keras.Model, np.ndarray], bytes]
"""From a trained network and samples, float32 (n, H, W, C), to the content of a .tflite file."""


def _of_outputs(
    model: keras.Model, change: Mapping[str, Callable[[keras.KerasTensor], keras.KerasTensor]]
) -> keras.Model:
    """The network with outputs changed: by their name, or the only one by ``""``."""
    if not isinstance(model.output, dict):
        return keras.Model(model.input, change[""](model.output))
    outputs = {name: change[name](one) if name in change else one for name, one in model.output.items()}
    return keras.Model(model.input, outputs)


def _swapped(x: keras.KerasTensor) -> keras.KerasTensor:
    """The last axis in reverse order."""
    return keras.ops.flip(x, axis=-1)


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
    "inputs shifted by two pixels": _faulty(lambda model: behind(model, _shifted)),
    "inputs from -1 to 1": _faulty(lambda model: behind(model, layers.Rescaling(2.0, -1.0))),
}
FAULTS: Mapping[str, Mapping[str, Make]] = {
    "regress": {
        "outputs swapped": _faulty(lambda model: _of_outputs(model, {"": _swapped})),
        "scale of outputs": _faulty(lambda model: _of_outputs(model, {"": layers.Rescaling(1.2)})),
        **_PREPROCESSING,
    },
    "multilabel": {
        "outputs swapped": _faulty(lambda model: _of_outputs(model, {"": _swapped})),
        "scale of outputs": _faulty(lambda model: _of_outputs(model, {"": layers.Rescaling(0.5)})),
        "inputs from -1 to 1": _PREPROCESSING["inputs from -1 to 1"],
    },
    "detect": {
        "classes swapped": _faulty(lambda model: _of_outputs(model, {"scores": _swapped})),
        "scale of boxes": _faulty(lambda model: _of_outputs(model, {"boxes": layers.Rescaling(0.6)})),
        "scale of scores": _faulty(lambda model: _of_outputs(model, {"scores": layers.Rescaling(0.5)})),
        **_PREPROCESSING,
    },
}
"""Task -> name of a fault -> file with it; held-out images say whether it breaks the network."""
