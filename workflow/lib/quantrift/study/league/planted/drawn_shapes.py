"""Drawn shapes, and three tiny networks for them: where one shape is, which there are, and boxes around them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
from keras import layers, ops

from quantrift.core.base.streams import stream

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

    task: str
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
        boxes = [
            _drawn(image, kind, rng, columns) for kind, columns in zip(kinds, _halves(len(kinds), rng), strict=True)
        ]
        if task == "regress":
            top, left, bottom, right = boxes[0]
            truth.append([(top + bottom) / 2, (left + right) / 2])
        elif task == "multilabel":
            truth.append([float(kind in kinds) for kind in range(KINDS)])
        else:
            rows = [[*box, kind] for box, kind in zip(boxes, kinds, strict=True)]
            truth.append(rows + [[np.nan] * 5] * (KINDS - len(rows)))
    # On a grid of 8 bits, as pictures are.
    return Shapes(np.rint(255 * images.clip(0, 1)).astype(np.float32) / np.float32(255), np.array(truth, np.float32))


def _halves(count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Columns for each shape."""
    halves = [(0, SIDE // 2), (SIDE // 2, SIDE)]
    return [(0, SIDE)] if count == 1 else [halves[place] for place in rng.permutation(2)[:count]]


def _drawn(image: np.ndarray, kind: int, rng: np.random.Generator, columns: tuple[int, int]) -> list[float]:
    """Draw one shape; its corners, row before column, in pixels."""
    size = int(rng.integers(4, 7))
    top = int(rng.integers(0, SIDE - size + 1))
    left = int(rng.integers(columns[0], columns[1] - size + 1))
    image[top : top + size, left : left + size] = rng.uniform(0.7, 1.0)
    if kind == 1:
        image[top + 1 : top + size - 1, left + 1 : left + size - 1] = 0.1
    return [float(top), float(left), float(top + size), float(left + size)]


def _body(given: keras.KerasTensor) -> keras.KerasTensor:
    x = layers.Conv2D(16, 3, 2, "same", activation="relu", name="conv1")(given)
    return layers.Conv2D(24, 3, 2, "same", activation="relu", name="conv2")(x)


def _regression() -> keras.Model:
    given = keras.Input((SIDE, SIDE, 1), name="image")
    x = layers.Dense(32, activation="relu", name="dense")(layers.Flatten(name="flat")(_body(given)))
    return keras.Model(given, layers.Dense(2, name="position")(x))


def _multilabel() -> keras.Model:
    given = keras.Input((SIDE, SIDE, 1), name="image")
    x = layers.Dense(32, activation="relu", name="dense")(layers.Flatten(name="flat")(_body(given)))
    return keras.Model(given, layers.Dense(KINDS, activation="sigmoid", name="kinds")(x))


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
            centre = (row[:2] + row[2:4]) / 2
            cell = (np.minimum(centre, SIDE - 1) * GRID // SIDE).astype(int)
            place = cell[0] * GRID + cell[1]
            boxes[number, place] = [*row[:4], 1, 1, 1, 1]
            scores[number, place, int(row[4])] = 1
    return [boxes, scores]


def _of_cells(truth: keras.KerasTensor, said: keras.KerasTensor) -> keras.KerasTensor:
    """Squared error of the boxes of cells that have one."""
    error = truth[..., 4:] * ops.square(truth[..., :4] - said) / SIDE
    return ops.mean(ops.sum(error, axis=(1, 2)))


DRAWN = {
    "regress": Drawn("regress", _regression, lambda truth: [truth], ["mse"]),
    "multilabel": Drawn("multilabel", _multilabel, lambda truth: [truth], ["binary_crossentropy"]),
    "detect": Drawn("detect", _detector, _cells, [_of_cells, "binary_crossentropy"]),
}


def trained(task: str, count: int = 1500, epochs: int = EPOCHS) -> keras.Model:
    """The network for a task, trained on ``count`` images; float32, the same each time on one type of processor."""
    drawn, data = DRAWN[task], shapes(task, count, "train")
    keras.utils.set_random_seed(0)
    model = drawn.build()
    model.compile(keras.optimizers.Adam(0.003), loss=_losses(model, drawn))
    learned = drawn.learned(data.truth)
    if isinstance(model.output, dict):
        model.fit(data.images, dict(zip(model.output, learned, strict=True)), 32, epochs, verbose=0)
    else:
        model.fit(data.images, learned[0], 32, epochs, verbose=0)
    return model


def _losses(model: keras.Model, drawn: Drawn) -> Any:
    return dict(zip(model.output, drawn.losses, strict=True)) if isinstance(model.output, dict) else drawn.losses[0]
