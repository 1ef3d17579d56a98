"""Estimate of a certification before it starts: members that are left, and seconds from a short trial."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.progress_file import Progress
from quantrift.judge.certify.proof import Prover


@dataclass(frozen=True)
class Estimate:
    """What is left of one neighbourhood over all inputs, at most: a counterexample ends an enumeration."""

    neighbourhood: str
    inputs: int
    """Inputs whose enumeration is not settled."""
    members: int
    """Members that are left to look at; of boxes, the boxes with their halves."""
    seconds: float
    """Of processor time, on which a busy machine has no effect."""
    boxes: bool = False
    """Whether these are boxes."""


def estimate(
    enumerator: Enumerator,
    prover: Prover,
    wanted: Sequence[Neighbourhood | Boxes],
    images: np.ndarray,
    progress: Progress,
    budget: int | None = None,
) -> list[Estimate]:
    """The estimate of each neighbourhood; runs one batch of members of the first image for each, or bounds a box.

    Args:
        enumerator: of both networks.
        prover: likewise.
        wanted: neighbourhoods.
        images: uint8 (n, H, W, C), the first inputs of the file.
        progress: what earlier runs did.
        budget: see ``Enumerator.run``.
    """
    # The first run of a network takes longer than those that follow.
    enumerator.labels(images[:1])
    found = []
    for one in wanted:
        if isinstance(one, Boxes):
            found.append(_of_boxes(prover, one, images, progress))
            continue
        states = [progress.of(one.text, number) for number in range(len(images))]
        end = one.size if budget is None else min(budget, one.size)
        left = [end - state.enumerated for state in states if not state.settled(one.size) and state.enumerated < end]
        began = process_time()
        tried = next(enumerator.run(one, images[0], State(), end)).enumerated if left else 1
        seconds = sum(left) / tried * (process_time() - began)
        found.append(Estimate(one.text, len(left), sum(left), seconds))
    return found


def _of_boxes(prover: Prover, boxes: Boxes, images: np.ndarray, progress: Progress) -> Estimate:
    left = [prover.left(boxes, progress.proof_of(boxes.text, number)) for number in range(len(images))]
    seconds = 0.0
    if any(left):
        began = process_time()
        prover.decider.decide(boxes.box(images[0], 0), images[0], 1, np.random.default_rng(0))
        seconds = sum(left) * (process_time() - began)
    return Estimate(boxes.text, sum(map(bool, left)), sum(left), seconds, boxes=True)
