"""Enumeration of one neighbourhood of one image on both networks, up to its end or the first counterexample."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from quantrift.core.pairs.pair import Networks
from quantrift.core.search.evaluator import digest
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.search.spaces.pixels import Pixels

Outcome = Literal["certified", "proven", "counterexample", "unknown", "unfinished"]
"""``certified`` by enumeration; ``proven`` and ``unknown`` of boxes, see ``quantrift.judge.certify.proof``."""

REMEMBERED = 2**20
"""Distinct members of which digests are kept. A repeated one beyond them runs again, which changes no outcome."""


@dataclass(frozen=True)
class State:
    """How far an enumeration has come."""

    enumerated: Annotated[int, Field(ge=0)] = 0
    """Members looked at, the first ones."""
    distinct: Annotated[int, Field(ge=0)] = 0
    """Different images among them: those that were run."""
    counterexample: Annotated[int, Field(ge=0)] | None = None
    """Number of the first member on which the networks disagree, the last one looked at."""
    label_original: int | None = None
    """Label of the counterexample by the original."""
    label_compressed: int | None = None

    @property
    def looked(self) -> int:
        """Steps taken."""
        return self.enumerated

    @property
    def images(self) -> int:
        """Images run on both networks."""
        return self.distinct

    def outcome(self, size: int) -> Outcome:
        """What is known of a neighbourhood of so many members."""
        if self.counterexample is not None:
            return "counterexample"
        return "certified" if self.enumerated == size else "unfinished"


@dataclass(frozen=True, eq=False)
class Counterexample:
    """An image on which the networks disagree, on the real runtimes."""

    place: int
    """Among the images that were run."""
    image: np.ndarray
    """uint8 (H, W, C)."""
    label_original: int
    label_compressed: int


class Seen:
    """Members seen so far, by digest. Two of one digest are compared byte by byte, so no other image is skipped."""

    def __init__(self, neighbourhood: Neighbourhood, image: np.ndarray) -> None:
        """Takes the neighbourhood of an image, uint8 (H, W, C)."""
        self._neighbourhood, self._image = neighbourhood, image
        self._first: dict[int, int] = {}

    def new(self, numbers: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Whether each member is another image than all before it: bool (n,).

        Args:
            numbers: of the members, int64 (n,), those that follow the numbers of the last call.
            members: uint8 (n, H, W, C).
        """
        firsts = numbers.copy()
        for row, number in enumerate(numbers.tolist()):
            own = digest(members[row])
            firsts[row] = self._first.get(own, number)
            if len(self._first) < REMEMBERED:
                self._first.setdefault(own, number)
        fresh: np.ndarray = firsts == numbers
        rows = np.flatnonzero(~fresh)
        if len(rows):
            same = self._neighbourhood.members(self._image, firsts[rows]) == members[rows]
            fresh[rows] = ~same.reshape(len(rows), -1).all(axis=1)
        return fresh


@dataclass(frozen=True, eq=False)
class Enumerator:
    """Runs neighbourhoods of 8-bit images on a pair of networks."""

    networks: Networks
    scale: Pixels
    """Takes bytes to what the networks take."""
    rows: int = 256
    """Members made and run at once; changes no outcome."""

    def labels(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labels by both networks, and whether they agree, of images, uint8 (n, H, W, C).

        Returns:
            int64 (n,), int64 (n,) and bool (n,). The largest logit is the label, the first of them on a tie. An output
            with NaN or infinity agrees with nothing.
        """
        said = self.networks(self.scale.of_levels(images))
        first, second = said.original.argmax(axis=1), said.compressed.argmax(axis=1)
        finite = np.isfinite(said.original).all(axis=1) & np.isfinite(said.compressed).all(axis=1)
        return first, second, finite & (first == second)

    def first_wrong(self, images: np.ndarray) -> Counterexample | None:
        """The first of some images, uint8 (n, H, W, C), on which the networks disagree; ``None`` if there is none."""
        first, second, agree = self.labels(images)
        wrong = np.flatnonzero(~agree).tolist()[:1]
        return next((Counterexample(row, images[row], int(first[row]), int(second[row])) for row in wrong), None)

    def left(self, neighbourhood: Neighbourhood, state: State, budget: int | None = None) -> int:
        """Members to look at, at most, until the outcome stands or the budget is spent."""
        end = neighbourhood.size if budget is None else min(budget, neighbourhood.size)
        return max(0, end - state.enumerated) if state.outcome(neighbourhood.size) == "unfinished" else 0

    def run(
        self, neighbourhood: Neighbourhood, image: np.ndarray, state: State, budget: int | None = None
    ) -> Iterator[State]:
        """Look at members from where ``state`` ended; yields the state after each batch.

        Args:
            neighbourhood: of images of this shape.
            image: uint8 (H, W, C).
            state: of the same enumeration, made by this or an earlier run.
            budget: members that are looked at altogether at most; None for all.
        """
        left = self.left(neighbourhood, state, budget)
        if not left:
            return
        end = state.enumerated + left
        # Inputs that take 16 MB at most.
        together = max(1, min(self.rows, 2**24 // (4 * image.size)))
        seen = Seen(neighbourhood, image)
        for start in range(0, state.enumerated, together):
            # What an earlier run saw is made again, but not run.
            numbers = np.arange(start, min(start + together, state.enumerated))
            seen.new(numbers, neighbourhood.members(image, numbers))
        while state.enumerated < end and state.counterexample is None:
            numbers = np.arange(state.enumerated, min(state.enumerated + together, end))
            members = neighbourhood.members(image, numbers)
            state = self._after(state, numbers, members, np.flatnonzero(seen.new(numbers, members)))
            yield state

    def _after(self, state: State, numbers: np.ndarray, members: np.ndarray, fresh: np.ndarray) -> State:
        """The state after a batch, of which the ``fresh`` rows, int64 (k,), are run."""
        wrong = self.first_wrong(members[fresh])
        if wrong is None:
            return State(state.enumerated + len(numbers), state.distinct + len(fresh))
        number, distinct = int(numbers[fresh[wrong.place]]), state.distinct + wrong.place + 1
        return State(number + 1, distinct, number, wrong.label_original, wrong.label_compressed)
