"""Inputs in the file of difference-inducing inputs (``dii_file``), as other builds of the networks take them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.assess import given_inputs
from quantrift.assess.axes import channels_last
from quantrift.assess.carried_arrays import rows_for
from quantrift.assess.given_networks import Ready
from quantrift.base import archive
from quantrift.data.inputs import CARRIED, CHANGED
from quantrift.models.graphs.named_inputs import NamedInput


@dataclass(frozen=True, eq=False)
class StoredInputs:
    """Inputs of the file."""

    file: Path
    values: np.ndarray
    """Those that were changed, float32 (n, H, W, C)."""
    changed: str | None
    """Name of the input that they are, of networks with several."""
    others: Mapping[str, np.ndarray]
    """Name of each other input -> its values, float32 (n, ...)."""

    @staticmethod
    def read(file: Path) -> "StoredInputs":
        """The inputs of a file.

        Raises:
            QuantriftError: it is damaged.
        """
        held = archive.headers(file)
        values = archive.read(file, ["inputs"])["inputs"]
        if len(values):
            values = given_inputs.read(file, array="inputs").values
        if CHANGED not in held:
            return StoredInputs(file, values, None, {})
        more = archive.read(file, [CHANGED, *(name for name in held if name.startswith(CARRIED))])
        changed = str(more.pop(CHANGED))
        return StoredInputs(file, values, changed, {name.removeprefix(CARRIED): one for name, one in more.items()})

    @property
    def inputs(self) -> list[NamedInput]:
        """Inputs of the networks that they were found on, where these have several."""
        if self.changed is None:
            return []
        others = [NamedInput(name, one.shape[1:]) for name, one in self.others.items()]
        return [NamedInput(self.changed, self.values.shape[1:]), *others]

    def rows(self, network: Ready, path: Path) -> np.ndarray:
        """All of them as a network takes them, float32 (n, H, W, C) or rows (n, 1, 1, L).

        Raises:
            QuantriftError: they do not fit it; ``path`` of the network is for the message.
        """
        signature = network.network.signature
        if not len(self.values):
            return np.empty((0, *signature.row), np.float32)
        inputs, _ = channels_last(self.values, signature.image, self.file.name, path.name)
        return rows_for(signature, inputs.astype(np.float32), self.others, self.file)
