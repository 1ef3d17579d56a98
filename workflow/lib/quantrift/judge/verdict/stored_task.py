"""Arrays of a task in the file of difference-inducing inputs (``dii_file``), and new builds held to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from quantrift.core.networks.graphs.file_tensors import OutputValues, Tensor, matched, split
from quantrift.core.pairs.task import Outputs, in_rows
from quantrift.core.pairs.task_pair import Agreement
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.stored_inputs import StoredInputs

Network = Callable[[np.ndarray], np.ndarray]
"""From inputs, float32 (n, H, W, C), to values of all outputs, float32 (n, K)."""


def arrays(agreement: Agreement, networks: tuple[Network, Network], inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays on stored inputs.

    Args:
        agreement: the task.
        networks: both, which give values of their outputs.
        inputs: float32 (n, H, W, C).

    Returns:
        ``task``, JSON; ``original_outputs`` and ``compressed_outputs`` (n, K), in the original's order, and their
        ``difference`` (n,).
    """
    said, theirs = (network(inputs) for network in networks)
    named = agreement.compressed(theirs)
    return {
        "task": np.array(agreement.dumped()),
        "original_outputs": said,
        "compressed_outputs": np.concatenate([in_rows(one) for one in named.values()], axis=1),
        "difference": agreement.difference(said, theirs),
    }


VALUES = 4
"""Values shown of the outputs of an input in a gallery."""


@dataclass(frozen=True, eq=False)
class StoredTask:
    """A task as it was stored."""

    agreement: Agreement

    @staticmethod
    def of(held: Mapping[str, np.ndarray], source: object) -> "StoredTask | None":
        """From arrays of the file; ``None`` under classification.

        Raises:
            QuantriftError: it is damaged; ``source`` is for the message.
        """
        return StoredTask(Agreement.read(str(held["task"]), source)) if "task" in held else None

    def outputs(self, network: Ready, inputs: StoredInputs, matched_inputs: bool = False) -> dict[str, np.ndarray]:
        """Outputs of a network for stored inputs, under the names of the original's.

        Raises:
            QuantriftError: it has other outputs, or takes other inputs.
        """
        own, values = self.agreement, network.values.signature.values
        # Only networks that were loaded for a task come here.
        assert values is not None
        known = [
            Tensor(0, shape, np.float32, np.float32(1), np.float32(0), name)
            for name, shape in zip(own.names, own.shapes, strict=True)
        ]
        order, _ = matched(network.given, OutputValues(tuple(known)), values)
        return split(inputs.run(network.values, network, matched_inputs), own.names, own.shapes, order)

    def differs(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """0 or 1, int64 (n,): whether outputs of both do not agree."""
        found: np.ndarray = (self.agreement.between(original, compressed) > 1).astype(np.int64)
        return found

    def right(self, truth: np.ndarray, original: Outputs, compressed: Outputs) -> tuple[np.ndarray, np.ndarray]:
        """Whether outputs of each network are right, bool (n,)."""
        right = self.agreement.task.right
        return right(original, truth, of_compressed=False), right(compressed, truth, of_compressed=True)


def disagreement_lines(arrays: Mapping[str, np.ndarray], source: object) -> list[list[str]]:
    """Lines on each stored input for a gallery: the difference, and the first values of both networks.

    Args:
        arrays: content of the file.
        source: its path, for messages.
    """
    agreement = Agreement.read(str(arrays["task"]), source)
    first, second = arrays["original_outputs"], arrays["compressed_outputs"]
    ours, theirs = agreement.original(first), agreement.original(second)
    differences = arrays["difference"].tolist()
    return [
        [
            f"difference: {difference:.3g} tolerances",
            *(f"{who}: {_first(of, row)}" for who, of in (("original", ours), ("compressed", theirs))),
        ]
        for row, difference in enumerate(differences)
    ]


def _first(outputs: Outputs, row: int) -> str:
    """The first values of one input's outputs."""
    values = np.concatenate([one[row].ravel() for one in outputs.values()])
    return ", ".join(f"{value:.3g}" for value in values[:VALUES]) + (" ..." if len(values) > VALUES else "")
