"""Constraints: which decoded inputs still mean what their seed input means."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quantrift.search.space import Originals


@dataclass(frozen=True, eq=False)
class Check:
    """What a constraint found of n decoded inputs."""

    valid: np.ndarray
    """bool (n,)."""
    violation: np.ndarray
    """float64 (n,): how far the constraint is from holding, 0 where valid."""
    psnr: np.ndarray
    """Peak signal-to-noise ratio in dB, float64 (n,), +inf for the seed input itself; recorded by every constraint."""


class Constraint(Protocol):
    """Made by the ``bind(params)`` of a module of ``quantrift.search.constraints``."""

    def check(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Check:
        """Judge decoded inputs, float32 (n, H, W, C), against the seed inputs ``rows`` (n,) they came from."""
        ...
