"""A search by Gaussian processes, for networks that are slow to run (beyond the papers).

Two processes learn the original's logits, and their change in the compressed network, from the candidates run so far.
Both are centred over classes, and functions of a candidate's genes. They give the probability that the labels of a
candidate differ: for the second and the third class by the original's mean logits, that exactly one network ranks this
class above the first. Candidates with the highest probability are run next. Where a constraint excludes candidates, a
third process learns the violation, and the probability of none is a factor.

The kernel is a squared exponential with a length for each gene, a linear part, a constant, and noise, as outputs that
are rounded are no smooth functions of the input. Maximum likelihood chooses the parameters. The regression is
scikit-learn's, as it has been tested by many. It takes most of the time: docs/searching.md says where that pays.
"""

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge

from quantrift.core.base import plugins
from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.space import Free
from quantrift.core.search.spaces.neighbourhood import Members

ENUMERATED = 20_000
"""Most members of a finite neighbourhood that are all looked at in every step."""
AGAIN, SETTLED = 1.6, 100
"""Growth of the number of queries from one choice of the kernel's parameters to the next; with so many they stay."""
TINY = 1e-12


@dataclass(frozen=True)
class Params:
    """Settings of the search; all are chosen."""

    start: Annotated[int, Ge(2)] = 12
    """First candidates, far from each other."""
    together: Annotated[int, Ge(1)] = 4
    """Candidates run before the processes learn from them; more, a twentieth of all, where many are known."""
    pool: Annotated[int, Ge(1)] = 2000
    """Random candidates of a step, from which the next ones are taken; all members of a finite neighbourhood of at most
    20,000 are looked at anyway."""
    most: Annotated[int, Ge(2)] = 400
    """Most queries that a process learns from: those nearest to the original's boundary, as time grows with the cube of
    their number."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return self.start, self.together


class _Process:
    """Regression of values (n, k) that share one kernel."""

    def __init__(self, genes: int) -> None:
        parts, wide = _loaded("sklearn.gaussian_process.kernels"), (1e-3, 1e4)
        smooth = parts.ConstantKernel(1.0, wide) * parts.RBF(np.ones(genes), (0.2, 10.0))
        linear = parts.ConstantKernel(1.0, wide) * parts.DotProduct(1.0, (1e-2, 1e2))
        self._kernel = smooth + linear + parts.WhiteKernel(1e-3, (1e-6, 1.0))
        self._fitted_to = 0

    def __call__(self, places: np.ndarray, values: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (m, k) and variance (m,) at the places ``at`` (m, g), of values without noise."""
        scale, middle = float(values.std()) or 1.0, values.mean(axis=0)
        again = self._fitted_to < SETTLED and len(places) >= AGAIN * self._fitted_to
        regression = _loaded("sklearn.gaussian_process").GaussianProcessRegressor(
            self._kernel, alpha=1e-6, optimizer="fmin_l_bfgs_b" if again else None
        )
        with warnings.catch_warnings():
            # A parameter at its bound is no mistake.
            warnings.simplefilter("ignore", _loaded("sklearn.exceptions").ConvergenceWarning)
            regression.fit(places, (values - middle) / scale)
        if again:
            self._kernel, self._fitted_to = regression.kernel_, len(places)
        mean, deviation = regression.predict(at, return_std=True)
        noise = np.exp(self._kernel.theta[-1])
        variance = np.maximum(deviation.reshape(len(at), -1)[:, 0] ** 2 - noise, 0) * scale**2
        return mean.reshape(len(at), -1) * scale + middle, variance


class _Known:
    """What is known of one search: candidates that were run, and both networks' logits."""

    def __init__(self, genes: int) -> None:
        self.places = np.empty((0, genes))
        self.logits, self.change = (np.empty((0, 0)) for _ in range(2))
        self.violation = np.empty(0)
        self._processes = [_Process(genes) for _ in range(3)]

    def add(self, places: np.ndarray, tell: Tell) -> None:
        """Take in an answer."""
        first, second = (_centred(out) for out in (tell.out_original, tell.out_compressed))
        if not len(self.places):
            self.logits = self.change = np.empty((0, first.shape[1]))
        self.places = np.concatenate([self.places, places])
        self.logits, self.change = np.concatenate([self.logits, first]), np.concatenate([self.change, second - first])
        self.violation = np.concatenate([self.violation, tell.violation])

    def probability(self, at: np.ndarray, most: int) -> np.ndarray:
        """Probability that labels differ, float64 (m,), at the places (m, g); of a candidate that may not be valid."""
        run = np.flatnonzero(np.isfinite(self.logits).all(axis=1) & np.isfinite(self.change).all(axis=1))
        found = np.ones(len(at))
        if len(run) > 1:
            top = np.sort(self.logits[run], axis=1)
            run = run[np.argsort(top[:, -1] - top[:, -2], kind="stable")[:most]]
            of_logits, of_change = self._processes[:2]
            found = differing(
                *of_logits(self.places[run], self.logits[run], at), *of_change(self.places[run], self.change[run], at)
            )
        if self.violation.any():
            own = slice(-most, None)
            mean, variance = self._processes[2](self.places[own], self.violation[own, None], at)
            found = found * _loaded("scipy.special").ndtr(-mean[:, 0] / np.sqrt(variance + TINY))
        return found


