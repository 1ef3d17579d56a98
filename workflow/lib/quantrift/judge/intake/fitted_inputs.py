"""A user's inputs made fit for the networks: order of axes, and scale or, of signals and tables, ranges and categories.

Signals and tables have no scale of black and white. Their numbers reach the networks as they are given.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import MeasuredStack
from quantrift.core.base.observed_columns import MOST, told_categories
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.graphs.choices import plain
from quantrift.core.networks.graphs.input_sides import Kind, longer_sides
from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.pairs.given_pair import Remembered
from quantrift.core.pairs.task_pair import CLASSES, AgreeingOriginal
from quantrift.judge.intake.expected_ranges import saturated
from quantrift.judge.intake.given_inputs import Arrays, beside
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.intake.input_form import FROM_FILES, InputForm, by_sides
from quantrift.judge.intake.scaling import Known, Said, scaled

SHOWN = 6
"""Categories that the line on them lists at most."""


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
    names, classes = arrays.class_names, original.network.classes
    class_names = names if names and len(names) == classes else [str(number) for number in range(classes)]
    if form.values:
        # Values of outputs are no labels, so nothing on inputs is told by them.
        network, class_names = AgreeingOriginal(original.values, original.given), list(CLASSES)
    else:
        _check_classes(arrays, file, original, compressed)
    signature = original.network.signature
    others = beside(arrays, file, signature.carried)
    values, layout = laid_out(arrays.values, signature, str(file), original.given.name)
    known = Known(
        network if isinstance(network, Remembered) else Remembered(network, {}),
        original.expected,
        [one.expected for one in compressed],
        class_names,
        file,
        arrays.labels,
        form,
        list(others.values()),
    )
    if signature.kind == "image":
        said = scaled(values, known)
    else:
        said = _measured(np.ascontiguousarray(values, np.float32), signature.kind, arrays.feature_names, known)
    return Said(
        replace(said.inputs, changed_input=plain(signature.name), carried=others) if others else said.inputs,
        [*arrays.assumed, layout, *said.assumed],
        said.findings,
    )


def _check_classes(arrays: Arrays, file: Path, original: Ready, compressed: Sequence[Ready]) -> None:
    """Refuse a network with one output that is not shown to tell two classes: it may give a number."""
    signatures = [one.network.signature for one in (original, *compressed)]
    single, most = all(one.single for one in signatures), 0 if arrays.labels is None else int(arrays.labels.max())
    refuse(
        (
            single and most > 1,
            f"{file}: labels reach {most}, but {original.given.name} has one output: it is a regression, which is not "
            "compared by labels; say --task regress",
        ),
        (
            single and arrays.labels is None and not any(one.sigmoid for one in signatures),
            f"{original.given}: has one output and no sigmoid, which may be a logit or a regression's number; say "
            "--task regress, or, for a classifier, name true labels, 0 and 1, with --labels",
        ),
    )


def laid_out(values: np.ndarray, signature: Signature, array: str, network: str) -> tuple[np.ndarray, str]:
    """The inputs, (n, ...) as the network's file takes them, as (n, H, W, C); and what was found, one line.

    ``array`` and ``network`` are names for messages; raises as ``channels_last`` does.
    """
    lay = channels_last if signature.kind == "image" else steps_and_channels
    return lay(values, signature.image, array, network, signature.first)


def channels_last(
    values: np.ndarray, image: tuple[int, int, int], array: str, network: str, first: bool = False
) -> tuple[np.ndarray, str]:
    """The inputs as (n, H, W, C), C-contiguous, of the type they have; and what was found, one line.

    Inputs stand as the network's file takes them, or in the other order where their shape leaves no doubt.

    Args:
        values: (n, ...).
        image: (H, W, C) that the network takes.
        array: name of the file of inputs, for messages.
        network: likewise of the network.
        first: whether the network's file takes channels first; it decides where both orders have the same shape.

    Raises:
        QuantriftError: the inputs do not fit the network, whatever the order of their axes.
    """
    height, width, channels = image
    shape, text, turned = values.shape[1:], by_sides(image), (channels, height, width)
    if channels == 1 and shape == image[:2]:
        return np.ascontiguousarray(values[..., None]), f"layout: images without channels, taken as {text}"
    if shape == turned and (first or turned != image):
        return np.ascontiguousarray(np.moveaxis(values, 1, 3)), f"layout: channels first, turned to {text}"
    if shape == image:
        return np.ascontiguousarray(values), f"layout: channels last, {text}"
    refuse(
        (
            sorted(shape) == sorted(image) or (channels == 1 and sorted(shape) == sorted(image[:2])),
            f"{array}: inputs are {by_sides(shape)}, {network} takes {text} (wrong layout); "
            "transpose them to (n, H, W, C)",
        )
    )
    raise _unfit(array, shape, network, text)


def steps_and_channels(
    values: np.ndarray, signal: tuple[int, int, int], array: str, network: str, first: bool = False
) -> tuple[np.ndarray, str]:
    """Signals as (n, 1, T, C), or rows of a table as (n, 1, 1, F), as ``channels_last`` gives images.

    Sides of 1 may stand anywhere. ``signal`` is (1, T, C), or (1, 1, F) of a table.
    """
    given, wanted = longer_sides(values.shape[1:]), longer_sides(signal)
    text = by_sides(signal[1:] if signal[1] > 1 else signal[2:])
    # Inputs that an assessment stored stand as (1, T, C), whatever the file takes.
    stored = values.shape[1:] == signal
    if given == wanted[::-1] and len(wanted) == 2 and not stored and (first or given != wanted):
        turned = np.moveaxis(values.reshape(len(values), *given), 1, 2)
        return np.ascontiguousarray(turned)[:, None], f"layout: channels first, turned to {text}"
    if given == wanted:
        kind = "signals, channels last" if signal[1] > 1 else "rows of a table"
        return np.ascontiguousarray(values).reshape(len(values), *signal), f"layout: {kind}, {text}"
    raise _unfit(array, values.shape[1:], network, text)


def _unfit(array: str, shape: Sequence[int], network: str, text: str) -> QuantriftError:
    return QuantriftError(
        f"{array}: inputs are {by_sides(shape)}, {network} takes {text} (wrong layout or size); give the inputs that "
        "it was trained on"
    )


def _measured(values: np.ndarray, kind: Kind, names: list[str], known: Known) -> Said:
    """Signals, float32 (n, 1, T, C), or rows of a table, (n, 1, 1, F), and the facts found on them.

    Raises:
        QuantriftError: options for images, categories that there are not, or inputs that the original was not made for.
    """
    form, file, features = known.form, known.file, values.shape[3]
    refuse(
        (
            form.scaled,
            f"{file}: --range, --mean and --std are for images; signals and tables are used as given, and their ranges "
            "are those of the inputs",
        ),
        (kind != "table" and form.categories is not None, f"{file}: --categories is for tables; leave it out"),
    )
    assumed = [
        f"ranges: those of the {len(values)} inputs given, of each {'feature' if kind == 'table' else 'channel'}"
    ]
    category = np.full(features, -1, np.int64)
    if kind == "table":
        rows = values.reshape(len(values), features)
        groups = told_categories(rows) if form.categories is None else form.categories
        _check_categories(rows, groups, file)
        assumed.append(_on_categories(groups, names, form))
        for number, group in enumerate(groups):
            category[list(group)] = number
    made = MeasuredStack(
        values=values,
        kind=kind,  # type: ignore[arg-type]
        names=names if len(names) == features else [],
        category=category,
        **known.common(len(values)),
    )
    # Whatever the original takes is what it was made for: nothing else tells the range of a signal.
    findings = saturated(made.take(made.test), known.expected, known.of_compressed, True, file)
    return Said(known.labelled(made), assumed, findings)


def _check_categories(rows: np.ndarray, groups: Sequence[Sequence[int]], file: Path) -> None:
    named = [column for group in groups for column in group]
    for group in groups:
        for column in group:
            names = f"{file}: --categories names column {column}"
            refuse(
                (not 0 <= column < rows.shape[1], f"{names}, but columns are 0 to {rows.shape[1] - 1}"),
                (named.count(column) > 1, f"{names} twice; take one out"),
            )
        refuse(
            (
                len(np.unique(rows[:, list(group)], axis=0)) > MOST,
                f"{file}: --categories: column {group[0]} has more than {MOST} values, so is no category; take it out",
            )
        )


def _on_categories(groups: Sequence[Sequence[int]], names: Sequence[str], form: InputForm) -> str:
    """Line on the categories."""
    shown = [
        f"{names[one[0]] if len(names) > one[0] else one[0]}" + (f" to {one[-1]}" if len(one) > 1 else "")
        for one in groups[:SHOWN]
    ]
    more = f" and {len(groups) - SHOWN} more" if len(groups) > SHOWN else ""
    said = (
        "told from few values and one-hot neighbours; --categories states them"
        if form.categories is None
        else "as --categories says"
    )
    return f"categories: {'columns ' * bool(shown)}{', '.join(shown) or 'none'}{more}, {said}"
