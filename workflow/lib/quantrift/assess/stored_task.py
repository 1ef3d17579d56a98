"""Arrays of a task in the file of difference-inducing inputs (``dii_file``), and new builds held to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from quantrift.assess.given_networks import Ready
from quantrift.assess.under_task import OnTask
from quantrift.models.graphs.output_values import OutputValue, OutputValues, matched, split
from quantrift.subjects.task import Outputs, in_rows
from quantrift.subjects.task_pair import Agreement

Network = Callable[[np.ndarray], np.ndarray]
"""From inputs, float32 (n, H, W, C), to values of all outputs, float32 (n, K)."""
NAMES = ("task", "original_outputs", "agreeing_lost", "agreeing_gained", "truth")
"""Arrays of the file under a task other than classification; the last where truth was given."""


def arrays(
    of_task: OnTask, networks: tuple[Network, Network], inputs: np.ndarray, unlike: np.ndarray
) -> dict[str, np.ndarray]:
    """Arrays that a new build is judged by.

    Args:
        of_task: both networks under the task.
        networks: both, which give values of their outputs.
        inputs: stored inputs, float32 (n, H, W, C), those as given last.
        unlike: numbers of these last among the given inputs.

    Returns:
        ``task``, JSON; ``original_outputs`` and ``compressed_outputs`` (n, K), in the original's
        order, and their ``difference`` (n,); ``agreeing_lost`` and ``agreeing_gained``, numbers of inputs that
        are not stored on which only the original, or only the compressed network, is right; with truth, ``truth``
        (m, ...) of the stored inputs as given.
    """
    said, theirs = (network(inputs) for network in networks)
    named = of_task.agreement.compressed(theirs)
    found = {
        "task": np.array(of_task.agreement.dumped()),
        "original_outputs": said,
        "compressed_outputs": np.concatenate([in_rows(one) for one in named.values()], axis=1),
        "difference": of_task.agreement.difference(said, theirs),
    }
    before, after = of_task.right_original, of_task.right_compressed
    if before is None or after is None or of_task.truth is None:
        return found | {"agreeing_lost": np.array(0), "agreeing_gained": np.array(0)}
    others = np.ones(len(before), bool)
    others[unlike] = False
    lost, gained = (others & before & ~after).sum(), (others & after & ~before).sum()
    counts = {"agreeing_lost": np.array(lost), "agreeing_gained": np.array(gained)}
    return found | counts | {"truth": of_task.truth[unlike]}


VALUES = 4
"""Values shown of the outputs of an input in a gallery."""


@dataclass(frozen=True, eq=False)
class StoredTask:
    """A task as it was stored."""

    agreement: Agreement
    original: np.ndarray
    """Values of the original's outputs for all stored inputs, float32 (n, K)."""
    held: Mapping[str, np.ndarray]

    @staticmethod
    def of(held: Mapping[str, np.ndarray], source: object) -> "StoredTask | None":
        """From arrays of the file; ``None`` under classification.

        Raises:
            QuantriftError: it is damaged; ``source`` is for the message.
        """
        if "task" not in held:
            return None
        return StoredTask(Agreement.read(str(held["task"]), source), held["original_outputs"], held)

    @property
    def said(self) -> dict[str, np.ndarray]:
        """Stored outputs of the original by name."""
        return self.agreement.original(self.original)

    def outputs(self, network: Ready, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs of a network for inputs, float32 (n, H, W, C), under the names of the original's.

        Raises:
            QuantriftError: it has other outputs.
        """
        values, own = network.values.signature.values, self.agreement
        # Only networks that were loaded for a task come here.
        assert values is not None
        known = [OutputValue(0, *one, np.float32(1), np.float32(0)) for one in zip(own.names, own.shapes, strict=True)]
        order, _ = matched(network.given, OutputValues(tuple(known)), values)
        return split(network.values(inputs), own.names, own.shapes, order)

    def differs(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """0 or 1, int64 (n,): whether outputs of both do not agree."""
        found: np.ndarray = (self.agreement.between(original, compressed) > 1).astype(np.int64)
        return found

    def lost_and_gained(self, given: np.ndarray, original: Outputs, compressed: Outputs) -> tuple[int, int]:
        """Inputs as given on which only the original, or only the new build, is right.

        Args:
            given: whether each stored input is one as given, bool (n,).
            original: outputs for all stored inputs.
            compressed: likewise of the new build.
        """
        lost, gained = int(self.held["agreeing_lost"]), int(self.held["agreeing_gained"])
        if "truth" in self.held and given.any():
            task, truth = self.agreement.task, self.held["truth"]
            first, second = ({name: one[given] for name, one in of.items()} for of in (original, compressed))
            before, after = task.right(first, truth, of_compressed=False), task.right(second, truth, of_compressed=True)
            lost, gained = lost + int((before & ~after).sum()), gained + int((after & ~before).sum())
        return lost, gained


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
