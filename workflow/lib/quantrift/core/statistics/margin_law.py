"""The margin law: how often two networks disagree, from their logits alone.

For an input let m be the margin of the original, the difference of its two largest logits, and d the change of that
difference in the compressed network. With two classes in play, labels differ where m + d < 0. Let f be the density of m
and e = max(-d, 0). Where e does not depend on m near the boundary,

    P(labels differ) = E[F(e)] = f(0) E[e] + f'(0) E[e^2] / 2 + ...,

F being the distribution of m. So a disagreement need not be seen: the inputs with the smallest margins, up to h, tell
f(0) and f'(0), and the errors there E[e] and E[e^2]. The logarithm of f is taken to be linear up to h, as trained
networks have few inputs at the boundary and more and more beyond it; f is then known from the share of these inputs and
their mean margin. Where the logarithm is curved, the bias of f(0) grows with h^2.
"""

from dataclasses import dataclass

import numpy as np

from quantrift.core.statistics.intervals import ends, resampled, summed
from quantrift.core.statistics.margin_files import Margins

NEAR, FEWEST = 0.25, 30
"""Share of the inputs that are near the boundary; at least so many."""


@dataclass(frozen=True)
class Prediction:
    """A predicted share of inputs with a disagreement."""

    rate: float
    """0..1."""
    low: float
    """Lower end of its 95 % interval, a bootstrap over inputs or blocks; NaN where these are too few."""
    high: float
    density: float
    """f(0): share of the inputs per unit of logit, at the boundary."""
    error: float
    """E[e]: mean error towards the boundary, in logits."""
    window: float
    """h: largest margin that counts as near, in logits."""
    near: int
    """Inputs within it."""
    refused: str = ""
    """Why the law does not hold for these networks and inputs, in words; empty where nothing speaks against it."""


def predicted(of: Margins, clusters: np.ndarray | None = None) -> Prediction:
    """The share of inputs with a disagreement that the margins (n,) foretell, without looking at the labels.

    It is refused, with NaN for a rate, where fewer than ``FEWEST`` inputs are given or where many margins are equal, as
    those of few levels are. It has a rate and a warning where errors reach beyond the window.

    Args:
        of: of inputs that are drawn independently, or in clusters.
        clusters: int (n,), of inputs that depend on each other; each input by itself where it is not given.
    """
    count = len(of.margin)
    clusters = np.arange(count) if clusters is None else clusters
    wanted = max(FEWEST, int(np.ceil(NEAR * count)))
    if count < FEWEST:
        return _refused(f"there are {count} inputs; {FEWEST} are needed")
    if not (np.isfinite(of.margin).all() and np.isfinite(of.change).all()):
        return _refused("some outputs are not finite")
    window = float(np.sort(of.margin)[wanted - 1])
    near = of.margin <= window
    if len(np.unique(of.margin[near])) < near.sum() / 2:
        return _refused("many margins are equal: the original's outputs have few levels", window)
    error = np.maximum(-of.change, 0)
    inside = np.stack([near, near * of.margin, near * error, near * error**2], axis=1).astype(np.float64)
    counts = np.column_stack([np.ones(count), inside])
    everything = counts.sum(axis=0)
    rate, density, mean = (float(one[0]) for one in _law(everything[None], window))
    drawn, *_ = _law(resampled(clusters, counts), window)
    low, high = ends(rate, drawn, len(summed(clusters, counts)))
    far = float(np.quantile(error[near], 0.99)) > window
    words = "errors are larger than the margins near the boundary; count disagreements" if far else ""
    return Prediction(rate, max(low, 0.0), high, density, mean, window, int(near.sum()), words)


def _law(sums: np.ndarray, window: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate, f(0) and E[e], (b,) each, of sums (b, 5): inputs, those near, their margins, errors, squared errors."""
    count, near, margin, error, squared = sums.T
    share, middle = near / count / window, np.divide(margin, near * window, where=near > 0, out=np.full(len(near), 0.5))
    growth = np.interp(middle, _MEANS, _GROWTHS)
    # Times the density at 0 of the distribution on 0..1 whose density is proportional to exp(growth x).
    density = share * np.divide(growth, np.expm1(growth), where=growth != 0, out=np.ones_like(growth))
    slope = density * growth / window
    mean, square = (np.divide(one, near, where=near > 0, out=np.zeros(len(near))) for one in (error, squared))
    return np.clip(density * mean + slope * square / 2, 0, 1), density, mean


# An even number of places, so that 0 is none of them.
_GROWTHS = np.linspace(-60, 60, 4800)
_MEANS = 1 + 1 / np.expm1(_GROWTHS) - 1 / _GROWTHS
"""Means of these distributions, ascending."""


def _refused(why: str, window: float = np.nan) -> Prediction:
    return Prediction(np.nan, np.nan, np.nan, np.nan, np.nan, window, 0, why)
