"""Scale of inputs: images of 8 bits on some scale, or real numbers; and whether it suits the networks.

Floating-point inputs reach the original as they are given, so that what it says is what its owner sees. Bytes have no
scale of their own: a user says it, or a file, or labels do where the original is right on one scale alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quantrift.core.base.carried_rows import joined
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import ImageStack, Inputs, ValueStack
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.evaluate import labels
from quantrift.core.statistics.disagreement_tests import mcnemar
from quantrift.judge.intake.expected_ranges import SCALES, Expected, Finding, Range, saturated, standardised
from quantrift.judge.intake.input_form import FROM_FILES, UNIT, InputForm

TRIED = 500
"""Number of inputs on which scales are compared."""
MUCH = 0.3
"""By how much the share of correct labels must be larger for another scale to be believed."""
BETTER = 0.05
"""Likewise for standardised inputs, where nothing but labels speaks for a scale."""
SURE = 0.001
"""McNemar's p below which a scale is right more often than another."""
OTHERWISE = "say --range, or --mean and --std, if that is wrong"
GOOD = 0.5
"""Share of correct labels from which an original does what it was made for."""


@dataclass(frozen=True, eq=False)
class Said:
    """Inputs ready for searches, and the facts found on them."""

    inputs: Inputs
    assumed: list[str]
    findings: list[Finding] = field(default_factory=list)
    """Compressed networks whose input cannot hold them."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of N inputs: their networks, labels, and the user's options."""

    original: Runtime
    expected: Expected
    """Inputs that the original's file asks for."""
    of_compressed: Sequence[Expected]
    class_names: Sequence[str]
    """Name of each output of the original."""
    file: Path
    """For messages, and the title of the inputs."""
    truth: np.ndarray | None = None
    """Labels, int64 (N,); None where there are none."""
    form: InputForm = FROM_FILES
    others: Sequence[np.ndarray] = ()
    """Values of the other inputs of the network, float32 (N, ...) each."""

    def __post_init__(self) -> None:
        """Refuse labels beyond the classes.

        Raises:
            QuantriftError: one line.
        """
        if self.truth is not None and self.truth.max() >= len(self.class_names):
            raise QuantriftError(
                f"{self.file}: labels reach {int(self.truth.max())}, but the original tells {len(self.class_names)} "
                "classes, from 0; name the inputs that it was trained on, and count labels from 0"
            )

    def labels(self, inputs: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Labels by the original, int64 (n,).

        Args:
            inputs: to change, float32 (n, H, W, C).
            numbers: of the given inputs that they come from, int64 (n,).
        """
        rows = joined(inputs, [one[numbers] for one in self.others]) if self.others else inputs
        return labels(self.original(rows))

    def right(self, inputs: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Whether the original gives the true labels, bool (n,); likewise."""
        assert self.truth is not None
        return self.labels(inputs, numbers) == self.truth[numbers]

    def common(self, count: int) -> dict[str, Any]:
        """Common properties of ``count`` inputs; each input serves searches and calibrations alike."""
        every = np.arange(count, dtype=np.int64)
        return {
            "dataset": "given",
            "title": self.file.name,
            "class_names": list(self.class_names),
            "labels": np.zeros(count, np.int64) if self.truth is None else self.truth,
            "train": every,
            "validation": every[:0],
            "test": every,
        }

    def labelled(self, made: Inputs) -> Inputs:
        """Inputs with labels; without given ones, those of the original."""
        if self.truth is None:
            for start in range(0, len(made), TRIED):
                part = made.test[start : start + TRIED]
                made.labels[part] = self.labels(made.take(part), part)
        return made


def scaled(values: np.ndarray, known: Known) -> Said:
    """Find the scale of inputs, (n, H, W, C), integers or floating-point numbers.

    Raises:
        QuantriftError: the networks were not made for such values, or nothing tells their scale.
    """
    # Bytes are often kept as floating-point numbers; only where a scale is said are they taken for bytes then.
    stored = known.form.scaled and values.max() > UNIT[1] and bool((values == np.rint(values)).all())
    if (values.dtype.kind in "ui" or stored) and values.min() >= 0 and values.max() <= 255:
        # A scale known from the compressed networks alone gives no reason to doubt them.
        (made, said), right = _of_bytes(values.astype(np.uint8), known), True
    else:
        made, said, right = _of_floats(np.ascontiguousarray(values, np.float32), known)
    findings = saturated(
        made.take(_some(made.test, made.shape)), known.expected, known.of_compressed, right, known.file
    )
    return Said(known.labelled(made), [f"scaling: {said}"], findings)


def _of_bytes(images: np.ndarray, known: Known) -> tuple[Inputs, str]:
    is_said = known.form.scaled
    (black, white), why = (_as_said(images, known), "as was said") if is_said else _scale_of_bytes(images, known)
    made = _images(images, black, white, known)
    low, high = made.data_range
    return made, f"bytes, black taken as {low:.4g} and white as {high:.4g}; {why}"


def _as_said(images: np.ndarray, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """Black and white of bytes on the scale that a user gave."""
    form, channels = known.form, images.shape[3]
    low, high = form.range or UNIT
    mean, std = np.array(form.mean or (0.0,)), np.array(form.std or (1.0,))
    refuse(
        (
            len(mean) not in (1, channels),
            f"{known.file}: --mean and --std have {len(mean)} values, the inputs {channels} channels; give one for "
            "each",
        )
    )
    black, white = (low - mean) / std, (high - mean) / std
    return (black[:1], white[:1]) if np.ptp(black) == np.ptp(white) == 0 else (black, white)


def _scale_of_bytes(images: np.ndarray, known: Known) -> tuple[tuple[ArrayLike, ArrayLike], str]:
    """Black and white, and the reason: the original's file, labels, then the files of compressed networks."""
    found = known.expected.scale
    if found is None and known.truth is not None:
        few = images[_some(np.arange(len(images)), images.shape[1:])].astype(np.float32) / np.float32(255)
        right = [
            known.right(few * np.float32(high - low) + np.float32(low), np.arange(len(few))) for low, high in SCALES
        ]
        is_settled = max(one.mean() for one in right) > 1 - BETTER
        if not is_settled and (suggested := _suggested(few, right, known)) is not None:
            return suggested
        found = _by_labels(right)
    told = [found] if found else [one.scale for one in known.of_compressed if one.scale is not None]
    if len({scale for scale, _ in told}) == 1:
        return told[0]
    if not told and known.truth is None and (scale := standardised(images.shape[3])) is not None:
        *ends, whose = scale
        for one in known.of_compressed:
            if one.is_near((float(ends[0].min()), float(ends[1].max()))):
                why = f"standardised by {whose} mean and deviation, as {one.stands_for}; {OTHERWISE}"
                return (ends[0], ends[1]), why
    raise QuantriftError(
        f"{known.file}: inputs are bytes, and neither the networks' files nor labels tell on which scale they are "
        "taken; give --range 0 1, --range -1 1 or --range 0 255, or --mean and --std"
    )


def _suggested(
    few: np.ndarray, right: Sequence[np.ndarray], known: Known
) -> tuple[tuple[ArrayLike, ArrayLike], str] | None:
    """Black and white of a scale that labels alone suggest; ``None`` where the original is as right on a plain one.

    Tried are standardised inputs, and the ranges that inputs of the compressed networks stand for.

    Args:
        few: inputs from 0 to 1, float32 (n, H, W, C).
        right: whether the original is right on each of them, bool (n,), on each of ``SCALES``.
        known: of the inputs.
    """
    tried: list[tuple[ArrayLike, ArrayLike, str]] = [
        (*one.range, f"as {one.stands_for}") for one in known.of_compressed if one.range is not None and not one.scale
    ]
    if (scale := standardised(few.shape[-1])) is not None:
        tried.append((scale[0], scale[1], f"standardised by {scale[2]} mean and deviation"))
    best, found = max(one.mean() for one in right), []
    for black, white, text in tried:
        values = (few * np.subtract(white, black) + np.asarray(black)).astype(np.float32)
        here = known.right(values, np.arange(len(few)))
        is_better = here.mean() >= GOOD and here.mean() - best >= BETTER
        if is_better and all(mcnemar(here, one).p < SURE for one in right):
            found.append((float(here.mean()), text, black, white))
    if not found:
        return None
    share, text, black, white = max(found, key=lambda one: one[0])
    return (black, white), (
        f"{text}, as labels suggest: the original is right on {100 * share:.1f} % of the inputs so, and on "
        f"{100 * best:.1f} % at most without; {OTHERWISE}"
    )


def _by_labels(right: Sequence[np.ndarray]) -> tuple[Range, str] | None:
    """The scale on which the original is right far more often than on any other; ``None`` if there is none.

    Args:
        right: whether it is right on each input, bool (n,), on each of ``SCALES``.
    """
    best = int(np.argmax([one.mean() for one in right]))
    if right[best].mean() < GOOD or any(
        right[best].mean() - one.mean() < MUCH or mcnemar(right[best], one).p >= SURE
        for one in (*right[:best], *right[best + 1 :])
    ):
        return None
    shares = ", ".join(
        f"{100 * one.mean():.1f} % with {low:g} to {high:g}" for one, (low, high) in zip(right, SCALES, strict=True)
    )
    return SCALES[best], f"share of correct labels of the original: {shares}"


def _some(numbers: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """The first of the inputs, of one ``shape``, as many as may be looked at: 50 million numbers in all."""
    return numbers[: max(1, min(TRIED, 50_000_000 // int(np.prod(shape))))]


def _of_floats(values: np.ndarray, known: Known) -> tuple[Inputs, str, bool]:
    """Inputs, what was found, and whether the original was made for such numbers."""
    stated, low, high = known.form.range, float(values.min()), float(values.max())
    least, most = stated or (low, high)
    refuse(
        (
            known.form.mean,
            f"{known.file}: --mean and --std are for bytes, whole numbers from 0 to 255; other numbers are used as "
            "given",
        ),
        (
            low < least or most < high,
            f"{known.file}: inputs reach from {low:.4g} to {high:.4g}, but --range says {least:g} to {most:g}; correct "
            "one of them",
        ),
    )
    fitting = [(black, white) for black, white in reversed(SCALES) if black <= low and high <= white]
    tried = (_on_grid(values, *ends, known) for ends in ([stated] if stated else [*fitting, (low, high)]))
    made, said = next(filter(None, tried), None) or _as_numbers(values, stated, known)
    if stated is None:
        _check_against_labels(values, known)
    return made, f"{said}; used as given", stated is not None or _vouched(made, known)


def _on_grid(values: np.ndarray, black: float, white: float, known: Known) -> tuple[Inputs, str] | None:
    """Images of 8 bits if that is what the numbers are, to float32's rounding, and the original says the same."""
    place = (values - np.float32(black)) * np.float32(255 / (white - black))
    levels = np.rint(place)
    if np.abs(place - levels).max() > 1e-3:
        return None
    made = _images(levels.astype(np.uint8), black, white, known)
    parts = (made.test[start : start + TRIED] for start in range(0, len(values), TRIED))
    if all(np.array_equal(known.labels(values[one], one), known.labels(made.take(one), one)) for one in parts):
        return made, f"images of 8 bits, black {black:.4g} and white {white:.4g}"
    return None


def _as_numbers(values: np.ndarray, stated: Range | None, known: Known) -> tuple[Inputs, str]:
    low, high = float(values.min()), float(values.max())
    # The range that values lie in by their nature, where they fill most of it, else their own.
    bounds = stated or next(
        (one for one in SCALES if one[0] <= low and high <= one[1] and high - low > (one[1] - one[0]) / 2), (low, high)
    )
    if (low, high) != bounds:
        said = f"numbers from {low:.4g} to {high:.4g}, taken to lie between {bounds[0]:g} and {bounds[1]:g}"
    else:
        mean, deviation = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        kind = "standardised numbers" if abs(mean) < 0.5 and 0.5 < deviation < 2 else "numbers"
        said = f"{kind} from {low:.4g} to {high:.4g}, mean {mean:.3g}, standard deviation {deviation:.3g}"
    return ValueStack(values=values, low=bounds[0], high=bounds[1], **known.common(len(values))), said


def _vouched(made: Inputs, known: Known) -> bool:
    """Whether the original's file, or labels, show that it was made for such numbers.

    Labels do where the original is right on them, and wrong where the same numbers are on the scale that a compressed
    network expects: many networks are right on several scales.
    """
    low, high = made.data_range
    if known.expected.range is not None:
        return True
    if known.expected.scale is not None:
        return known.expected.scale[0] == (low, high)
    if known.truth is None:
        return False
    some = _some(made.test, made.shape)
    values = made.take(some)
    right, share = known.right(values, some), (values - np.float32(low)) / np.float32(high - low)
    scales = {one.scale[0] for one in known.of_compressed if one.scale is not None} - {(low, high)}
    there = (known.right(share * np.float32(white - black) + np.float32(black), some) for black, white in scales)
    return bool(right.mean() >= GOOD) and all(
        right.mean() > one.mean() and mcnemar(right, one).p < SURE for one in there
    )


def _check_against_labels(values: np.ndarray, known: Known) -> None:
    """Refuse numbers on which the original fails, where it does not on the same numbers on another scale."""
    some = _some(np.arange(len(values)), values.shape[1:])
    if known.truth is None or (as_given := known.right((few := values[some]), some).mean()) >= 1 - MUCH:
        return
    right = {
        name: float(known.right(one, some).mean())
        for name, one in {
            "divided by 255": few / np.float32(255),
            "multiplied by 255": few * np.float32(255),
            "from -1 to 1 instead of 0 to 1": few * np.float32(2) - np.float32(1),
            "from 0 to 1 instead of -1 to 1": (few + np.float32(1)) / np.float32(2),
        }.items()
    }
    best = max(right, key=lambda name: right[name])
    refuse(
        (
            right[best] > as_given + MUCH,
            f"{known.file}: inputs out of range: the original is right on {100 * as_given:.1f} % of them as given, on "
            f"{100 * right[best]:.1f} % {best}; give them so",
        )
    )


def _images(images: np.ndarray, black: ArrayLike, white: ArrayLike, known: Known) -> ImageStack:
    """Images with the values of the bytes 0 and 255, of all channels or of each."""
    return ImageStack(
        images=images,
        black=np.array(black, np.float32, ndmin=1),
        white=np.array(white, np.float32, ndmin=1),
        **known.common(len(images)),
    )
