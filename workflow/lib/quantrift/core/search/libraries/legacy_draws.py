"""Numpy's legacy global draws, as geneticalgorithm makes them gene by gene, in a few vectorised steps.

``np.random.random()`` and ``np.random.randint()`` take what they need from a bit generator: a double the upper 53 bits
of one 64-bit output, a bounded integer as many 32-bit halves of outputs as it takes until one, masked to the bits of
the range, lies in it. Read ahead in blocks, a run of doubles is a slice, and only integers cost a step each.
"""

from collections.abc import Iterator

import numpy as np


class LegacyDraws:
    """Draws what ``np.random.RandomState(rng.bit_generator)`` would, for a PCG64 generator nobody else draws from."""

    def __init__(self, rng: np.random.Generator, probability: float) -> None:
        """Read from ``rng``; ``probability`` is that of ``chosen``."""
        state = rng.bit_generator.state
        if state["bit_generator"] != "PCG64":
            raise ValueError(f"the halves of 64-bit outputs are those of PCG64, not of {state['bit_generator']}")
        self._bits = rng.bit_generator
        self._half: int | None = state["uinteger"] if state["has_uint32"] else None
        """The upper half of an output whose lower half was used."""
        self._outputs: np.ndarray = np.empty(0, np.uint64)
        self._doubles: np.ndarray = np.empty(0)
        """The outputs as numbers in [0, 1)."""
        self._at = 0
        self._probability = probability
        self._hits: list[int] = []
        """Places of the numbers that are less than the probability; the last entry is the end of the block."""
        self._next_hit = 0

    def _reserve(self, count: int) -> None:
        """Read a new block if less than ``count`` outputs are left."""
        if self._at + count > len(self._outputs):
            # Read ahead about as many outputs as a generation of 6 children takes at 556 genes.
            self._outputs = np.concatenate([self._outputs[self._at :], self._bits.random_raw(max(4096, count))])
            self._doubles = (self._outputs >> np.uint64(11)) * 2.0**-53
            self._at = 0
            self._hits = [*np.flatnonzero(self._doubles < self._probability).tolist(), len(self._doubles)]
            self._next_hit = 0

    def random(self, count: int) -> np.ndarray:
        """``count`` calls of ``random()``, float64 (count,)."""
        self._reserve(count)
        self._at += count
        return self._doubles[self._at - count : self._at]

    def randint(self, low: int, high: int) -> int:
        """``randint(low, high)``; high - low is at most 2**32."""
        span = high - low - 1
        if span == 0:
            return low
        mask = (1 << span.bit_length()) - 1
        while (value := self._uint32() & mask) > span:
            pass
        return low + value

    def _uint32(self) -> int:
        if self._half is not None:
            half, self._half = self._half, None
            return half
        self._reserve(1)
        self._half, half = divmod(int(self._outputs[self._at]), 2**32)
        self._at += 1
        return half

    def chosen(self, count: int) -> Iterator[int]:
        """Those of ``count`` items whose call of ``random()`` gives less than the probability.

        The caller draws what belongs to an item before it asks for the next, so that these draws stand between the
        calls, as in a loop over the items.
        """
        item = 0
        while item < count:
            self._reserve(count - item)
            # Hits that other draws have used up meanwhile are no calls of these items.
            while self._hits[self._next_hit] < self._at:
                self._next_hit += 1
            hit = self._hits[self._next_hit]
            item += hit - self._at
            if item >= count:
                self._at = hit - (item - count)
                return
            self._at = hit + 1
            yield item
            item += 1
