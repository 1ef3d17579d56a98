"""Errors of a compressed network, layer by layer against its original, on any inputs."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import runs
from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.layer_tensors import OUTPUT, Layer
from quantrift.core.networks.layer_values.layered import Alone, Cut, Layered, Values
from quantrift.core.networks.layer_values.onnx_layers import LayeredONNX
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite
from quantrift.core.networks.runtime import runtime_of

BATCH = 32
"""Inputs run at once at most; all activations of both networks are in memory for so many."""
FEW = 8
"""Inputs run at once where layers are exchanged: all values of a layer are held several times."""
VALUES = 2**23
"""Activations of one network that are run at once at most, but for a single input: 32 MB each time they are held."""


SHOWN: dict[str, type[LayeredTFLite | LayeredONNX]] = {"litert": LayeredTFLite, "onnxruntime": LayeredONNX}
"""Runtimes of the files whose layers can be seen."""


def layered(path: Path, batch: int, values: bool = False) -> Layered:
    """The network in a .tflite or .onnx file, to be run on at most ``batch`` inputs at once.

    With ``values`` its only output is taken as it is, and not as logits.

    Raises:
        QuantriftError: if the file cannot be read, or is not a network from images to logits.
    """
    return SHOWN[runtime_of(path)](path, batch, values)


def pairs(original: Layered, compressed: Layered) -> list[tuple[Layer, Layer]]:
    """Layers of two networks with the same name, in the order of the original; none of files of two kinds."""
    return original.matched(compressed) if type(original) is type(compressed) else []


def layer_errors(
    original: Path, compressed: Path, x_batches: Iterable[np.ndarray], values: bool = False
) -> list[LayerError]:
    """Compare two .tflite or two .onnx files layer by layer, in the order of the original.

    Layers are matched by their names, also by those of layers fused into one, where both give as many values; others
    are left out, and all are in files of two kinds. Any number of inputs takes the same memory, and how they are
    grouped changes nothing.

    Args:
        original: the float network.
        compressed: what was made of it.
        x_batches: inputs, float32 (n, H, W, C) each.
        values: whether the only output of each is taken as it is, and not as logits.

    Raises:
        QuantriftError: if a file or the inputs are wrong.
    """
    both = _Compared(original, compressed, values)
    for batch in x_batches:
        while len(batch):
            x, batch = batch[: both.step], batch[both.step :]
            both.add(x)
    return both.errors()


class _Compared:
    """Two networks, and sums over the inputs that they were run on."""

    def __init__(self, original: Path, compressed: Path, values: bool) -> None:
        self._original, self._compressed = (layered(path, BATCH, values) for path in (original, compressed))
        self._pairs: list[tuple[Layer, Layer]] = []
        self._alone: Alone | None = None
        self._sums: dict[str, np.ndarray] = {}
        self._values: dict[str, int] = {}
        self._count = 0
        self.step = 1
        """Inputs to add at once; how many values they have is known after the first."""

    def add(self, x: np.ndarray) -> None:
        """Run both networks on ``x``, float32 (n, H, W, C), n > 0."""
        before, after = self._original(x), self._compressed(x)
        if not self._count:
            self._pairs = _alike(self._original, self._compressed, before, after)
            if self._pairs:
                self._alone = self._original.alone([layer for layer, _ in self._pairs])
            self.step = _together(before, BATCH)
        self._count += len(x)
        given = _shaped(self._pairs, before, after)
        own = self._alone(x, given) if self._alone else before
        for name, y in given.items():
            self._values[name] = y.size // len(x)
            found = np.hstack([_sums(one[name].reshape(len(x), -1), y.reshape(len(x), -1)) for one in (before, own)])
            rows = np.concatenate([self._sums.get(name, np.zeros((1, found.shape[1]))), found])
            # One row after the other, so that the result does not depend on how they are grouped.
            self._sums[name] = np.add.accumulate(rows)[-1:]

    def errors(self) -> list[LayerError]:
        """Errors over all inputs that were added."""
        reads = self._original.reads([layer for layer, _ in self._pairs])
        return [self._error(layer.name, match, reads[layer.name]) for layer, match in self._pairs]

    def _error(self, name: str, match: Layer, reads: tuple[str, ...]) -> LayerError:
        of_both, (own_signal, _, _, own_noise, own_numbers, *_) = self._sums[name][0].reshape(2, -1).tolist()
        signal, other, product, noise, numbers, broken, broken_original = of_both
        mse = noise / numbers if numbers else None
        return LayerError(
            layer=name,
            type=match.type,
            inputs=self._count,
            values=self._values[name],
            sqnr_db=_db(signal, noise),
            cosine=min(1.0, product / math.sqrt(signal * other)) if signal and other else None,
            mse=mse,
            rmse_scale=math.sqrt(mse) / match.step if match.step and mse is not None else None,
            added_sqnr_db=_db(own_signal, own_noise) if self._alone else None,
            added_mse=own_noise / own_numbers if self._alone and own_numbers else None,
            reads=reads,
            not_finite=int(broken),
            not_finite_original=int(broken_original),
        )


def _alike(first: Layered, second: Layered, before: Values, after: Values) -> list[tuple[Layer, Layer]]:
    """Layers of two networks with the same name and, in a run of each, as many values."""
    return [(one, match) for one, match in pairs(first, second) if before[one.name].size == after[match.name].size]


def _together(values: Values, most: int) -> int:
    """Number of inputs to run at once, at most ``most``, whose layers have ``VALUES`` values or fewer.

    ``values`` are those of one input; there are none where no layer holds float32 or integers.
    """
    return max(1, min(most, VALUES // max(1, sum(one.size for one in values.values()))))


def _shaped(both: Sequence[tuple[Layer, Layer]], before: Values, after: Values) -> dict[str, np.ndarray]:
    """Name of each layer -> the second network's values in the first one's shape.

    Shapes differ where one network has an axis folded into another.
    """
    return {layer.name: after[match.name].reshape(before[layer.name].shape) for layer, match in both}


def changed_by_own_error(
    original: Path, compressed: Path, x_batches: Iterable[np.ndarray], names: Sequence[str]
) -> tuple[int, dict[str, int]]:
    """Inputs that change their label where the own error of one layer alone is put into the original.

    The original runs on with what a layer gives there plus what the compressed network's layer adds to what it reads
    (``LayerError.added_mse``).

    Args:
        original: the float network.
        compressed: what was made of it.
        x_batches: inputs, float32 (n, H, W, C) each.
        names: of layers that both have.

    Returns:
        Inputs that both networks label differently, and name of each layer -> inputs that change; no name where the
        original is not in float32.
    """
    first, second = layered(original, FEW), layered(compressed, FEW)
    differ, changed, cuts, step = 0, dict.fromkeys(names, 0), dict[str, Cut](), 1
    both: list[tuple[Layer, Layer]] = []
    alone: Alone | None = None
    for x, count in ((x, count) for batch in x_batches for _, x, count in runs(batch, step, first.rows)):
        before, after = first(x), second(x)
        if not both:
            both = _alike(first, second, before, after)
            alone = first.alone([one for one, _ in both])
            step = _together(before, FEW)
        tensors = {one.name: one.tensor for one, _ in both}
        if alone is None or OUTPUT not in tensors:
            return differ, {}
        given = _shaped(both, before, after)
        own, labels = alone(x, given), before[OUTPUT].argmax(axis=1)
        differ += int((given[OUTPUT].argmax(axis=1) != labels)[:count].sum())
        for name in names:
            found = np.ascontiguousarray(before[name] + given[name] - own[name], np.float32)
            if name != OUTPUT:
                if name not in cuts:
                    cuts[name] = first.cut([tensors[name], tensors[OUTPUT]])
                values = {tensors[name]: found, tensors[OUTPUT]: before[OUTPUT]}
                found = np.asarray(cuts[name](first.image(x), values)[tensors[OUTPUT]]).reshape(len(x), -1)
            changed[name] += int((found.argmax(axis=1) != labels)[:count].sum())
    return differ, changed


def on_test_inputs(
    original: Path, compressed: Path, inputs: Inputs, count: int, seed: int, values: bool = False
) -> list[LayerError]:
    """``layer_errors`` on ``count`` test inputs drawn from ``seed``, or on all where there are fewer."""
    chosen = np.random.default_rng(seed).permutation(inputs.test)[:count]
    return layer_errors(original, compressed, (inputs.take(part) for _, part, _ in runs(chosen, BATCH)), values)


def _sums(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sums of each row over the values that are finite in both, float64 (n, 7), of float32 (n, values).

    Of x^2, y^2, x y and (x - y)^2; then the number of these values, and 1 where y is not finite though x is, and where
    x is not.
    """
    x, y = x.astype(np.float64), y.astype(np.float64)
    numbers, broken, broken_original = np.full(len(x), x.shape[1]), np.zeros(len(x)), np.zeros(len(x))
    # Products of float32 stay within float64, so that their sum is finite wherever all values are.
    with np.errstate(invalid="ignore"):
        finite = np.isfinite((x * y).sum())
    if not finite:
        of_x, of_y = np.isfinite(x), np.isfinite(y)
        both = of_x & of_y
        numbers, broken, broken_original = both.sum(axis=1), (of_x & ~of_y).any(axis=1), ~of_x.all(axis=1)
        x, y = np.where(both, x, 0), np.where(both, y, 0)
    sums = (x * x).sum(axis=1), (y * y).sum(axis=1), (x * y).sum(axis=1), np.square(x - y).sum(axis=1)
    return np.stack([*sums, numbers, broken, broken_original], 1)


def _db(signal: float, noise: float) -> float | None:
    return 10 * math.log10(signal / noise) if signal and noise else None
