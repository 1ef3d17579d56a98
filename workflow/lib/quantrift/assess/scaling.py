"""What the numbers of inputs mean: images of 8 bits on some scale, or any real numbers; whether networks fit them.

Floating-point inputs reach the original as they are given, so that what it says is what its owner sees. Bytes have no
scale of their own: the one is found under which the original is right most often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.config.errors import QuantriftError
from quantrift.data.inputs import ImageStack, Inputs, ValueStack
from quantrift.models.evaluate import accuracy
from quantrift.models.runtimes.protocol import Runtime

SCALES = ((0.0, 255.0), (0.0, 1.0), (-1.0, 1.0))
"""Black and white of images as networks want them."""
GRID = 1e-3
"""How far from whole steps of 8 bits, in steps, float32 may leave a value."""
TRIED = 500
"""Inputs on which scales are compared."""
MUCH = 0.3
"""By how much the share of correct labels must be larger for another scale to be believed."""
WIDER = 4.0
"""How often the range that a quantized network expects may go into that of the inputs, or the reverse, four times."""
OUTSIDE = 0.25
"""Share of the values that may lie outside the range that a quantized network expects."""


@dataclass(frozen=True, eq=False)
class Said:
    """Inputs, ready for searches, and what was found out about them."""

    inputs: Inputs
    assumed: list[str]


def scaled(
    values: np.ndarray,
    truth: np.ndarray | None,
    class_names: Sequence[str],
    original: Runtime,
    expected: Mapping[str, tuple[float, float]],
    file: Path,
) -> Said:
    """Find out the scale of inputs.

    Args:
        values: (n, H, W, C), integers or floating-point numbers.
        truth: labels, int64 (n,); None where there are none.
        class_names: name of each output of the original.
        original: the network.
        expected: name of a quantized network -> least and greatest value that its input stands for.
        file: for messages, and the title of the inputs.

    Raises:
        QuantriftError: the networks were not made for such values, or there are labels beyond the classes.
    """
    if truth is not None and truth.max() >= len(class_names):
        raise QuantriftError(
            f"{file}: labels reach {int(truth.max())}, but the original tells {len(class_names)} classes, from 0; "
            "name the inputs that it was trained on, and count labels from 0"
        )
    whole = values.dtype.kind in "ui" and values.min() >= 0 and values.max() <= 255
    if whole:
        images = values.astype(np.uint8)
        black, white, why = _scale_of_bytes(images, truth, original, expected)
        assumed = [f"scaling: bytes, black taken as {black:g} and white as {white:g}; {why}"]
        made: Inputs = _images(images, black, white, truth, class_names, file)
    else:
        given = np.ascontiguousarray(values, np.float32)
        made, said = _of_floats(given, truth, class_names, original, file)
        assumed = [said]
        _check_against_labels(given, truth, original, file)
    _check_expected(made, expected, file)
    return Said(_with_labels(made, truth, original), assumed)


def _scale_of_bytes(
    images: np.ndarray,
    truth: np.ndarray | None,
    original: Runtime,
    expected: Mapping[str, tuple[float, float]],
) -> tuple[float, float, str]:
    """Black, white and the reason."""
    if truth is not None:
        share = images[:TRIED].astype(np.float32) / np.float32(255)
        right = [
            accuracy(original(share * np.float32(white - black) + np.float32(black)), truth[:TRIED])
            for black, white in SCALES
        ]
        best = int(np.argmax(right))
        others = ", ".join(
            f"{one:.1%} with {low:g} to {high:g}" for one, (low, high) in zip(right, SCALES, strict=True)
        )
        return *SCALES[best], f"share of correct labels of the original: {others}"
    for name, (low, high) in expected.items():
        distance = [abs(low - black) + abs(high - white) for black, white in SCALES]
        nearest = SCALES[int(np.argmin(np.array(distance) / [white - black for black, white in SCALES]))]
        return *nearest, f"the input of {name} stands for {low:.3g} to {high:.3g}"
    return *SCALES[0], "nothing tells otherwise; give labels, or the numbers that the original takes"


def _of_floats(
    values: np.ndarray, truth: np.ndarray | None, class_names: Sequence[str], original: Runtime, file: Path
) -> tuple[Inputs, str]:
    """Images of 8 bits if that is what the numbers are, to float32's rounding, else the numbers themselves."""
    low, high = float(values.min()), float(values.max())
    for black, white in [*((b, w) for b, w in reversed(SCALES) if b <= low and high <= w), (low, high)]:
        place = (values - np.float32(black)) * np.float32(255 / (white - black))
        levels = np.rint(place)
        if np.abs(place - levels).max() <= GRID:
            made = _images(levels.astype(np.uint8), black, white, truth, class_names, file)
            if _same_labels(original, made, values):
                said = f"images of 8 bits, black {black:.4g} and white {white:.4g}"
                return made, f"scaling: {said}; used as given"
    if (low, high) != (bounds := _bounds(low, high)):
        said = f"numbers from {low:.4g} to {high:.4g}, taken to lie between {bounds[0]:g} and {bounds[1]:g}"
    else:
        mean, deviation = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        kind = "standardised numbers" if abs(mean) < 0.5 and 0.5 < deviation < 2 else "numbers"
        said = f"{kind} from {low:.4g} to {high:.4g}, mean {mean:.3g}, standard deviation {deviation:.3g}"
    common = _common(len(values), truth, class_names, file)
    return ValueStack(values=values, low=bounds[0], high=bounds[1], **common), f"scaling: {said}; used as given"


