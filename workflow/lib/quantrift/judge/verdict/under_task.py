"""Networks under a task: made into pairs, and compared on the inputs as given; the task of a bundle.

Labels are compared under classification; every other task makes pairs whose labels say whether they agree.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.carried_rows import in_rows
from quantrift.core.base.errors import QuantriftError, refuse, said_of
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.graphs.file_tensors import matched
from quantrift.core.pairs.channels import Dead
from quantrift.core.pairs.pair import Outputs
from quantrift.core.pairs.task import Part, Task, task_of
from quantrift.core.pairs.task_pair import AgreeingOriginal, Agreement, ComparedNetwork, pseudo_logits
from quantrift.core.pairs.tasks import classify
from quantrift.core.search.evaluator import digest
from quantrift.judge.intake.given_networks import Ready

EARLIER: Mapping[str, Mapping[str, Any]] = {"regress": {"by_channel": False}}
"""Task -> settings of bundles that earlier versions made, where these do not state them."""


@dataclass(frozen=True, eq=False)
class OnTask:
    """Both networks under a task, on the n inputs as given."""

    task: Task
    """With all its numbers."""
    right: tuple[np.ndarray, np.ndarray] | None
    """Whether outputs of the original, and of the compressed network, are right, bool (n,) each; ``None`` without
    truth."""
    parts: Sequence[Part] = ()
    dead: Sequence[Dead] = ()
    agreement: Agreement | None = None
    """The task for their outputs; ``None`` where labels are compared."""
    outputs: Outputs | None = None
    """Values of all outputs of both, float32 (n, K) each; likewise."""
    truth: np.ndarray | None = None
    """As ``Task.checked`` returned it; ``None`` where none was given, and where labels are compared."""

    def pseudo(self, values: Outputs) -> Outputs:
        """Outputs that tell whether both agree, of values (m, K) of both; of labels the logits themselves tell it."""
        if self.agreement is None:
            return values
        nothing = pseudo_logits(np.zeros(len(values.original)))
        if not len(nothing):
            return Outputs(nothing, nothing)
        return Outputs(nothing, pseudo_logits(self.agreement.difference(values.original, values.compressed)))


def on_labels(both: Comparison, labelled: bool, networks: Sequence[Ready] = (), names: Sequence[str] = ()) -> OnTask:
    """Both networks as classifiers.

    Args:
        both: logits of both, and labels.
        labelled: whether labels were given.
        networks: both, whose logits may be dead unless they are made of probabilities again; none where these are
            unknown.
        names: of the classes.
    """
    task = classify.Settings()
    first, second = {"logits": both.of_original}, {"logits": both.of_compressed}
    are_logits = networks and not any(one.probabilities for one in networks)
    dead = [replace(one, channel=names[int(one.channel)]) for one in (task.dead(first, second) if are_logits else ())]
    right = both.of_original.argmax(axis=1) == both.truth, both.of_compressed.argmax(axis=1) == both.truth
    return OnTask(task, right if labelled else None, dead=dead)


def under_task(
    task: Task, first: Ready, others: Mapping[str, Ready], inputs: Inputs, truth: np.ndarray | None, file: Path
) -> tuple[Ready, dict[str, Ready], dict[str, OnTask], list[str]]:
    """Settle a task for networks, and make pairs of them whose labels say whether they agree.

    Args:
        task: as a user states it.
        first: the original, which gives values of its outputs.
        others: name -> compressed networks, likewise.
        inputs: the given inputs, whose labels become those of ``_agreeing``.
        truth: true outputs as given.
        file: of the inputs, for messages.

    Returns:
        The original, name -> compressed networks, name -> both on the inputs, and assumptions, one line each.

    Raises:
        QuantriftError: outputs do not fit each other or the task, or are not finite.
    """
    before = finite(first, inputs)
    found, networks, assumed = dict[str, OnTask](), {}, list[str]()
    for name, one in others.items():
        own, other = first.values.signature.values, one.values.signature.values
        # Both were loaded for a task.
        assert own is not None and other is not None  # noqa: PT018
        order, how = matched(one.given, own, other)
        if len(own.names) > 1:
            assumed.append(f"{one.given.name}: outputs matched to the original's {how}")
        agreement = Agreement(task, own.names, own.shapes, order)
        found[name] = on_task(agreement, (before, finite(one, inputs)), truth, first.given, file)
        agreement = replace(agreement, task=found[name].task)
        networks[name] = replace(one, network=ComparedNetwork(first.values, one.values, agreement))
    assumed += dict.fromkeys(f"agreement ({task.name}): {one.task.definition}" for one in found.values())
    return _agreeing(first, next(iter(found.values())), inputs), networks, found, assumed


def _agreeing(first: Ready, found: OnTask, inputs: Inputs) -> Ready:
    """The original as one that agrees with itself.

    Labels of ``inputs`` become 0 where it is right, or where no truth was given, and 1 elsewhere, so that searches
    start from inputs on which it is right.
    """
    inputs.labels[inputs.test] = 0 if found.right is None else ~found.right[0]
    return replace(first, network=AgreeingOriginal(first.values, first.given))


def finite(one: Ready, inputs: Inputs) -> np.ndarray:
    """Values of all outputs of a network on the inputs, float32 (n, K).

    Raises:
        QuantriftError: they are not finite.
    """
    values = logits(one.values, inputs, inputs.test)
    if wrong := int((~np.isfinite(values)).any(axis=1).sum()):
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
    first, second = agreement.original(values[0]), agreement.compressed(values[1])
    with said_of(str(given)):
        task = agreement.task.settled(first, second)
    parts, dead, right = task.parts(first, second), task.dead(first, second), None
    if truth is not None:
        try:
            truth = task.checked(truth, first)
        except QuantriftError as error:
            raise QuantriftError(f"{file}: the array of labels {error}") from None
        right = task.right(first, truth, of_compressed=False), task.right(second, truth, of_compressed=True)
    return OnTask(task, right, parts, dead, replace(agreement, task=task), Outputs(*values), truth)


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

    @property
    def agreement(self) -> Agreement:
        """The task for outputs in this order, not settled yet."""
        return Agreement(
            task_of(self.name, {**EARLIER.get(self.name, {}), **self.settings}),
            tuple(self.outputs),
            tuple(self.shapes),
            tuple(range(len(self.outputs))),
        )

    def joined(self, arrays: Mapping[str, np.ndarray], rows: int, path: Path) -> np.ndarray:
        """Values of all outputs side by side, (rows, K), from arrays by name; a single one may have any name.

        Raises:
            QuantriftError: an output is missing, or has another shape; ``path`` is for the message.
        """
        if len(arrays) == len(self.outputs) == 1:
            arrays = dict(zip(self.outputs, arrays.values(), strict=True))
        listed = ", ".join(f"'{name}'" for name in self.outputs)
        for name, shape in zip(self.outputs, self.shapes, strict=True):
            refuse(
                (
                    name not in arrays,
                    f"{path}: has no array '{name}'; outputs of the original are {listed}: name them so",
                )
            )
            one = arrays[name]
            refuse(
                (
                    one.dtype.kind not in "fiub" or len(one) != rows or one.size != rows * prod(shape),
                    f"{path}: '{name}' holds {one.dtype} {one.shape}, expected numbers {(rows, *shape)}: a row of "
                    "outputs for each input of the bundle, in order",
                )
            )
        parts = [in_rows(arrays[name]).astype(np.float32) for name in self.outputs]
        return np.ascontiguousarray(np.concatenate(parts, axis=1))


def started(
    task: Task, first: Ready, values: np.ndarray, inputs: Inputs, truth: np.ndarray | None, file: Path
) -> tuple[BundledTask, Ready]:
    """A task for the outputs of an original, and the original as one that agrees with itself.

    Args:
        task: as a user states it.
        first: the original, which gives values of its outputs.
        values: these for the inputs, float32 (n, K).
        inputs: the given inputs, whose labels become those of ``_agreeing``.
        truth: true outputs as given.
        file: of the inputs, for messages.

    Raises:
        QuantriftError: outputs or truth do not fit the task.
    """
    outputs = first.values.signature.values
    # It was loaded for a task.
    assert outputs is not None
    # A dataclass by its interface (``Task``), whose settings are plain values.
    settings = asdict(task)  # type: ignore[call-overload]
    found = BundledTask(task.name, settings, list(outputs.names), list(outputs.shapes))
    return found, _agreeing(first, on_task(found.agreement, (values, values), truth, first.given, file), inputs)


def recalled(digests: Sequence[int], values: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A network that is known by its values, float32 (n, K), on n inputs alone: it gives them for some of these again.

    Args:
        digests: of the inputs (``search.evaluator.digest``).
        values: of all outputs, for each.
    """
    places = {digest_of_one: place for place, digest_of_one in enumerate(digests)}
    return lambda x: values[np.array([places[int(digest(one))] for one in x], np.int64)]
