"""Truth about a pair: broken or good, decided on held-out inputs, clean and distorted, not by its recipe."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.streams import stream
from quantrift.core.networks.batches import Runtime, runs
from quantrift.core.networks.evaluate import labels, logits
from quantrift.core.search import strength_search
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.tool import build
from quantrift.judge.verdict.assessment import LIMITS
from quantrift.judge.verdict.profiles import Settings, plan

SURE = 0.99
"""Of intervals."""
DRAWS = 8
"""Candidates of random sampling for each held-out input; about a sixth of them is valid."""
ROWS = 256

State = Literal["broken", "good", "borderline"]


@dataclass(frozen=True)
class Share:
    """A share with its 99 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Truth:
    """Rates of a pair on held-out inputs.
    The rate of searches that reach a disagreement is left out, as it depends on the search.
    """

    inputs: int
    """Held-out inputs."""
    changed: int
    """Valid natural changes of them."""
    disagreement: Share
    """Disagreement on the clean inputs."""
    accuracy_drop: Share
    """Accuracy of the original less that of the compressed network."""
    dir: Share
    """Disagreement on the valid natural changes."""

    @property
    def state(self) -> State:
        """Broken if one interval lies above its limit, good if all lie below; borderline otherwise."""
        held = [
            (share, limit)
            for share, limit in (
                (self.disagreement, LIMITS.max_disagreement),
                (self.accuracy_drop, LIMITS.max_accuracy_drop),
                (self.dir, LIMITS.max_dir),
            )
            if limit is not None
        ]
        if any(share.low > limit for share, limit in held):
            return "broken"
        return "good" if all(share.high <= limit for share, limit in held) else "borderline"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out inputs of a network and natural changes of them."""

    inputs: Inputs
    original: np.ndarray
    """Labels that the original gives the inputs, int64 (n,)."""
    changed: np.ndarray
    """Valid changes of the inputs that the original gets right, float32 (m, H, W, C)."""
    seeds: np.ndarray
    """Number of the input that each is made from, int64 (m,), ascending."""
    original_changed: np.ndarray
    """Labels that the original gives the changes, int64 (m,)."""


def held_out(given: Inputs, inputs: Inputs, original: Runtime) -> HeldOut:
    """Change held-out inputs as an assessment's random sampling would.

    Args:
        given: the inputs of the assessment, on which the strengths of the distortions are calibrated.
        inputs: others on the same scale.
        original: the network.
    """
    tool = plan(Settings(), given).tools[0]
    space = tool.settings["space"]
    if tool.calibration is not None:
        found = strength_search.of_settings(tool.calibration.model_dump(mode="json", exclude={"title"}), given)
        space = {**space, "params": {**space["params"], "strengths": found.strengths}}
    built = build("held_out", {**tool.settings, "space": space}, Domain.of(inputs))
    said = labels(logits(original, inputs, inputs.test))
    right = np.flatnonzero(said == inputs.labels)
    rng = stream("planted", "held_out")
    changed, seeds = [], []
    for _, numbers, _ in runs(right, ROWS):
        originals, rows = Originals.of(inputs, numbers), np.repeat(np.arange(len(numbers)), DRAWS)
        decoded = built.space.decode(built.space.sample(len(rows), rng), originals, rows)
        valid = built.constraint.violation(built.constraint.measure(decoded, originals, rows).judged) == 0
        changed.append(decoded[valid])
        seeds.append(numbers[rows[valid]])
    every = np.concatenate(changed)
    return HeldOut(inputs, said, every, np.concatenate(seeds), _labels(original, every))


def truth(of: HeldOut, compressed: Runtime) -> Truth:
    """Measure a pair on held-out inputs."""
    said = labels(logits(compressed, of.inputs, of.inputs.test))
    count = len(said)
    true = of.inputs.labels
    return Truth(
        inputs=count,
        changed=len(of.changed),
        disagreement=_wilson(int((said != of.original).sum()), count),
        accuracy_drop=_mean((of.original == true).astype(np.int64) - (said == true), np.ones(count)),
        dir=_clustered(_labels(compressed, of.changed) != of.original_changed, of.seeds),
    )


def _labels(network: Runtime, inputs: np.ndarray) -> np.ndarray:
    return labels(np.concatenate([network(part) for _, part, _ in runs(inputs, ROWS)]))


def _wilson(successes: int, trials: int) -> Share:
    found = stats.binomtest(successes, trials).proportion_ci(SURE, method="wilson")
    return Share(successes / trials, float(found.low), float(found.high))


def _clustered(disagree: np.ndarray, seeds: np.ndarray) -> Share:
    """Share of changes, whose unit is the input that they are made from."""
    _, cluster = np.unique(seeds, return_inverse=True)
    sizes, found = np.bincount(cluster), np.bincount(cluster, weights=disagree)
    # No event is no proof of a rate of 0: take the interval of as many independent inputs.
    return _mean(found, sizes) if found.any() else _wilson(0, len(sizes))


def _mean(sums: np.ndarray, sizes: np.ndarray) -> Share:
    """Ratio of two sums over independent inputs, with the normal interval of its linear form."""
    value = float(sums.sum() / sizes.sum())
    error = float(np.sqrt(((sums - value * sizes) ** 2).sum()) / sizes.sum())
    reach = float(stats.norm.ppf(0.5 + SURE / 2)) * error
    return Share(value, value - reach, value + reach)
