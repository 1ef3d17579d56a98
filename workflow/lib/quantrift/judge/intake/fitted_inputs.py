"""A user's inputs made fit for the networks: order of axes, and scale."""

from collections.abc import Sequence
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import CarriedStack
from quantrift.core.networks.graphs.choices import plain
from quantrift.core.networks.runtime_protocol import Runtime
from quantrift.core.pairs.task_pair import CLASSES, AgreeingOriginal
from quantrift.judge.intake.axes import channels_last, steps_and_channels
from quantrift.judge.intake.carried_arrays import beside
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.measured_inputs import measured
from quantrift.judge.intake.scaling import Said, scaled


def fitted(
    arrays: Arrays, file: Path, original: Ready, compressed: Sequence[Ready], form: InputForm = FROM_FILES
) -> Said:
    """Inputs that can be searched, and the facts found on them.

    Args:
        arrays: given inputs and labels.
        file: their file, for messages.
        original: the network.
        compressed: versions of it, which take the same inputs.
        form: how inputs are meant, as far as the user says so.

    Raises:
        QuantriftError: the inputs do not fit the networks, or the networks are no classifiers.
    """
    network: Runtime = original.network
    if not form.values:
        _check_classes(arrays, file, original, compressed)
    signature = original.network.signature
    shape, first, kind = signature.image, signature.first, signature.kind
    others = beside(arrays, file, signature.carried)
    lay = channels_last if kind == "image" else steps_and_channels
    values, layout = lay(arrays.values, shape, str(file), original.given.name, first)
    names, classes = arrays.class_names, original.network.classes
    class_names = names if names and len(names) == classes else [str(number) for number in range(classes)]
    if form.values:
        # Values of outputs are no labels, so nothing on inputs is told by them.
        network, class_names = AgreeingOriginal(original.values, original.given), list(CLASSES)
    expected = original.expected, [one.expected for one in compressed]
    if kind == "image":
        said = scaled(values, arrays.labels, class_names, network, expected, file, form, list(others.values()))
    else:
        said = measured(values, kind, arrays, class_names, network, expected, file, form, list(others.values()))
    inputs = CarriedStack.around(said.inputs, plain(signature.name), others) if others else said.inputs
    return Said(inputs, [*arrays.assumed, layout, *said.assumed], said.findings)


def _check_classes(arrays: Arrays, file: Path, original: Ready, compressed: Sequence[Ready]) -> None:
    """Refuse a network with one output that is not shown to tell two classes: it may give a number."""
    signatures = [one.network.signature for one in (original, *compressed)]
    if not all(one.single for one in signatures):
        return
    if arrays.labels is not None and arrays.labels.max() > 1:
        raise QuantriftError(
            f"{file}: labels reach {int(arrays.labels.max())}, but {original.given.name} has one output: it is a "
            "regression, which is not compared by labels; say --task regress"
        )
    if arrays.labels is None and not any(one.sigmoid for one in signatures):
        raise QuantriftError(
            f"{original.given}: has one output and no sigmoid, which may be a logit or a regression's number; say "
            "--task regress, or, for a classifier, name true labels, 0 and 1, with --labels"
        )
