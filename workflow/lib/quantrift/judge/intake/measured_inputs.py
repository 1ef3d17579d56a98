"""Signals and tables, made ready for searches: ranges and categories, read from the inputs given.

They have no scale of black and white. Numbers reach the networks as they are given.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import MeasuredStack
from quantrift.core.base.observed_columns import MOST, told_categories
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.networks.runtime_protocol import Runtime
from quantrift.judge.intake.among_given import AmongGiven
from quantrift.judge.intake.expected_inputs import Expected
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.intake.saturated import saturated
from quantrift.judge.intake.scaling import Said, check_labels, common, with_labels

SHOWN = 6
"""Categories that the line on them lists at most."""


def measured(
    values: np.ndarray,
    kind: Kind,
    arrays: Arrays,
    class_names: Sequence[str],
    original: Runtime,
    expected: tuple[Expected, Sequence[Expected]],
    file: Path,
    form: InputForm,
    others: Sequence[np.ndarray] = (),
) -> Said:
    """Signals or rows of a table, and the facts found on them.

    Args:
        values: (n, 1, T, C), or (n, 1, 1, F) of a table.
        kind: signal or table.
        arrays: where they come from.
        class_names: name of each output of the original.
        original: the network.
        expected: inputs that the files of the original and of the compressed networks ask for.
        file: for messages, and the title of the inputs.
        form: the user's options.
        others: values of the other inputs of the network, float32 (n, ...) each.

    Raises:
        QuantriftError: options for images, categories that there are not, labels beyond the classes, or inputs that the
            original was not made for.
    """
    check_labels(arrays.labels, class_names, file)
    if form.scaled:
        raise QuantriftError(
            f"{file}: --range, --mean and --std are for images; signals and tables are used as given, and their ranges "
            "are those of the inputs"
        )
    own = np.ascontiguousarray(values, np.float32)
    features = own.shape[3]
    groups: Sequence[Sequence[int]] = ()
    assumed = [f"ranges: those of the {len(own)} inputs given, of each {'feature' if kind == 'table' else 'channel'}"]
    if kind == "table":
        rows = own.reshape(len(own), features)
        groups = told_categories(rows) if form.categories is None else form.categories
        _check_categories(rows, groups, file)
        assumed.append(_said(groups, arrays.feature_names, form))
    elif form.categories is not None:
        raise QuantriftError(f"{file}: --categories is for tables; leave it out")
    category = np.full(features, -1, np.int64)
    for number, group in enumerate(groups):
        category[list(group)] = number
    made = MeasuredStack(
        values=own,
        kind=kind,  # type: ignore[arg-type]
        names=arrays.feature_names if len(arrays.feature_names) == features else [],
        category=category,
        **common(len(own), arrays.labels, class_names, file),
    )
    # Whatever the original takes is what it was made for: nothing else tells the range of a signal.
    findings = saturated(made.take(made.test), *expected, True, file)
    return Said(with_labels(made, arrays.labels, AmongGiven(original, others)), assumed, findings)


def _check_categories(rows: np.ndarray, groups: Sequence[Sequence[int]], file: Path) -> None:
    taken: set[int] = set()
    for group in groups:
        for column in group:
            if not 0 <= column < rows.shape[1]:
                raise QuantriftError(
                    f"{file}: --categories names column {column}, but columns are 0 to {rows.shape[1] - 1}"
                )
            if column in taken:
                raise QuantriftError(f"{file}: --categories names column {column} twice; take one out")
            taken.add(column)
        if len(np.unique(rows[:, list(group)], axis=0)) > MOST:
            raise QuantriftError(
                f"{file}: --categories: column {group[0]} has more than {MOST} values, so is no category; take it out"
            )


def _said(groups: Sequence[Sequence[int]], names: Sequence[str], form: InputForm) -> str:
    """Line on the categories."""
    shown = [
        f"{names[one[0]] if len(names) > one[0] else one[0]}" + (f" to {one[-1]}" if len(one) > 1 else "")
        for one in groups[:SHOWN]
    ]
    text = f"columns {', '.join(shown)}" if shown else "none"
    if len(groups) > SHOWN:
        text += f" and {len(groups) - SHOWN} more"
    if form.categories is not None:
        return f"categories: {text}, as --categories says"
    return f"categories: {text}, told from few values and one-hot neighbours; --categories states them"
