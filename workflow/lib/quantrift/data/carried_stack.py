"""Inputs of a network of several: one that searches change, and others that are carried along unchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from quantrift.data.arrays import write_arrays
from quantrift.data.carried_rows import apart, by_name, joined
from quantrift.data.inputs import CARRIED, CHANGED, Floats, Inputs, Integers


@dataclass(frozen=True, kw_only=True, eq=False)
class CarriedStack(Inputs):
    """Inputs that searches change, and beside each the values of the other inputs of the network."""

    changed: Inputs
    name: str
    """Of the input that is changed."""
    others: Mapping[str, Floats]
    """Name of each other input -> its values, float32 (N, ...), in the order of rows."""

    @staticmethod
    def around(changed: Inputs, name: str, others: Mapping[str, Floats]) -> "CarriedStack":
        """Inputs with the values of others beside them; what is shared is that of ``changed``, labels included."""
        shared = {one.name: getattr(changed, one.name) for one in fields(Inputs)}
        return CarriedStack(changed=changed, name=name, others=others, **shared)

    def save(self, path: str | Path) -> None:
        """See :class:`Inputs`."""
        arrays = {one.name: getattr(self.changed, one.name) for one in fields(self.changed)}
        others = {f"{CARRIED}{name}": one for name, one in self.others.items()}
        write_arrays(path, arrays | {CHANGED: self.name} | others)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(1, 1, L) of a row that holds all inputs (``quantrift.data.carried_rows``)."""
        return 1, 1, int(np.prod(self.changed.shape)) + sum(one[0].size for one in self.others.values())

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of one value of the others."""
        return {name: one.shape[1:] for name, one in self.others.items()}

    @property
    def data_range(self) -> tuple[float, float]:
        """That of the inputs that are changed."""
        return self.changed.data_range

    @property
    def searched(self) -> Inputs:
        """See :class:`Inputs`."""
        return self.changed

    def apart(self, rows: Floats) -> tuple[Floats, dict[str, Floats]]:
        """The inputs that are changed, float32 (n, H, W, C), and name -> values of the others, float32 (n, ...).

        ``rows`` are float32 (n, 1, 1, L), such as ``take`` gives.
        """
        changed, carried = apart(rows, self.changed.shape)
        return changed, by_name(carried, self.shapes)

    def take(self, indices: Sequence[int] | Integers) -> Floats:
        """Rows of all inputs by number: float32 (n, 1, 1, L), C-contiguous."""
        chosen = np.asarray(indices, np.int64)
        return joined(self.changed.take(chosen), [one[chosen] for one in self.others.values()])