def differing(mean: np.ndarray, variance: np.ndarray, change: np.ndarray, of_change: np.ndarray) -> np.ndarray:
    """Probability that labels differ, summed over the second and the third class; above 1 where both may well be first.

    Args:
        mean: of the original's logits, float64 (m, K).
        variance: of each of them, (m,).
        change: mean of what the compressed network adds to them, (m, K).
        of_change: variance of each of these, (m,).
    """
    rows, order = np.arange(len(mean)), np.argsort(-mean, axis=1, kind="stable")
    spread, of_difference = np.sqrt(2 * variance) + TINY, np.sqrt(2 * of_change) + TINY
    both = np.hypot(spread, of_difference)
    owens_t = _loaded("scipy.special").owens_t
    found = np.zeros(len(mean))
    for rival in range(1, min(3, mean.shape[1])):
        margin, moved = (one[rows, order[:, 0]] - one[rows, order[:, rival]] for one in (mean, change))
        # Two correlated normal variables, the margins of both networks, have different signs (Owen 1956).
        before, after = margin / spread + TINY, (margin + moved) / both + TINY
        found += 2 * owens_t(before, (after / before * both - spread) / of_difference)
        found += 2 * owens_t(after, (before / after * both - spread) / of_difference) + (before * after < 0)
    return found


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Run what most likely makes labels differ, until the budget is spent or all members are run.

    Raises:
        QuantriftError: if it searches batches of seed inputs.
    """
    if len(problem.inputs) > 1:
        raise QuantriftError("surrogate: it learns from one seed input; take a protocol without batches")
    free = Free(problem.space)
    middle, half = (free.upper + free.lower) / 2, (free.upper - free.lower) / 2
    left = params.start + params.together * (problem.steps(*params.sizes) - 1)
    known, asked = _Known(len(middle)), set[bytes]()
    while left > 0:
        pool = _pool(problem, params.pool, rng)
        pool = pool[[one.tobytes() not in asked for one in pool]]
        if not len(pool):
            return
        places = (free.of(pool).astype(np.float64) - middle) / half
        if len(known.places):
            count = min(left, max(params.together, len(known.places) // 20))
            chosen = np.argsort(-known.probability(places, params.most), kind="stable")[:count]
        else:
            chosen = _far_apart(places, min(left, params.start))
        asked.update(one.tobytes() for one in pool[chosen])
        left -= len(chosen)
        known.add(places[chosen], (yield Ask(pool[chosen])))


def _pool(problem: Problem, size: int, rng: np.random.Generator) -> np.ndarray:
    """Candidates to choose from, float32 (m, genes), each once."""
    space = problem.space
    if isinstance(space, Members) and space.neighbourhood.size <= ENUMERATED:
        return space.part(0, space.neighbourhood.size)
    drawn = space.sample(size, rng)
    return drawn[np.sort(np.unique(drawn, axis=0, return_index=True)[1])]


def _far_apart(places: np.ndarray, count: int) -> np.ndarray:
    """Rows of ``places`` (m, g): that nearest to the middle, then each as far from the nearest before as possible."""
    chosen = [int((places**2).sum(axis=1).argmin())]
    away = np.full(len(places), np.inf)
    for _ in range(min(count, len(places)) - 1):
        away = np.minimum(away, ((places - places[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(away.argmax()))
    return np.array(chosen)


def _centred(logits: np.ndarray) -> np.ndarray:
    values = logits.astype(np.float64)
    centred: np.ndarray = values - values.mean(axis=1, keepdims=True)
    return centred


def _loaded(module: str) -> Any:
    """A module of scikit-learn or SciPy, only once a search runs: configurations look at all searchers."""
    why = "this search needs scikit-learn, which is not installed; pip install 'quantrift[workflow]'"
    plugins.library(module.partition(".")[0], why)
    return import_module(module)
