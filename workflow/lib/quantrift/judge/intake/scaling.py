"""Scale of inputs: images of 8 bits on some scale, or real numbers; and whether it suits the networks.

Floating-point inputs reach the original as they are given, so that what it says is what its owner sees. Bytes have no
scale of their own: a user says it, or a file, or labels do where the original is right on one scale alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs, ValueStack
from quantrift.core.networks.evaluate import accuracy
from quantrift.core.networks.evaluate import labels as labels_of
from quantrift.core.networks.runtime_protocol import Runtime
from quantrift.core.statistics.mcnemar import mcnemar
from quantrift.judge.intake.among_given import AmongGiven
from quantrift.judge.intake.expected_inputs import SCALES, Expected, Range
from quantrift.judge.intake.input_form import FROM_FILES, UNIT, InputForm
from quantrift.judge.intake.saturated import Finding, saturated

GRID = 1e-3
"""Largest distance of a float32 value from whole steps of 8 bits, in steps."""
TRIED = 500
"""Number of inputs on which scales are compared."""
VALUES = 50_000_000
"""Numbers that these may hold in all, however large they are."""
MUCH = 0.3
"""By how much the share of correct labels must be larger for another scale to be believed."""
SURE = 0.001
"""McNemar's p below which a scale is right more often than another."""
GOOD = 0.5
"""Share of correct labels from which an original does what it was made for."""


@dataclass(frozen=True, eq=False)
class Said:
    """Inputs ready for searches, and the facts found on them."""

    inputs: Inputs
    assumed: list[str]
    findings: list[Finding] = field(default_factory=list)
    """Compressed networks whose input cannot hold them."""


def scaled(
    values: np.ndarray,
    truth: np.ndarray | None,
    class_names: Sequence[str],
    original: Runtime,
    expected: tuple[Expected, Sequence[Expected]],
    file: Path,
    form: InputForm = FROM_FILES,
    others: Sequence[np.ndarray] = (),
) -> Said:
    """Find the scale of inputs.

    Args:
        values: (n, H, W, C), integers or floating-point numbers.
        truth: labels, int64 (n,); None where there are none.
        class_names: name of each output of the original.
        original: the network.
        expected: inputs that the files of the original and of the compressed networks ask for.
        file: for messages, and the title of the inputs.
        form: the user's options.
        others: values of the other inputs of the network, float32 (n, ...) each.

    Raises:
        QuantriftError: the networks were not made for such values, nothing tells their scale, or there are labels
            beyond the classes.
    """
    check_labels(truth, class_names, file)
    network = AmongGiven(original, others)
    own, of_compressed = expected
    # Bytes are often kept as floating-point numbers; only where a scale is said are they taken for bytes then.
    stored = form.scaled and values.max() > UNIT[1] and bool((values == np.rint(values)).all())
    whole = values.dtype.kind in "ui" or stored
    if whole and values.min() >= 0 and values.max() <= 255:
        images = values.astype(np.uint8)
        if form.scaled:
            made, why = _as_said(images, truth, class_names, file, form), "as was said"
        else:
            (black, white), why = _scale_of_bytes(images, truth, network, expected, file)
            made = _images(images, np.array([black]), np.array([white]), truth, class_names, file)
        low, high = made.data_range
        assumed = [f"scaling: bytes, black taken as {low:.4g} and white as {high:.4g}; {why}"]
        # A scale known from the compressed networks alone gives no reason to doubt them.
        right = True
    else:
        if form.mean:
            raise QuantriftError(
                f"{file}: --mean and --std are for bytes, whole numbers from 0 to 255; other numbers are used as given"
            )
        given = np.ascontiguousarray(values, np.float32)
        made, said = _of_floats(given, truth, class_names, network, file, form.range)
        assumed = [said]
        if form.range is None:
            _check_against_labels(given, truth, network, file)
        right = form.range is not None or _vouched(made, truth, network, expected)
    some = _some(made.test, made.shape)
    findings = saturated(made.take(some), own, of_compressed, right, file)
    return Said(with_labels(made, truth, network), assumed, findings)


def check_labels(truth: np.ndarray | None, class_names: Sequence[str], file: Path) -> None:
    """Refuse labels beyond the classes.

    Raises:
        QuantriftError: one line; ``file`` is for the message.
    """
    if truth is not None and truth.max() >= len(class_names):
        raise QuantriftError(
            f"{file}: labels reach {int(truth.max())}, but the original tells {len(class_names)} classes, from 0; "
            "name the inputs that it was trained on, and count labels from 0"
        )


