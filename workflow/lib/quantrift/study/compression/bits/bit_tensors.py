"""A number of bits for each weight of a network (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence
from math import floor, prod

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.study.compression.bits.rounding import Bits

Shape = tuple[int, ...]


def drawn(settings: Homogeneous | Heterogeneous, shapes: Sequence[Shape], seed: int) -> list[Bits]:
    """Bits for all weights of layers with kernels of these shapes, by the settings of a method.

    Raises:
        QuantriftError: as ``heterogeneous`` does.
    """
    if isinstance(settings, Homogeneous):
        return homogeneous(settings.bits, shapes)
    return heterogeneous(settings.bits, settings.shares, settings.budget, shapes, seed)


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
    each = rng.choice(np.array(bits, np.uint8), sum(map(prod, shapes)), p=shares)
    return assigned(cut(each, budget), shapes, rng)


def cut(bits: Bits, budget: float) -> Bits:
    """Bits (n,) that add up to at most ``budget`` * n (Algorithm 1).

    The first that would exceed it gets what is left.

    Raises:
        QuantriftError: if nothing is left for one of them.
    """
    left = np.maximum(floor(budget * len(bits)) - (np.cumsum(bits, dtype=np.int64) - bits), 0)
    allowed = np.minimum(bits, left).astype(np.uint8)
    if without := np.count_nonzero(allowed == 0):
        raise QuantriftError(
            f"{bits.mean():.3f} bits a weight were drawn, which exceeds the budget of {budget:g}: {without} of "
            f"{len(bits)} weights would get none; raise budget, or give small numbers of bits larger shares"
        )
    return allowed


def assigned(bits: Bits, shapes: Sequence[Shape], rng: np.random.Generator) -> list[Bits]:
    """Bits (n,), shuffled and dealt out to layers with n weights in all, each once (Algorithm 2)."""
    dealt = np.split(rng.permutation(bits), np.cumsum([prod(shape) for shape in shapes])[:-1])
    return [part.reshape(shape) for part, shape in zip(dealt, shapes, strict=True)]
