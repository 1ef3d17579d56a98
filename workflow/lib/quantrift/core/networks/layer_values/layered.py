"""Layers of a network for comparison: their values, the layers that each reads, and each layer alone."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from quantrift.core.networks.batches import runs
from quantrift.core.networks.layer_tensors import Layer

Values = Mapping[str, np.ndarray]
"""Name of each layer -> its values, float32 (n, ...)."""
Alone = Callable[[np.ndarray, Values], dict[str, np.ndarray]]
"""From inputs, float32 (n, H, W, C), and values of layers to the output of each layer for the values before it."""
Cut = Callable[[np.ndarray, Mapping[Any, np.ndarray]], Mapping[Any, np.ndarray]]
"""A network cut behind some of its tensors: from its own input, (n, ...), and the values of these, float32 (n, ...), to
the output of the operation that gives each. Later operations take the values from outside."""


def together(parts: Sequence[Values]) -> dict[str, np.ndarray]:
    """Values of several runs, one after the other; all of a network are large, so those of one run are not copied."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts[1:] else {**parts[0]}


class Layered(ABC):
    """A network whose layers are compared."""

    layers: list[Layer]
    """In the order in which they are computed, the network's output last."""
    network: Any
    """The network on its runtime, whose ``signature`` tells of one input."""
    graph: Any
    """The ``graph.Graph`` of its format."""
    batch: int
    """Inputs that are run at once at most."""
    rows: int
    """Inputs that are run at once always; 0 if any number."""

    @abstractmethod
    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Values by layer, float32 (n, ...), of ``x``, float32 (n, H, W, C), n > 0; ``output`` holds the logits.

        Raises:
            QuantriftError: if ``x`` has another shape or type, or the network cannot be run.
        """

    @abstractmethod
    def matched(self, compressed: Self) -> list[tuple[Layer, Layer]]:
        """Pairs of layers of this network and of a compressed one, in the order of this one."""

    def image(self, x: np.ndarray) -> np.ndarray:
        """The file's own input for ``x``, float32 (n, H, W, C)."""
        return np.asarray(self.network.signature.encoded(x))

    @abstractmethod
    def cut(self, tensors: Sequence[Any]) -> Cut:
        """The network cut behind float32 tensors, each the output of an operation."""

    def reads(self, layers: Sequence[Layer]) -> dict[str, tuple[str, ...]]:
        """Name of each of some layers -> names of those among them that it reads along the graph."""
        return self.graph.reads({layer.name: layer.tensor for layer in layers})

    def alone(self, layers: Sequence[Layer]) -> Alone | None:
        """Each of some layers on values given from outside; ``None`` if one of them holds no float32."""
        if any(layer.type != "float32" for layer in layers):
            return None
        tensors = {layer.name: layer.tensor for layer in layers}
        network = self.cut([*tensors.values()])

        def run(x: np.ndarray, values: Values) -> dict[str, np.ndarray]:
            parts = []
            # Their row numbers, so that all values are padded alike where the file takes a fixed number.
            for _, rows, count in runs(np.arange(len(x)), self.batch, self.rows):
                every = len(rows) == count == len(x)
                given = {
                    tensor: np.ascontiguousarray(values[name] if every else values[name][rows])
                    for name, tensor in tensors.items()
                }
                found = network(self.image(x[rows]), given)
                parts.append({name: found[tensor][:count] for name, tensor in tensors.items()})
            return together(parts)

        return run