def _as_said(
    images: np.ndarray, truth: np.ndarray | None, class_names: Sequence[str], file: Path, form: InputForm
) -> Inputs:
    """Bytes on the scale that a user gave."""
    low, high = form.range or UNIT
    mean, std = np.array(form.mean or (0.0,)), np.array(form.std or (1.0,))
    channels = images.shape[3]
    if len(mean) not in (1, channels):
        raise QuantriftError(
            f"{file}: --mean and --std have {len(mean)} values, the inputs {channels} channels; give one for each"
        )
    black, white = (low - mean) / std, (high - mean) / std
    if np.ptp(black) == np.ptp(white) == 0:
        black, white = black[:1], white[:1]
    return _images(images, black, white, truth, class_names, file)


def _scale_of_bytes(
    images: np.ndarray,
    truth: np.ndarray | None,
    original: AmongGiven,
    expected: tuple[Expected, Sequence[Expected]],
    file: Path,
) -> tuple[Range, str]:
    """Black and white, and the reason: the original's file, labels, then the files of compressed networks."""
    own, others = expected
    if own.scale is not None:
        return own.scale
    found = (
        None if truth is None else _by_labels(images[_some(np.arange(len(images)), images.shape[1:])], truth, original)
    )
    if found is not None:
        return found
    told = [one.scale for one in others if one.scale is not None]
    if len({scale for scale, _ in told}) == 1:
        return told[0]
    raise QuantriftError(
        f"{file}: inputs are bytes, and neither the networks' files nor labels tell on which scale they are "
        "taken; give --range 0 1, --range -1 1 or --range 0 255, or --mean and --std"
    )


def _by_labels(images: np.ndarray, truth: np.ndarray, original: AmongGiven) -> tuple[Range, str] | None:
    """The scale on which the original is right far more often than on any other; ``None`` if there is none."""
    few, first = images.astype(np.float32) / np.float32(255), np.arange(len(images))
    right = [
        labels_of(original(few * np.float32(white - black) + np.float32(black), first)) == truth[: len(few)]
        for black, white in SCALES
    ]
    best = int(np.argmax([one.mean() for one in right]))
    rest = [one for place, one in enumerate(right) if place != best]
    if right[best].mean() < GOOD or any(
        right[best].mean() - one.mean() < MUCH or mcnemar(right[best], one).p >= SURE for one in rest
    ):
        return None
    shares = ", ".join(
        f"{one.mean():.1%} with {low:g} to {high:g}" for one, (low, high) in zip(right, SCALES, strict=True)
    )
    return SCALES[best], f"share of correct labels of the original: {shares}"


def _vouched(
    made: Inputs, truth: np.ndarray | None, original: AmongGiven, expected: tuple[Expected, Sequence[Expected]]
) -> bool:
    """Whether the original's file, or labels, show that it was made for such numbers.

    Labels do where the original is right on them, and wrong where the same numbers are on the scale that a compressed
    network expects: many networks are right on several scales.
    """
    own, others = expected
    low, high = made.data_range
    if own.range is not None:
        return True
    if own.scale is not None:
        return own.scale[0] == (low, high)
    if truth is None:
        return False
    some = _some(made.test, made.shape)
    values = made.take(some)
    right = labels_of(original(values, some)) == truth[some]
    if right.mean() < GOOD:
        return False
    for black, white in {one.scale[0] for one in others if one.scale is not None} - {(low, high)}:
        share = (values - np.float32(low)) / np.float32(high - low)
        there = labels_of(original(share * np.float32(white - black) + np.float32(black), some)) == truth[some]
        if right.mean() <= there.mean() or mcnemar(right, there).p >= SURE:
            return False
    return True


