"""Neurons of a network that was made here: the value of each channel and each unit, from a .tflite file on LiteRT.

As in the practice of neuron coverage (DeepXplore, DeepGauge), a channel of a convolution is one neuron, whose value is
the mean over its places. Layers that compute no new values, like a flattening, have no neurons of their own.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, prod
from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_tensors import OUTPUT, Layer, matched
from quantrift.core.networks.layer_values.observed import Observed

BATCH = 32
"""Inputs run at once. Networks are as fast on so few as on 256, and the tensors of so few, all of which are kept and
read, stay in the processor's caches."""
PROBABILITIES = "probabilities"
"""Name of the output of a network that ends in a softmax, which is not to be compared with logits."""
OUTPUTS = {OUTPUT, PROBABILITIES}
SHORT = 128
"""Count of 8-bit numbers whose sum always fits into 16 bits."""


@dataclass(frozen=True)
class Group:
    """The neurons of one layer."""

    layer: Layer
    values: int
    """Values that the layer gives for one input."""
    neurons: int
    """Each of them is the mean of every ``neurons``-th of these values."""


class Neurons:
    """A network that was made here, in a .tflite file, from images to its logits and the values of its neurons."""

    def __init__(self, path: str | Path, batch: int = BATCH, observed: type[Observed] = Observed) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once; their number changes no result.

        ``observed`` reads the tensors of the file.

        Raises:
            QuantriftError: if the file is missing, not a network, or not one that was made here.
        """
        self._network = observed(path)
        self.input_shape, self.classes, self._batch = self._network.input_shape, self._network.classes, batch
        # Some shapes are known only after a run.
        for _ in self._network.runs(np.zeros((1, *self.input_shape), np.float32), 1):
            shapes = [
                (layer, self._network.numbers(layer.tensor).shape) for layer in self._network.layers if layer.computed
            ]
        if self._network.signature.probabilities:
            shapes[-1] = replace(shapes[-1][0], name=PROBABILITIES), shapes[-1][1]
        self.groups = [Group(layer, prod(shape[1:]), shape[-1]) for layer, shape in shapes]
        """In the order of ``values``; those of the output come last."""

    def only(self, groups: Sequence[Group]) -> "Neurons":
        """The same network with other neurons, or some of them; it shares its memory with this one."""
        other = copy.copy(self)
        other.groups = list(groups)
        return other

    @property
    def layers(self) -> np.ndarray:
        """Name of the layer of each neuron, text (M,)."""
        return np.repeat([group.layer.name for group in self.groups], [group.neurons for group in self.groups])

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits, float32 (n, K), bit-identical to ``LiteRT``'s, and values of neurons, float32 (n, M).

        Args:
            x: float32 (n, H, W, C); n may be 0.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """
        logits = np.empty((len(x), self.classes), np.float32)
        ends = np.cumsum([0, *(group.neurons for group in self.groups)]).tolist()
        values = np.empty((len(x), ends[-1]), np.float32)
        for start, count, part in self._network.runs(x, self._batch):
            rows = slice(start, start + count)
            logits[rows] = part[:count]
            for group, first, end in zip(self.groups, ends[:-1], ends[1:], strict=True):
                # Without a variable, which would hold on to the tensor into the next run.
                values[rows, first:end] = means(
                    self._network.numbers(group.layer.tensor)[:count], group.neurons, group.layer
                )
        return logits, values


def means(numbers: np.ndarray, neurons: int, layer: Layer) -> np.ndarray:
    """Values of the neurons of a layer, float32 (n, neurons).

    Args:
        numbers: what its tensor holds, (n, ...) in C order, n > 0.
        neurons: divides the number of values of each input.
        layer: tells what integers stand for.
    """
    n, places = len(numbers), prod(numbers.shape[1:]) // neurons
    # Lines are added first, all their values at once, and then the places of the sum: numpy adds long rows several
    # times as fast as short ones, and always in the same order, whatever stands beside.
    lines = gcd(numbers.shape[1], places)
    by_line = numbers.reshape(n, lines, -1)
    if numbers.dtype == np.float32:
        return by_line.sum(axis=1).reshape(n, -1, neurons).sum(axis=1) / np.float32(places)
    # Exact in integers, so that no value of the tensor has to be dequantized.
    narrow = np.int16 if numbers.itemsize == 1 and lines <= SHORT else np.int64
    exact = by_line.sum(axis=1, dtype=narrow).reshape(n, -1, neurons).sum(axis=1, dtype=np.int64)
    return ((exact - places * layer.zero) * ((layer.step or 1.0) / places)).astype(np.float32)


def shared(original: Sequence[Group], compressed: Sequence[Group]) -> list[tuple[Group, Group]]:
    """Neurons that two networks have in common, in the order of the original.

    Layers are matched by their names, also by those of layers fused into one (``layers.matched``), where both give as
    many values; these are then divided into neurons as the original does. Where names tell nothing before the output,
    but all layers of both give equally many values, they are matched by their order.
    """
    ours = {group.layer.name: group for group in original}
    theirs = {group.layer.name: group for group in compressed}
    by_name = matched([group.layer for group in original], [group.layer for group in compressed])
    pairs = [(ours[layer.name], theirs[match.name]) for layer, match in by_name]
    if not inner(pairs) and [group.values for group in original] == [group.values for group in compressed]:
        pairs = list(zip(original, compressed, strict=True))
    found: dict[str, tuple[Group, Group]] = {}
    for one, other in pairs:
        # Logits are not compared with probabilities.
        if one.values == other.values and {one.layer.name, other.layer.name} != OUTPUTS:
            # Of several layers that were fused into one, the last has the same values.
            found.pop(other.layer.name, None)
            found[other.layer.name] = one, replace(other, neurons=one.neurons)
    return list(found.values())


def inner(pairs: Sequence[tuple[Group, Group]]) -> bool:
    """Whether any of these neurons are before the output."""
    return not OUTPUTS.issuperset(one.layer.name for one, _ in pairs)
