"""Task of a bundle: agreement as it was stated, and outputs of a device that are compared under it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.graphs.file_tensors import OutputValues
from quantrift.core.pairs.pair import Outputs
from quantrift.core.pairs.task import Task, in_rows, task_of
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, pseudo_logits
from quantrift.core.search.evaluator import digest
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.under_task import on_task

EARLIER: Mapping[str, Mapping[str, Any]] = {"regress": {"by_channel": False}}
"""Task -> settings of bundles that earlier versions made, where these do not state them."""


@dataclass(frozen=True)
class BundledTask:
    """A task other than classification, and the outputs that a device gives, in the order of the original's."""

    name: str
    settings: dict[str, Any]
    """As they were stated: what depends on both networks is settled when outputs are judged."""
    outputs: list[str]
    """Names of the outputs."""
    shapes: list[tuple[int, ...]]
    """Of each, for one input."""

    @staticmethod
    def of(task: Task, values: OutputValues) -> "BundledTask":
        """A task for the outputs of an original."""
        # A dataclass by its interface (``Task``), whose settings are plain values.
        settings = asdict(task)  # type: ignore[call-overload]
        return BundledTask(task.NAME, settings, list(values.names), list(values.shapes))

    @property
    def agreement(self) -> Agreement:
        """The task for outputs in this order, not settled yet."""
        task = task_of(self.name, {**EARLIER.get(self.name, {}), **self.settings})
        return Agreement(task, tuple(self.outputs), tuple(self.shapes), self._order)

    @property
    def _order(self) -> tuple[int, ...]:
        return tuple(range(len(self.outputs)))

    def joined(self, arrays: Mapping[str, np.ndarray], rows: int, path: Path) -> np.ndarray:
        """Values of all outputs side by side, (rows, K), from arrays by name; a single one may have any name.

        Raises:
            QuantriftError: an output is missing, or has another shape; ``path`` is for the message.
        """
        held = (
            dict(zip(self.outputs, arrays.values(), strict=True)) if len(arrays) == len(self.outputs) == 1 else arrays
        )
        parts = []
        for name, shape in zip(self.outputs, self.shapes, strict=True):
            one = held.get(name)
            if one is None:
                listed = ", ".join(f"'{other}'" for other in self.outputs)
                raise QuantriftError(
                    f"{path}: has no array '{name}'; outputs of the original are {listed}: name them so"
                )
            if one.dtype.kind not in "fiub" or len(one) != rows or one.size != rows * prod(shape):
                raise QuantriftError(
                    f"{path}: '{name}' holds {one.dtype} {one.shape}, expected numbers {(rows, *shape)}: a row of "
                    "outputs for each input of the bundle, in order"
                )
            parts.append(in_rows(one).astype(np.float32))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))


def started(
    task: Task, first: Ready, values: np.ndarray, inputs: Inputs, truth: np.ndarray | None, file: Path
) -> tuple[BundledTask, Ready]:
    """A task for the outputs of an original, and the original as one that agrees with itself.

    Labels of ``inputs`` become 0 where it is right, or where no truth was given, and 1 elsewhere.

    Args:
        task: as a user states it.
        first: the original, which gives values of its outputs.
        values: these for the inputs, float32 (n, K).
        inputs: the given inputs.
        truth: true outputs as given.
        file: of the inputs, for messages.

    Raises:
        QuantriftError: outputs or truth do not fit the task.
    """
    outputs = first.values.signature.values
    # It was loaded for a task.
    assert outputs is not None
    found = BundledTask.of(task, outputs)
    right = on_task(found.agreement, (values, values), truth, first.given, file).right_original
    inputs.labels[inputs.test] = 0 if right is None else ~right
    return found, replace(first, network=AgreeingOriginal(first.values, first.given))


def compared(agreement: Agreement, first: np.ndarray, second: np.ndarray) -> Outputs:
    """Outputs of a pair under a task, from values (n, K) of both networks."""
    nothing = pseudo_logits(np.zeros(len(first)))
    return Outputs(nothing, pseudo_logits(agreement.difference(first, second)) if len(first) else nothing)


@dataclass(frozen=True, eq=False)
class Recalled:
    """A network that is known by its values on some inputs alone."""

    values: Mapping[int, np.ndarray]
    """Digest of an input (``search.evaluator.digest``) -> values of all outputs, float32 (K,)."""
    width: int
    """K."""

    @staticmethod
    def of(digests: Sequence[int], values: np.ndarray) -> "Recalled":
        """From digests of n inputs and values, float32 (n, K)."""
        return Recalled(dict(zip(digests, values, strict=True)), values.shape[1])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Values, float32 (n, K), for some of these inputs again."""
        rows = [self.values[int(digest(one))] for one in x]
        return np.stack(rows) if rows else np.empty((0, self.width), np.float32)
