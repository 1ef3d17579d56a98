"""Causes that an experiment shows: one change of what a compressed network reads or gives takes disagreements away.

Each experiment runs the compressed network again, on inputs in another form, or reads its classes in another order. It
names a cause where at least half of the disagreements go, and that is no chance.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import labels
from quantrift.core.statistics.disagreement_tests import mcnemar
from quantrift.judge.intake.expected_ranges import SCALES, standardised
from quantrift.judge.intake.given_networks import Ready

TRIED = 200
"""Inputs that an experiment runs at most."""
FEWEST = 5
"""Disagreements below which no experiment is made."""
GONE, SURE = 0.5, 0.001
"""Least share of the disagreements that must go, and largest p of McNemar's test."""
Change = Callable[[np.ndarray], np.ndarray]


def causes(compressed: Ready, both: Comparison, inputs: Inputs) -> list[str]:
    """The cause that the best experiment shows, one line; none where no experiment does.

    Args:
        compressed: the network.
        both: logits of both networks on all inputs.
        inputs: as the networks take them, with nothing carried along.
    """
    wanted, given = both.of_original.argmax(axis=1), both.of_compressed.argmax(axis=1)
    if (wanted != given).sum() < FEWEST or inputs.carried or min(both.of_original.shape[1], len(given)) < 2:
        return []
    rows = np.unique(np.linspace(0, len(wanted) - 1, min(TRIED, len(wanted))).astype(int))
    x = inputs.take(inputs.test[rows])
    found = [
        (after, text)
        for text, change in _forms(x, inputs)
        if (after := _explains(wanted[rows], given[rows], labels(compressed.network(change(x))))) is not None
    ]
    # The classes are put in another order by half of the inputs, and judged on the others.
    order = _order(wanted[::2], given[::2], both.of_original.shape[1])
    if (after := _explains(wanted[1::2], given[1::2], order[given[1::2]])) is not None:
        found.append((after, f"{_in_words(order)}; with that undone"))
    if not found:
        return []
    share, text = min(found)
    return [f"{text}, {100 * share:.1f} % of the inputs disagree in place of {100 * (wanted != given).mean():.1f} %"]


def _explains(wanted: np.ndarray, given: np.ndarray, changed: np.ndarray) -> float | None:
    """Share of the inputs that disagree after a change, if it explains the disagreements; labels are int64 (n,)."""
    before, after = given != wanted, changed != wanted
    is_sure = mcnemar(before, after).p < SURE
    return float(after.mean()) if is_sure and after.sum() <= (1 - GONE) * before.sum() else None


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
    counts = np.zeros((classes, classes))
    np.add.at(counts, (given, wanted), 1)
    counts[np.arange(classes), np.arange(classes)] += 0.5
    return np.asarray(linear_sum_assignment(counts, maximize=True)[1])


def _in_words(order: np.ndarray) -> str:
    moved = np.flatnonzero(order != np.arange(len(order)))
    if len(moved) == 2:
        return f"classes {moved[0]} and {moved[1]} are exchanged"
    return f"its classes are in another order: {', '.join(f'{one} stands for {order[one]}' for one in moved[:5])}"
