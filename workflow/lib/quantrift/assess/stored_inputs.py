"""Inputs in the file of difference-inducing inputs (``dii_file``), as other builds of the networks take them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.assess import given_inputs
from quantrift.assess.axes import channels_last
from quantrift.assess.carried_arrays import rows_for
from quantrift.assess.chosen_ends import NOTHING, Chosen
from quantrift.assess.given_networks import Ready
from quantrift.base import archive
from quantrift.data.inputs import CARRIED, CHANGED
from quantrift.models.graphs.named_inputs import NamedInput
from quantrift.models.graphs.named_outputs import ChosenOutputs

CHOSEN = PLACES, COMPARED, ALL = "input_places", "compared_outputs", "all_outputs"
"""Arrays on what was chosen among inputs and outputs of the original."""


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
    places: Sequence[int] = ()
    """Of all inputs among the arguments of the original, the changed one first; none where nothing tells them."""
    outputs: ChosenOutputs = NOTHING.outputs
    """Outputs of the original that were compared, where they were chosen."""

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
        more = archive.read(file, [name for name in (CHANGED, *CHOSEN) if name in held])
        names = [tuple(map(str, more.get(name, ()))) for name in (COMPARED, ALL)]
        places, outputs = more.get(PLACES, np.empty(0)).tolist(), ChosenOutputs(*names)
        if CHANGED not in held:
            return StoredInputs(file, values, None, {}, places, outputs)
        others = archive.read(file, [name for name in held if name.startswith(CARRIED)])
        carried = {name.removeprefix(CARRIED): one for name, one in others.items()}
        return StoredInputs(file, values, str(more[CHANGED]), carried, places, outputs)

    @property
    def chosen(self) -> Chosen:
        """What was chosen of the original that they were found on."""
        return Chosen(self._inputs, self.outputs)

    @property
    def _inputs(self) -> list[NamedInput]:
        if self.changed is None:
            return []
        others = [NamedInput(name, one.shape[1:]) for name, one in self.others.items()]
        inputs = [NamedInput(self.changed, self.values.shape[1:]), *others]
        if len(self.places) != len(inputs):
            return inputs
        return [replace(one, place=place) for one, place in zip(inputs, self.places, strict=True)]

    def rows(self, network: Ready, path: Path, matched: bool = False) -> np.ndarray:
        """All of them as a network takes them, float32 (n, H, W, C) or rows (n, 1, 1, L).

        Args:
            network: the network.
            path: its file, for messages.
            matched: whether its inputs were matched to these, and may have other names.

        Raises:
            QuantriftError: they do not fit it.
        """
        signature = network.network.signature
        if not len(self.values):
            return np.empty((0, *signature.row), np.float32)
        inputs, _ = channels_last(self.values, signature.image, self.file.name, path.name)
        names = list(self.others) if matched else None
        return rows_for(signature, inputs.astype(np.float32), self.others, self.file, names)


def chosen_arrays(chosen: Chosen) -> dict[str, np.ndarray]:
    """Arrays from which ``StoredInputs`` tells what was chosen; none where nothing was."""
    found: dict[str, np.ndarray] = {}
    places = [one.place for one in chosen.inputs]
    if places and None not in places:
        found[PLACES] = np.array(places, np.int64)
    if chosen.outputs.names:
        found |= {COMPARED: np.array(chosen.outputs.names), ALL: np.array(chosen.outputs.among)}
    return found
