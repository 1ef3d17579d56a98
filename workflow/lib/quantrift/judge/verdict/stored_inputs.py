"""Inputs, and arrays of a task, in the file of difference-inducing inputs (``dii_file``), as other builds take them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.carried_rows import in_rows
from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import CARRIED, CHANGED, between
from quantrift.core.networks.evaluate import MOST
from quantrift.core.networks.graphs.ends import ChosenOutputs, NamedInput
from quantrift.core.networks.graphs.file_tensors import OutputValues, Tensor, matched, split
from quantrift.core.pairs.task import Outputs
from quantrift.core.pairs.task_pair import Agreement
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
VALUES = 4
"""Values shown of the outputs of an input in a gallery."""
Network = Callable[[np.ndarray], np.ndarray]
"""From inputs, float32 (n, H, W, C), to values of all outputs, float32 (n, K)."""


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
        wanted = [f"{part}inputs", *(f"{part}{name}" for name in ENDS), CHANGED, *CHOSEN]
        prefix = f"{part}{CARRIED}"
        more = archive.read_arrays(
            file, [name for name in archive.headers(file) if name in wanted or name.startswith(prefix)]
        )
        values = more[f"{part}inputs"]
        ends = [more[f"{part}{name}"] for name in ENDS if f"{part}{name}" in more]
        in_bytes = values.dtype == np.uint8 and len(ends) == len(ENDS)
        refuse(
            (
                values.ndim != 4 or not (in_bytes or (values.dtype == np.float32 and np.isfinite(values).all())),
                f"{file}: array '{part}inputs' holds {values.dtype} {values.shape}, expected finite float32 "
                "(n, H, W, C); make the assessment again",
            )
        )
        return StoredInputs(
            file,
            values,
            str(more[CHANGED]) if CHANGED in more else None,
            {name.removeprefix(prefix): one for name, one in more.items() if name.startswith(prefix)},
            more[PLACES].tolist() if PLACES in more else [],
            ChosenOutputs(*(tuple(map(str, more.get(name, ()))) for name in (COMPARED, ALL))),
            ends if in_bytes else (),
        )

    @property
    def chosen(self) -> Chosen:
        """What was chosen of the original that they were found on."""
        if self.changed is None:
            return Chosen([], self.outputs)
        inputs = [
            NamedInput(self.changed, self.values.shape[1:]),
            *[NamedInput(name, one.shape[1:]) for name, one in self.others.items()],
        ]
        if len(self.places) == len(inputs):
            inputs = [replace(one, place=place) for one, place in zip(inputs, self.places, strict=True)]
        return Chosen(inputs, self.outputs)

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
        signature, names = network.network.signature, list(self.others) if matched else None
        if not len(self.values):
            yield np.empty((0, *signature.row), np.float32)
        together = max(1, MOST // max(1, prod(self.values.shape[1:])))
        for start in range(0, len(self.values), together):
            own = slice(start, start + together)
            inputs, _ = channels_last(
                between(self.values[own], *self.ends) if self.ends else self.values[own],
                signature.image,
                self.file.name,
                network.given.name,
            )
            yield rows_for(signature, inputs, {name: one[own] for name, one in self.others.items()}, self.file, names)


def chosen_arrays(chosen: Chosen) -> dict[str, np.ndarray]:
    """Arrays from which ``StoredInputs`` tells what was chosen; none where nothing was."""
    found: dict[str, np.ndarray] = {}
    places = [one.place for one in chosen.inputs]
    if places and None not in places:
        found[PLACES] = np.array(places, np.int64)
    if chosen.outputs.names:
        found |= {COMPARED: np.array(chosen.outputs.names), ALL: np.array(chosen.outputs.among)}
    return found


def task_arrays(agreement: Agreement, networks: tuple[Network, Network], inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a task on stored inputs.

    Args:
        agreement: the task.
        networks: both, which give values of their outputs.
        inputs: float32 (n, H, W, C).

    Returns:
        ``task``, JSON; ``original_outputs`` and ``compressed_outputs`` (n, K), in the original's order, and their
        ``difference`` (n,).
    """
    said, theirs = (network(inputs) for network in networks)
    return {
        "task": np.array(agreement.dumped()),
        "original_outputs": said,
        "compressed_outputs": np.concatenate([in_rows(one) for one in agreement.compressed(theirs).values()], axis=1),
        "difference": agreement.difference(said, theirs),
    }


def outputs_of(
    agreement: Agreement, network: Ready, inputs: StoredInputs, matched_inputs: bool = False
) -> dict[str, np.ndarray]:
    """Outputs of a network for stored inputs, under the names of the original's.

    Raises:
        QuantriftError: it has other outputs, or takes other inputs.
    """
    names, shapes, values = agreement.names, agreement.shapes, network.values.signature.values
    # Only networks that were loaded for a task come here.
    assert values is not None
    known = (
        Tensor(0, shape, np.float32, np.float32(1), np.float32(0), name)
        for name, shape in zip(names, shapes, strict=True)
    )
    order, _ = matched(network.given, OutputValues(tuple(known)), values)
    return split(inputs.run(network.values, network, matched_inputs), names, shapes, order)


def disagreement_lines(arrays: Mapping[str, np.ndarray], source: object) -> list[list[str]]:
    """Lines on each stored input for a gallery: the difference, and the first values of both networks.

    Args:
        arrays: content of the file.
        source: its path, for messages.
    """
    agreement = Agreement.read(str(arrays["task"]), source)
    said = {who: agreement.original(arrays[f"{who}_outputs"]) for who in ("original", "compressed")}
    return [
        [f"difference: {difference:.3g} tolerances", *(f"{who}: {_first(of, row)}" for who, of in said.items())]
        for row, difference in enumerate(arrays["difference"].tolist())
    ]


def _first(outputs: Outputs, row: int) -> str:
    """The first values of one input's outputs."""
    values = np.concatenate([one[row].ravel() for one in outputs.values()])
    return ", ".join(f"{value:.3g}" for value in values[:VALUES]) + (" ..." if len(values) > VALUES else "")
