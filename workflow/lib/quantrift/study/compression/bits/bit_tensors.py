"""A number of bits for each weight of a network (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence
from math import floor, prod

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.study.compression.bits.rounding import Bits

Shape = tuple[int, ...]


def homogeneous(bits: int, shapes: Sequence[Shape]) -> list[Bits]:
    """The same number of bits for all weights of layers with kernels of these shapes."""
    return [np.broadcast_to(np.uint8(bits), shape) for shape in shapes]


def heterogeneous(
    bits: Sequence[int], shares: Sequence[float], budget: float, shapes: Sequence[Shape], seed: int
) -> list[Bits]:
    """Bits drawn for all weights of layers with kernels of these shapes, at most ``budget`` per weight on average.

    Args:
        bits: numbers of bits to draw from.
        shares: probability of each.
        budget: bits per weight.
        shapes: shape of each layer's kernel.
        seed: of the draw (Equation 3.2) and the shuffle.

    Raises:
        QuantriftError: if so many bits are drawn that the budget leaves a weight without any.
    """
    rng = np.random.default_rng(seed)
    count = sum(map(prod, shapes))
    drawn = rng.choice(np.array(bits, np.uint8), count, p=shares)
    return assigned(cut(drawn, budget), shapes, rng)


def cut(bits: Bits, budget: float) -> Bits:
    """Bits (n,) that add up to at most ``budget`` * n (Algorithm 1).

    The first that would exceed it gets what is left.

    Raises:
        QuantriftError: if nothing is left for one of them.
    """
    total = floor(budget * len(bits))
    left = np.maximum(total - (np.cumsum(bits, dtype=np.int64) - bits), 0)
    allowed = np.minimum(bits, left).astype(np.uint8)
    without = np.count_nonzero(allowed == 0)
    if without:
        raise QuantriftError(
            f"{bits.mean():.3f} bits a weight were drawn, which exceeds the budget of {budget:g}: {without} of "
            f"{len(bits)} weights would get none; raise budget, or give small numbers of bits larger shares"
        )
    return allowed


def assigned(bits: Bits, shapes: Sequence[Shape], rng: np.random.Generator) -> list[Bits]:
    """Bits (n,), shuffled and dealt out to layers with n weights in all, each once (Algorithm 2)."""
    ends = np.cumsum([prod(shape) for shape in shapes])[:-1]
    dealt = np.split(rng.permutation(bits), ends)
    return [part.reshape(shape) for part, shape in zip(dealt, shapes, strict=True)]
