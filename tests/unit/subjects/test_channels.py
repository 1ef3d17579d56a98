"""The grid of a compressed network's values is found from the values, where the original's do not lie on it."""

import numpy as np

from quantrift.subjects.channels import LEVELS, grid_step

FLOATS = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)


def on_grid(step: float) -> np.ndarray:
    return (np.rint(FLOATS / step) * step).astype(np.float32)


def test_the_step_of_a_grid_is_the_least_distance_of_its_levels() -> None:
    for step in (0.25, 0.03125):
        assert grid_step(FLOATS, on_grid(step)) == step


def test_values_that_both_networks_have_on_the_grid_or_neither_has_are_on_none() -> None:
    assert grid_step(on_grid(0.25), on_grid(0.25)) == 0
    assert grid_step(FLOATS, FLOATS[::-1]) == 0


def test_too_few_levels_tell_no_grid() -> None:
    levels = np.arange(LEVELS, dtype=np.float32) / 4
    assert grid_step(FLOATS, levels) == 0.25
    assert grid_step(FLOATS, levels[:-1]) == 0
