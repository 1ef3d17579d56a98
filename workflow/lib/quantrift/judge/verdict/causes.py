"""Causes that an experiment shows: one change of what a compressed network reads or gives takes disagreements away.

Each experiment runs the compressed network again, on inputs in another form, or reads its classes in another order. It
names a cause where at least half of the disagreements go, and that is no chance.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy
from numpy.typing import ArrayLike

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import labels
from quantrift.core.pairs.task import Outputs
from quantrift.core.statistics.disagreement_tests import mcnemar
from quantrift.judge.intake.expected_ranges import SCALES, standardised
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.under_task import OnTask

TRIED = 200
"""Inputs that an experiment runs at most."""
CHANNELS = 256
"""Channels of an output that are put in another order at most."""
FEWEST = 5
"""Disagreements below which no experiment is made."""
GONE, SURE = 0.5, 0.001
"""Least share of the disagreements that must go, and largest p of McNemar's test."""
Change = Callable[[np.ndarray], np.ndarray]


def causes(compressed: Ready, both: Comparison, inputs: Inputs, found: OnTask) -> list[str]:
    """The cause that the best experiment shows, one line; none where no experiment does.

    Args:
        compressed: the network.
        both: logits of both networks on all inputs, or what stands for them under a task.
        inputs: as the networks take them, with nothing carried along.
        found: both under the task.
    """
    wanted, given = both.of_original.argmax(axis=1), both.of_compressed.argmax(axis=1)
    differ = wanted != given
    if differ.sum() < FEWEST or inputs.carried or min(both.of_original.shape[1], len(given)) < 2:
        return []
    rows = np.unique(np.linspace(0, len(wanted) - 1, min(TRIED, len(wanted))).astype(int))
    x = inputs.take(inputs.test[rows])
    shown: list[tuple[float, str]] = []

    def tried(text: str, before: np.ndarray, after: np.ndarray) -> None:
        """Keep an experiment that explains disagreements; whether inputs disagree before and after it, bool (m,)."""
        if mcnemar(before, after).p < SURE and after.sum() <= (1 - GONE) * before.sum():
            shown.append((float(after.mean()), text))

    for text, change in _forms(x, inputs):
        changed = change(x)
        if found.agreement is None or found.outputs is None:
            after = labels(compressed.network(changed)) != wanted[rows]
        else:
            after = found.agreement.difference(found.outputs.original[rows], compressed.values(changed)) > 1
        tried(text, differ[rows], after)
    if found.agreement is None or found.outputs is None:
        # The classes are put in another order by half of the inputs, and judged on the others.
        order = _order(wanted[::2], given[::2], both.of_original.shape[1])
        tried(f"{_in_words(order, 'classes')}; with that undone", differ[1::2], order[given[1::2]] != wanted[1::2])
    else:
        agreement = found.agreement
        first, second = agreement.original(found.outputs.original[rows]), agreement.compressed(compressed.values(x))
        others = {name: one[1::2] for name, one in first.items()}
        for name, text, mended in _mended(first, second):
            changed_outputs = {other: one[1::2] for other, one in {**second, name: mended}.items()}
            tried(f"output '{name}': {text}", differ[rows][1::2], agreement.between(others, changed_outputs) > 1)
    if shown:
        share, text = min(shown)
        return [f"{text}, {100 * share:.1f} % of the inputs disagree in place of {100 * differ.mean():.1f} %"]
    return _saturated(both, differ) if found.agreement is None else []


def _saturated(both: Comparison, differ: np.ndarray) -> list[str]:
    """One line where two outputs of most inputs that disagree, bool (n,), have the largest logit that there is."""
    before, after = (one == one.max() for one in (both.of_original, both.of_compressed))
    tied = (after.sum(axis=1) > 1) & (before.sum(axis=1) < 2)
    if tied[differ].mean() < GONE:
        return []
    top, count = both.of_compressed.max(), int(tied.sum())
    return [
        f"its outputs saturate: on {count:,} of {len(tied):,} inputs two or more have {top:.4g}, the largest that it "
        "gives; look at the scale of the output"
    ]


