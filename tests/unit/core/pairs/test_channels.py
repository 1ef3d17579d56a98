"""Channels of outputs: where they stand, their ranges, and those that a compressed network never moves."""

import numpy as np
import pytest

from quantrift.core.base.carried_rows import in_rows
from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.channels import (
    LEVELS,
    Dead,
    by_channel,
    channel_axis,
    dead_channels,
    grid_step,
    of_values,
    ranges,
)
from quantrift.core.pairs.tasks import classify, detect, multilabel, regress

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5,), 1),
        ((100, 5), 2),
        ((84, 8400), 1),
        ((25200, 85), 2),
        ((3, 5), 2),
        ((7, 7, 30), 3),
        ((21, 64, 64), 1),
        ((64, 48, 17), 3),
        ((4, 4, 4), 3),
    ],
)
def test_channels_stand_last_but_in_square_maps_and_long_lists(shape: tuple[int, ...], axis: int) -> None:
    assert channel_axis(shape) == axis
    values = RNG.random((2, *shape))
    assert by_channel(values).shape == (2, shape[axis - 1], np.prod(shape) // shape[axis - 1])
    numbers = np.arange(shape[axis - 1], dtype=np.float64)
    spread = np.moveaxis(np.broadcast_to(numbers, (*np.delete(shape, axis - 1), len(numbers))), -1, axis - 1)
    np.testing.assert_array_equal(of_values(values, numbers), in_rows(spread[None])[0])


def test_a_number_without_an_axis_is_one_channel() -> None:
    assert by_channel(np.arange(3.0)).shape == (3, 1, 1)
    assert of_values(np.arange(3.0), np.array([7.0])).tolist() == [7.0]


def test_a_channel_that_stays_the_same_has_its_size_for_a_range_and_zeros_the_least_of_the_others() -> None:
    values = np.zeros((50, 6, 4))
    values[..., 0], values[..., 1] = RNG.uniform(0, 254, (50, 6)), RNG.uniform(0, 1, (50, 6))
    values[..., 2] = 30
    found = ranges(values)
    assert 200 < found[0] <= 254
    assert 0.9 < found[1] <= 1
    assert found[2:].tolist() == [30, found[1]]
    # What rounding moves, stays.
    values[..., 2] += RNG.uniform(0, 1e-6, (50, 6))
    assert ranges(values)[2] == pytest.approx(30)
    with pytest.raises(QuantriftError, match="output 'out' of the original is the same on all inputs"):
        regress.Settings().settled({"moves": values, "out": np.ones((50, 2))}, {})


def test_tolerances_of_boxes_and_of_scores_are_shares_of_their_own_ranges() -> None:
    values = np.concatenate([RNG.uniform(0, 254, (200, 9, 4)), RNG.uniform(0, 1, (200, 9, 1))], axis=2)
    without = {"out": values * [1, 1, 1, 1, 0]}
    for said in (regress.Settings((0.02,)), regress.Settings((0.02,), by_channel=False)):
        settled = said.settled({"out": values}, without)
        # Files of earlier versions mean one range for the whole output.
        assert (settled.difference({"out": values}, without) > 1).all() == said.by_channel
        assert settled.tolerance[4] < 0.021 or not said.by_channel
    [*boxes, score] = regress.Settings((0.02,)).settled({"out": values}, without).parts({"out": values}, without)
    assert [one.differing for one in boxes] == [0, 0, 0, 0]
    assert (score.name, score.differing) == ("out 4", 200)


def moving(count: int, on: int, by: float) -> np.ndarray:
    """Values that lie at 0.5, and farther by ``by`` on some inputs, (n, 1, 1)."""
    values = np.full((count, 1, 1), 0.5)
    values[:on] += by
    return values


def on_grid(step: float, count: int) -> np.ndarray:
    return np.rint(RNG.uniform(0, 1, (count, 1, 4)) / step) * step


def test_a_channel_is_dead_only_where_the_original_moves_by_more_than_the_step_of_the_file() -> None:
    step, count = 1 / 256, 100
    grid = on_grid(step, count)
    grid[..., 0] = 0.5
    exact = RNG.uniform(0, 1, (count, 1, 4))
    for by, found in ((0.9 * step, 0), (1.1 * step, 1)):
        exact[..., 0] = moving(count, 30, by)[..., 0]
        dead = dead_channels({"out": exact.swapaxes(1, 2)}, {"out": grid.swapaxes(1, 2)})
        assert [(one.channel, one.moved) for one in dead] == [("0", 30)] * found
    # In floating point the step is one of rounding.
    still = RNG.uniform(0, 1, (count, 1, 4))
    still[..., 0] = 0.5
    [one] = dead_channels({"out": exact.swapaxes(1, 2)}, {"out": still.swapaxes(1, 2)})
    assert one == Dead("out", "0", 30, count, one.step)
    assert one.step == pytest.approx(5e-7, rel=0.1)


def test_what_float16_rounds_away_does_not_move() -> None:
    exact = np.full((60, 1, 1), 0.9999) - np.linspace(0, 2e-4, 60).reshape(-1, 1, 1)
    assert not dead_channels({"out": exact}, {"out": np.ones((60, 1, 1))})


def test_numbers_of_classes_are_whole_by_nature_and_have_no_step() -> None:
    kinds = RNG.integers(0, 5, (60, 2, 3)).astype(np.float64)
    said = kinds.copy()
    said[:, 1] = 2
    [one] = dead_channels({"out": kinds}, {"out": said})
    assert (one.channel, one.step < 1) == ("1", True)


def test_a_position_that_moves_keeps_its_channel_alive() -> None:
    exact, other = RNG.random((60, 1, 50)), np.zeros((60, 1, 50))
    assert [one.moved for one in dead_channels({"out": exact}, {"out": other})] == [60]
    other[3, 0, 7] = 0.4
    assert not dead_channels({"out": exact}, {"out": other})


def test_labels_are_dead_by_their_probabilities() -> None:
    logits = RNG.normal(0, 3, (80, 3)).astype(np.float32)
    dead = logits.copy()
    dead[:, 1] = 0.3
    of = multilabel.Settings().settled({"a": logits}, {"a": dead})
    assert [(one.output, one.channel) for one in of.dead({"a": logits}, {"a": dead})] == [("labels", "1")]
    # Far below the threshold, where files cut logits off, no probability moves.
    low = logits.copy()
    low[:, 1] -= 60
    cut = np.maximum(low, -20)
    assert not multilabel.Settings().settled({"a": low}, {"a": cut}).dead({"a": low}, {"a": cut})
    # Whole steps of quantized logits are no movement, as the file cannot show it.
    step = 0.25
    exact = np.rint(logits / step) * step + RNG.uniform(-0.1, 0.1, logits.shape)
    exact[:, 1] = 1 + RNG.uniform(-0.2, 0.2, 80)
    rounded = np.rint(logits / step) * step
    rounded[:, 1] = 1
    assert not multilabel.Settings().settled({"a": exact}, {"a": rounded}).dead({"a": exact}, {"a": rounded})


def test_a_detector_has_a_score_of_each_class_and_one_of_all_places() -> None:
    boxes, scores = RNG.uniform(0, 9, (40, 6, 4)), RNG.uniform(0, 1, (40, 6, 2))
    said = {"boxes": boxes, "scores": scores}
    without = {"boxes": boxes, "scores": scores * [1, 0]}
    of = detect.Settings().settled(said, without)
    assert [(one.output, one.channel, one.moved) for one in of.dead(said, without)] == [("scores", "1", 40)]
    # A place that is never filled is no channel.
    each = {"boxes": boxes, "scores": scores[..., 0], "count": np.full(40, 6.0)}
    fewer = {**each, "scores": scores[..., 0] * [1, 1, 1, 1, 1, 0], "count": np.full(40, 5.0)}
    of = detect.Settings().settled(each, fewer)
    assert not of.dead(each, fewer)
    assert [one.output for one in of.dead(each, {**fewer, "scores": np.zeros((40, 6))})] == ["scores"]


def test_a_logit_that_is_cut_off_below_all_others_is_not_dead() -> None:
    logits = RNG.normal(0, 3, (80, 3))
    stuck, cut = logits.copy(), logits.copy()
    stuck[:, 2], cut[:, 2] = 0.1, logits.min() - 1
    [one] = classify.Settings().dead({"a": logits}, {"a": stuck})
    assert (one.channel, one.moved) == ("2", 80)
    assert not classify.Settings().dead({"a": logits}, {"a": cut})


def test_the_step_of_a_grid_is_the_least_distance_of_its_levels() -> None:
    floats = RNG.normal(size=(200, 4)).astype(np.float32)
    for step in (0.25, 0.03125):
        on_it = (np.rint(floats / step) * step).astype(np.float32)
        assert grid_step(floats, on_it) == step
        assert grid_step(on_it, on_it) == 0, "values on the grid of both are whole by nature"
    assert grid_step(floats, floats[::-1]) == 0


def test_too_few_levels_tell_no_grid() -> None:
    floats = RNG.normal(size=(200, 4)).astype(np.float32)
    levels = np.arange(LEVELS, dtype=np.float32) / 4
    assert grid_step(floats, levels) == 0.25
    assert grid_step(floats, levels[:-1]) == 0
