"""Networks under a task that is not classification: made into pairs, and compared on the inputs as given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.graphs.file_tensors import matched
from quantrift.core.pairs.channels import Dead
from quantrift.core.pairs.task import Part, Task
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, ComparedNetwork
from quantrift.judge.intake.given_networks import Ready


@dataclass(frozen=True, eq=False)
class OnTask:
    """Both networks under a task, on the n inputs as given."""

    agreement: Agreement
    original: np.ndarray
    """Values of all outputs of the original, float32 (n, K)."""
    truth: np.ndarray | None
    """As ``Task.checked`` returned it; ``None`` where none was given."""
    right_original: np.ndarray | None
    """Whether each output is right, bool (n,); ``None`` without truth."""
    right_compressed: np.ndarray | None
    parts: Sequence[Part]
    dead: Sequence[Dead] = ()

    @property
    def task(self) -> Task:
        """With all its numbers."""
        return self.agreement.task


@dataclass(frozen=True, eq=False)
class UnderTask:
    """All networks of an assessment under a task."""

    first: Ready
    networks: Mapping[str, Ready]
    """Name -> compressed network."""
    found: Mapping[str, OnTask]
    assumed: list[str]
    """Assumptions, one line each."""

    @property
    def task(self) -> Task:
        """That of the first compressed network, which speaks for all."""
        return next(iter(self.found.values())).task


def under_task(
    task: Task, first: Ready, others: Mapping[str, Ready], inputs: Inputs, truth: np.ndarray | None, file: Path
) -> UnderTask:
    """Settle a task for networks, and make pairs of them whose labels say whether they agree.

    Labels of ``inputs`` become 0 where the original is right, or where no truth was given, and 1 elsewhere, so that
    searches start from inputs on which it is right.

    Args:
        task: as a user states it.
        first: the original, which gives values of its outputs.
        others: name -> compressed networks, likewise.
        inputs: the given inputs.
        truth: true outputs as given.
        file: of the inputs, for messages.

    Raises:
        QuantriftError: outputs do not fit each other or the task, or are not finite.
    """
    before = finite(first, inputs)
    found, networks, assumed = {}, {}, []
    for name, one in others.items():
        own, other = first.values.signature.values, one.values.signature.values
        # Both were loaded for a task.
        assert own is not None and other is not None  # noqa: PT018
        order, how = matched(one.given, own, other)
        if len(own.names) > 1:
            assumed.append(f"{one.given.name}: outputs matched to the original's {how}")
        after = finite(one, inputs)
        found[name] = on_task(Agreement(task, own.names, own.shapes, order), (before, after), truth, first.given, file)
        network = ComparedNetwork(first.values, one.values, found[name].agreement)
        networks[name] = replace(one, network=network)
    assumed += list(dict.fromkeys(f"agreement ({task.NAME}): {one.task.definition}" for one in found.values()))
    right = next(iter(found.values())).right_original
    inputs.labels[inputs.test] = 0 if right is None else ~right
    return UnderTask(replace(first, network=AgreeingOriginal(first.values, first.given)), networks, found, assumed)


def finite(one: Ready, inputs: Inputs) -> np.ndarray:
    """Values of all outputs of a network on the inputs, float32 (n, K).

    Raises:
        QuantriftError: they are not finite.
    """
    values = logits(one.values, inputs, inputs.test)
    wrong = int((~np.isfinite(values)).any(axis=1).sum())
    if wrong:
        raise QuantriftError(
            f"{one.given}: gives NaN or infinity on {wrong} of {len(values)} inputs; look at its weights, and at how "
            "its inputs are made"
        )
    return values


def on_task(
    agreement: Agreement, values: tuple[np.ndarray, np.ndarray], truth: np.ndarray | None, given: Path, file: Path
) -> OnTask:
    """Settle a task by the values of both networks on the inputs as given, and compare them.

    Args:
        agreement: the task as a user states it, for the outputs.
        values: of the original and of the compressed network, float32 (n, K) each.
        truth: true outputs as given.
        given: the original, for messages.
        file: of the inputs, for messages.

    Raises:
        QuantriftError: outputs or truth do not fit the task.
    """
    before, after = values
    first, second = agreement.original(before), agreement.compressed(after)
    try:
        task = agreement.task.settled(first, second)
    except QuantriftError as error:
        raise QuantriftError(f"{given}: {error}") from None
    agreement = replace(agreement, task=task)
    parts, dead = task.parts(first, second), task.dead(first, second)
    if truth is None:
        return OnTask(agreement, before, None, None, None, parts, dead)
    try:
        checked = task.checked(truth, first)
    except QuantriftError as error:
        raise QuantriftError(f"{file}: the array of labels {error}") from None
    right = task.right(first, checked, of_compressed=False), task.right(second, checked, of_compressed=True)
    return OnTask(agreement, before, checked, *right, parts, dead)