def _mended(first: Outputs, second: Outputs) -> Iterator[tuple[str, str, np.ndarray]]:
    """Name of an output, what is wrong with it if this mends it, and the compressed network's with that undone.

    Every second input shows what is wrong.

    Args:
        first: outputs of the original by name, float32 (n, ...).
        second: of the compressed network.
    """
    for name, before in first.items():
        after = second[name]
        x, y = (one[::2].ravel().astype(np.float64) for one in (after, before))
        # By hand, as numpy.polyfit ends with an error where values are huge or all the same.
        slope = float(np.cov(x, y)[0, 1] / max(np.var(x, ddof=1), np.finfo(float).tiny))
        offset = float(y.mean() - slope * x.mean())
        if np.isfinite(slope) and slope:
            said = f"values are {1 / slope:.3g} times the original's{f' and {-offset / slope:+.3g}' if offset else ''}"
            yield name, f"{said}; with that undone", (slope * after + offset).astype(np.float32)
        for axis in range(1, before.ndim):
            if 2 <= (size := before.shape[axis]) <= CHANNELS:
                ours, theirs = (np.moveaxis(one[::2], axis, 0).reshape(size, -1) for one in (before, after))
                order = np.asarray(scipy.optimize.linear_sum_assignment(np.nan_to_num(_distances(theirs, ours)))[1])
                if (order != np.arange(size)).any():
                    mended = np.take(after, np.argsort(order), axis)
                    yield name, f"{_in_words(order, 'channels')}; with that undone", mended


def _distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Squared distance of each row of x, (k, n), to each row of y, float64 (k, k)."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    found: np.ndarray = (x * x).sum(axis=1)[:, None] - 2 * x @ y.T + (y * y).sum(axis=1)
    return found


def _forms(x: np.ndarray, inputs: Inputs) -> Iterator[tuple[str, Change]]:
    """What an experiment would show, and the change of the inputs x, float32 (n, H, W, C), that it makes."""
    given = "given its inputs so"
    if x.shape[-1] == 3:
        yield f"takes its channels in the reverse order, as BGR for RGB; {given}", lambda x: x[..., ::-1]
    if x.shape[1] == x.shape[2] > 1:
        yield f"takes rows for columns; {given}", lambda x: x.transpose(0, 2, 1, 3)
    if x.shape[1] == 1:
        return
    low, high = inputs.data_range

    def unit(x: np.ndarray) -> np.ndarray:
        values: np.ndarray = (x - low) / (high - low)
        return values

    for black, white in SCALES:
        if (black, white) != (low, high):
            said = f"takes inputs from {black:g} to {white:g}, and got {low:g} to {high:g}; {given}"
            yield said, partial(_scaled, unit, black, white)
    if (known := standardised(x.shape[-1])) is not None:
        *ends, whose = known
        said = f"takes standardised inputs, by {whose} mean and deviation, and got {low:g} to {high:g}; {given}"
        yield said, partial(_scaled, unit, *ends)


def _scaled(unit: Change, black: ArrayLike, white: ArrayLike, x: np.ndarray) -> np.ndarray:
    return (np.asarray(black) + np.subtract(white, black) * unit(x)).astype(np.float32)


def _order(wanted: np.ndarray, given: np.ndarray, classes: int) -> np.ndarray:
    """The original's class that each class of the compressed network stands for most often, int64 (classes,).

    Each class is taken once, and a class that nothing speaks against stays as it is.
    """
    order, seen = np.arange(classes), np.union1d(wanted, given)
    counts = np.eye(len(seen)) / 2
    np.add.at(counts, tuple(np.searchsorted(seen, one) for one in (given, wanted)), 1)
    order[seen] = seen[np.asarray(scipy.optimize.linear_sum_assignment(counts, maximize=True)[1])]
    return order


def _in_words(order: np.ndarray, what: str) -> str:
    moved = np.flatnonzero(order != np.arange(len(order)))
    if len(moved) == 2:
        return f"{what} {moved[0]} and {moved[1]} are exchanged"
    return f"{what} are in another order: {', '.join(f'{one} stands for {order[one]}' for one in moved[:5])}"
