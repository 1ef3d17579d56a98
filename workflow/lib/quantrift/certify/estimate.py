"""Estimate of a certification before it starts: members that are left, and seconds from a short trial."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from quantrift.certify.enumeration import Enumerator, State
from quantrift.certify.neighbourhood import Neighbourhood
from quantrift.certify.progress_file import Progress


@dataclass(frozen=True)
class Estimate:
    """What is left of one neighbourhood over all inputs, at most: a counterexample ends an enumeration."""

    neighbourhood: str
    inputs: int
    """Inputs whose enumeration is not settled."""
    members: int
    """Members that are left to look at."""
    seconds: float
    """Of processor time, on which a busy machine has no effect."""


def estimate(
    enumerator: Enumerator,
    wanted: Sequence[Neighbourhood],
    images: np.ndarray,
    progress: Progress,
    budget: int | None = None,
) -> list[Estimate]:
    """The estimate of each neighbourhood; runs one batch of members of the first image for each.

    Args:
        enumerator: of both networks.
        wanted: neighbourhoods.
        images: uint8 (n, H, W, C), the first inputs of the file.
        progress: what earlier runs did.
        budget: see ``Enumerator.run``.
    """
    # The first run of a network takes longer than those that follow.
    enumerator.labels(images[:1])
    found = []
    for one in wanted:
        states = [progress.of(one.text, number) for number in range(len(images))]
        end = one.size if budget is None else min(budget, one.size)
        left = [end - state.enumerated for state in states if not state.settled(one.size) and state.enumerated < end]
        began = process_time()
        tried = next(enumerator.run(one, images[0], State(), end)).enumerated if left else 1
        seconds = sum(left) / tried * (process_time() - began)
        found.append(Estimate(one.text, len(left), sum(left), seconds))
    return found