def _bounds(low: float, high: float) -> tuple[float, float]:
    """The range that values lie in by their nature, where they fill most of it, else their own."""
    for black, white in SCALES:
        if black <= low and high <= white and high - low > (white - black) / 2:
            return black, white
    return low, high


def _same_labels(original: Runtime, made: Inputs, values: np.ndarray) -> bool:
    """Whether the original says the same of images on their grid as of the numbers given."""
    starts = range(0, len(values), TRIED)
    return all(
        np.array_equal(
            original(values[start : start + TRIED]).argmax(axis=1),
            original(made.take(made.test[start : start + TRIED])).argmax(axis=1),
        )
        for start in starts
    )


def _check_against_labels(values: np.ndarray, truth: np.ndarray | None, original: Runtime, file: Path) -> None:
    """Refuse numbers on which the original fails, where it does not on the same numbers on another scale."""
    if truth is None:
        return
    few, labels = values[:TRIED], truth[:TRIED]
    as_given = accuracy(original(few), labels)
    others: dict[str, np.ndarray] = {
        "divided by 255": few / np.float32(255),
        "multiplied by 255": few * np.float32(255),
        "from -1 to 1 instead of 0 to 1": few * np.float32(2) - np.float32(1),
        "from 0 to 1 instead of -1 to 1": (few + np.float32(1)) / np.float32(2),
    }
    right = {name: accuracy(original(other), labels) for name, other in others.items()}
    best = max(right, key=lambda name: right[name])
    if right[best] > as_given + MUCH:
        raise QuantriftError(
            f"{file}: inputs out of range: the original is right on {as_given:.1%} of them as given, on "
            f"{right[best]:.1%} {best}; give them so"
        )


def _check_expected(made: Inputs, expected: Mapping[str, tuple[float, float]], file: Path) -> None:
    """Refuse inputs that lie outside the range that a quantized network was made for, or in a small part of it."""
    values = made.take(made.test[:TRIED])
    low, high = float(values.min()), float(values.max())
    for name, (least, most) in expected.items():
        room = (most - least) / 10
        outside = float(((values < least - room) | (values > most + room)).mean())
        ratio = (high - low) / (most - least)
        if outside > OUTSIDE or ratio > WIDER or ratio < 1 / WIDER**2:
            raise QuantriftError(
                f"{file}: inputs out of range: they reach from {low:.4g} to {high:.4g}, but the 8-bit input of {name} "
                f"stands for {least:.4g} to {most:.4g}; scale them as the networks want them"
            )


def _images(
    images: np.ndarray, black: float, white: float, truth: np.ndarray | None, class_names: Sequence[str], file: Path
) -> ImageStack:
    ends = np.array([black], np.float32), np.array([white], np.float32)
    return ImageStack(images=images, black=ends[0], white=ends[1], **_common(len(images), truth, class_names, file))


def _common(count: int, truth: np.ndarray | None, class_names: Sequence[str], file: Path) -> dict[str, Any]:
    """What all inputs have; each of them serves searches and calibrations alike."""
    every = np.arange(count, dtype=np.int64)
    return {
        "dataset": "given",
        "title": file.name,
        "class_names": list(class_names),
        "labels": np.zeros(count, np.int64) if truth is None else truth,
        "train": every,
        "validation": np.empty(0, np.int64),
        "test": every,
    }


def _with_labels(made: Inputs, truth: np.ndarray | None, original: Runtime) -> Inputs:
    """Without labels, what the original says stands for them."""
    if truth is None:
        for start in range(0, len(made), TRIED):
            part = made.test[start : start + TRIED]
            made.labels[part] = original(made.take(part)).argmax(axis=1)
    return made
