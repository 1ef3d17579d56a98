"""Inputs in the file of difference-inducing inputs (``dii_file``), as other builds of the networks take them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import CARRIED, CHANGED, between
from quantrift.core.networks.evaluate import MOST
from quantrift.core.networks.graphs.ends import ChosenOutputs, NamedInput
from quantrift.judge.intake.chosen_ends import NOTHING, Chosen
from quantrift.judge.intake.fitted_inputs import channels_last
from quantrift.judge.intake.given_inputs import rows_for
from quantrift.judge.intake.given_networks import Ready

CHOSEN = PLACES, COMPARED, ALL = "input_places", "compared_outputs", "all_outputs"
"""Arrays on what was chosen among inputs and outputs of the original."""
PARTS = FOUND, AS_GIVEN, DRAWN = "", "given.", "changed."
"""Begins the names of arrays on what was found, on the inputs as given and on natural changes of these."""
ENDS = BLACK, WHITE = "black", "white"
"""Arrays on the scale of inputs that are stored in 8 bits."""


@dataclass(frozen=True, eq=False)
class StoredInputs:
    """Inputs of a part of the file."""

    file: Path
    values: np.ndarray
    """Those that were changed, float32 (n, H, W, C), or uint8."""
    changed: str | None
    """Name of the input that they are, of networks with several."""
    others: Mapping[str, np.ndarray]
    """Name of each other input -> its values, float32 (n, ...)."""
    places: Sequence[int] = ()
    """Of all inputs among the arguments of the original, the changed one first; none where nothing tells them."""
    outputs: ChosenOutputs = NOTHING.outputs
    """Outputs of the original that were compared, where they were chosen."""
    ends: Sequence[np.ndarray] = ()
    """Black and white of values in 8 bits."""

    @staticmethod
    def read(file: Path, part: str = FOUND) -> "StoredInputs":
        """The inputs of a file.

        Args:
            file: the file.
            part: one of ``PARTS`` that it has.

        Raises:
            QuantriftError: it is damaged.
        """
        held = archive.headers(file)
        wanted = [f"{part}inputs", *(f"{part}{name}" for name in ENDS), CHANGED, *CHOSEN]
        wanted += [name for name in held if name.startswith(f"{part}{CARRIED}")]
        more = archive.read(file, [name for name in wanted if name in held])
        values = more[f"{part}inputs"]
        ends = [more[f"{part}{name}"] for name in ENDS if f"{part}{name}" in more]
        in_bytes = values.dtype == np.uint8 and len(ends) == len(ENDS)
        if values.ndim != 4 or not (in_bytes or (values.dtype == np.float32 and np.isfinite(values).all())):
            raise QuantriftError(
                f"{file}: array '{part}inputs' holds {values.dtype} {values.shape}, expected finite float32 "
                "(n, H, W, C); make the assessment again"
            )
        names = [tuple(map(str, more.get(name, ()))) for name in (COMPARED, ALL)]
        places, outputs = more.get(PLACES, np.empty(0)).tolist(), ChosenOutputs(*names)
        prefix = f"{part}{CARRIED}"
        others = {name.removeprefix(prefix): one for name, one in more.items() if name.startswith(prefix)}
        changed = str(more[CHANGED]) if CHANGED in more else None
        return StoredInputs(file, values, changed, others, places, outputs, ends if in_bytes else ())

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

    def run(self, call: Callable[[np.ndarray], np.ndarray], network: Ready, matched: bool = False) -> np.ndarray:
        """What a network gives for all of them, (n, K).

        Args:
            call: the network's logits, or values of its outputs.
            network: which it is.
            matched: whether its inputs were matched to these, and may have other names.

        Raises:
            QuantriftError: they do not fit it.
        """
        return np.concatenate([call(rows) for rows in self.rows(network, matched)])

    def rows(self, network: Ready, matched: bool = False) -> Iterator[np.ndarray]:
        """All of them as a network takes them, likewise, some at a time: those in 8 bits become larger.

        One part of no rows where there are none.
        """
        together = max(1, MOST // max(1, prod(self.values.shape[1:])))
        for start in range(0, max(1, len(self.values)), together):
            own = slice(start, start + together)
            others = {name: one[own] for name, one in self.others.items()}
            yield replace(self, values=self.values[own], others=others)._rows(network, matched)

    def _rows(self, network: Ready, matched: bool) -> np.ndarray:
        """As the network takes them, float32 (n, H, W, C) or rows (n, 1, 1, L)."""
        signature = network.network.signature
        if not len(self.values):
            return np.empty((0, *signature.row), np.float32)
        values = between(self.values, *self.ends) if self.ends else self.values
        inputs, _ = channels_last(values, signature.image, self.file.name, network.given.name)
        names = list(self.others) if matched else None
        return rows_for(signature, inputs, self.others, self.file, names)


def chosen_arrays(chosen: Chosen) -> dict[str, np.ndarray]:
    """Arrays from which ``StoredInputs`` tells what was chosen; none where nothing was."""
    found: dict[str, np.ndarray] = {}
    places = [one.place for one in chosen.inputs]
    if places and None not in places:
        found[PLACES] = np.array(places, np.int64)
    if chosen.outputs.names:
        found |= {COMPARED: np.array(chosen.outputs.names), ALL: np.array(chosen.outputs.among)}
    return found
