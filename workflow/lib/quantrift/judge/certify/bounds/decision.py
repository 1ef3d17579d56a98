"""Decision of one box: bounds of both networks, a search for a counterexample, and halves of the box."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from quantrift.judge.certify.bounds.bounded_network import BoundedNetwork
from quantrift.judge.certify.boxes import SMALL, ImageBox
from quantrift.judge.certify.enumeration import Counterexample, Enumerator


@dataclass(frozen=True, eq=False)
class Decision:
    """What is known of a box."""

    agree: bool
    """Whether the networks provably agree on all of it."""
    counterexample: Counterexample | None
    boxes: int
    """Boxes looked at, with the halves."""
    images: int
    """Images run on both networks."""


@dataclass(frozen=True, eq=False)
class Decider:
    """Decides boxes on a pair of networks."""

    enumerator: Enumerator
    bounded: Sequence[BoundedNetwork]
    """Both networks, original first."""

    def decide(self, box: ImageBox, image: np.ndarray, most: int, rng: np.random.Generator) -> Decision:
        """Decide whether the networks agree on every image of a box.

        Args:
            box: the images.
            image: one of them, uint8 (H, W, C); halves are tried first at their image nearest to it.
            most: boxes to look at, with the halves; 1 or more.
            rng: draws images.

        Returns:
            Neither agreement nor a counterexample where ``most`` is reached before.
        """
        order = count()
        # The least bound first: where the networks disagree, it is found early. Ties go to the box that came first.
        waiting = [(-np.inf, next(order), box)]
        looked = images = 0
        while waiting:
            if looked == most:
                return Decision(False, None, looked, images)
            _, _, one = heapq.heappop(waiting)
            run, wrong, left = self._look(one, image, rng)
            looked += 1
            images += run
            if wrong is not None:
                return Decision(False, wrong, looked, images)
            for least, half in left:
                heapq.heappush(waiting, (least, next(order), half))
        return Decision(True, None, looked, images)

    def _look(
        self, box: ImageBox, image: np.ndarray, rng: np.random.Generator
    ) -> tuple[int, Counterexample | None, list[tuple[float, ImageBox]]]:
        """Images run; a counterexample; halves to look at, each with the least bound of a margin in the whole box."""
        if box.size <= SMALL:
            return box.size, self.enumerator.first_wrong(box.members()), []
        nearest = np.clip(image, box.low, box.high)
        [label], [other], [agree] = self.enumerator.labels(nearest[None])
        if not agree:
            return 1, Counterexample(0, nearest, int(label), int(other)), []
        margins = [network.margins(box, int(label)) for network in self.bounded]
        if all(one.holds for one in margins):
            return 1, None, []
        # Corners where the bounds are worst, one for each class that may overtake.
        worse = [one.slopes[number] < 0 for one in margins for number in np.flatnonzero(~(one.low > 0))]
        tried = np.stack([*map(box.corner, worse), *box.drawn(32, rng)])
        worst = min(margins, key=lambda one: float(one.low.min()))
        slopes = np.abs(worst.slopes[int(worst.low.argmin())])
        # Where bounds leave no slope, the widest value.
        sizes = slopes if slopes.any() else (box.high.astype(int) - box.low).flat[box.wide]
        return (
            1 + len(tried),
            self.enumerator.first_wrong(tried),
            [(float(worst.low.min()), half) for half in box.halves(int(box.wide[int(np.argmax(sizes))]))],
        )
