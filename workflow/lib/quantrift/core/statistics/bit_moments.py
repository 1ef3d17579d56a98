"""Distributions of the bits of weights: shares, mean, variance, and counterparts among other distributions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quantrift.core.settings.compressions import Heterogeneous, Homogeneous

SAME = 1e-9
"""Largest difference of means and shares that count as equal."""


@dataclass(frozen=True)
class Distribution:
    """Share of the weights for each number of bits."""

    shares: Mapping[int, float]
    """Bits -> share, 0..1, adding up to 1; in the order of the settings."""
    budget: float | None = None
    """Budget in bits a weight, if there is one."""

    @property
    def mean(self) -> float:
        """Bits a weight."""
        return sum(bits * share for bits, share in self.shares.items())

    @property
    def variance(self) -> float:
        """Of the bits of a weight."""
        return sum(share * (bits - self.mean) ** 2 for bits, share in self.shares.items())


def distribution(settings: Homogeneous | Heterogeneous) -> Distribution:
    """Distribution of a compression."""
    if isinstance(settings, Homogeneous):
        return Distribution({settings.bits: 1.0})
    return Distribution(dict(zip(settings.bits, settings.shares, strict=True)), settings.budget)


def counterpart(own: Distribution, others: Mapping[str, Distribution]) -> str | None:
    """The one of ``others`` with the same shares of other numbers of bits; else the one of the same mean; else None."""
    for name, other in others.items():
        if _close(list(own.shares.values()), list(other.shares.values())):
            return name
    for name, other in others.items():
        if _close([own.mean], [other.mean]):
            return name
    return None


def _close(first: Sequence[float], second: Sequence[float]) -> bool:
    return len(first) == len(second) and all(abs(a - b) < SAME for a, b in zip(first, second, strict=True))