def _some(numbers: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """The first of the inputs, of one ``shape``, as many as may be looked at."""
    return numbers[: max(1, min(TRIED, VALUES // int(np.prod(shape))))]


def _of_floats(
    values: np.ndarray,
    truth: np.ndarray | None,
    class_names: Sequence[str],
    original: AmongGiven,
    file: Path,
    stated: Range | None,
) -> tuple[Inputs, str]:
    """Images of 8 bits if that is what the numbers are, to float32's rounding, else the numbers themselves."""
    low, high = float(values.min()), float(values.max())
    if stated is not None and (low < stated[0] or stated[1] < high):
        raise QuantriftError(
            f"{file}: inputs reach from {low:.4g} to {high:.4g}, but --range says {stated[0]:g} to {stated[1]:g}; "
            "correct one of them"
        )
    fitting = [(black, white) for black, white in reversed(SCALES) if black <= low and high <= white]
    for black, white in [stated] if stated else [*fitting, (low, high)]:
        place = (values - np.float32(black)) * np.float32(255 / (white - black))
        levels = np.rint(place)
        if np.abs(place - levels).max() <= GRID:
            ends = np.array([black]), np.array([white])
            made = _images(levels.astype(np.uint8), *ends, truth, class_names, file)
            if _same_labels(original, made, values):
                said = f"images of 8 bits, black {black:.4g} and white {white:.4g}"
                return made, f"scaling: {said}; used as given"
    if (low, high) != (bounds := stated or _bounds(low, high)):
        said = f"numbers from {low:.4g} to {high:.4g}, taken to lie between {bounds[0]:g} and {bounds[1]:g}"
    else:
        mean, deviation = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        kind = "standardised numbers" if abs(mean) < 0.5 and 0.5 < deviation < 2 else "numbers"
        said = f"{kind} from {low:.4g} to {high:.4g}, mean {mean:.3g}, standard deviation {deviation:.3g}"
    shared = common(len(values), truth, class_names, file)
    return ValueStack(values=values, low=bounds[0], high=bounds[1], **shared), f"scaling: {said}; used as given"


def _bounds(low: float, high: float) -> tuple[float, float]:
    """The range that values lie in by their nature, where they fill most of it, else their own."""
    for black, white in SCALES:
        if black <= low and high <= white and high - low > (white - black) / 2:
            return black, white
    return low, high


def _same_labels(original: AmongGiven, made: Inputs, values: np.ndarray) -> bool:
    """Whether the original says the same of images on their grid as of the numbers given."""
    parts = [made.test[start : start + TRIED] for start in range(0, len(values), TRIED)]
    return all(
        np.array_equal(original(values[part], part).argmax(axis=1), original(made.take(part), part).argmax(axis=1))
        for part in parts
    )


def _check_against_labels(values: np.ndarray, truth: np.ndarray | None, original: AmongGiven, file: Path) -> None:
    """Refuse numbers on which the original fails, where it does not on the same numbers on another scale."""
    if truth is None:
        return
    some = _some(np.arange(len(values)), values.shape[1:])
    few, labels = values[some], truth[some]
    as_given = accuracy(original(few, some), labels)
    others: dict[str, np.ndarray] = {
        "divided by 255": few / np.float32(255),
        "multiplied by 255": few * np.float32(255),
        "from -1 to 1 instead of 0 to 1": few * np.float32(2) - np.float32(1),
        "from 0 to 1 instead of -1 to 1": (few + np.float32(1)) / np.float32(2),
    }
    right = {name: accuracy(original(other, some), labels) for name, other in others.items()}
    best = max(right, key=lambda name: right[name])
    if right[best] > as_given + MUCH:
        raise QuantriftError(
            f"{file}: inputs out of range: the original is right on {as_given:.1%} of them as given, on "
            f"{right[best]:.1%} {best}; give them so"
        )


def _images(
    images: np.ndarray,
    black: np.ndarray,
    white: np.ndarray,
    truth: np.ndarray | None,
    class_names: Sequence[str],
    file: Path,
) -> ImageStack:
    shared = common(len(images), truth, class_names, file)
    return ImageStack(images=images, black=black.astype(np.float32), white=white.astype(np.float32), **shared)


def common(count: int, truth: np.ndarray | None, class_names: Sequence[str], file: Path) -> dict[str, Any]:
    """Common properties of the inputs; each input serves searches and calibrations alike."""
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


def with_labels(made: Inputs, truth: np.ndarray | None, original: AmongGiven) -> Inputs:
    """Inputs with labels; without given ones, those of the original."""
    if truth is None:
        for start in range(0, len(made), TRIED):
            part = made.test[start : start + TRIED]
            made.labels[part] = original(made.take(part), part).argmax(axis=1)
    return made
