"""DeepXplore: where a step may change an image, and which way it goes."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.search.messages import Ask, Problem
from quantrift.core.search.searchers.gradient import Params, drawn, normalised, search
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels

IMAGE = (14, 12, 2)
SIZE = 14 * 12 * 2
NEURONS = (9, 7)
CLASSES = 3


def conversation(
    params: Params, evaluations: int, finds: Callable[[int], bool] = lambda number: False
) -> Iterator[tuple[Ask, np.ndarray]]:
    """Asks of a search, each with the gradient that answers it: the same numbers, drawn once."""
    space = pixels.bind(pixels.Params(levels=None), Domain(IMAGE, -1, 1))
    seed = np.zeros((1, *IMAGE), np.float32)
    problem = Problem("d", 0, (0,), seed, (1,), space, 1, evaluations=evaluations)
    running = search(problem, params, np.random.default_rng(0))
    gradient = np.random.default_rng(5).normal(size=(1, SIZE)).astype(np.float32)
    ask, number = next(running), 0
    while True:
        yield ask, gradient[0]
        tell: Any = SimpleNamespace(
            labels_original=np.array([1]),
            out_original=np.zeros((1, CLASSES)),
            disagree=np.array([finds(number)]),
            gradient=gradient,
            # The first two neurons of each are never on.
            neurons=tuple((np.arange(count) >= 2).astype(np.float32)[None] for count in NEURONS),
        )
        number += 1
        try:
            ask = running.send(tell)
        except StopIteration:
            return


def test_a_search_climbs_again_from_the_seed_input_until_its_budget_is_spent() -> None:
    asks = [ask for ask, _ in conversation(Params(iterations=5), 30)]
    assert len(asks) == 30
    at_seed = [number for number, ask in enumerate(asks) if not ask.candidates.any()]
    assert at_seed == [0, 1, 7, 13, 19, 25]
    assert asks[0].weights is None
    assert all(np.abs(ask.candidates).max() <= 1 for ask in asks)


def test_one_model_is_pushed_from_the_label_and_the_other_held_to_it() -> None:
    pushed = []
    for number, (ask, _) in enumerate(conversation(Params(iterations=1, lambda1=2, lambda2=0.1), 200)):
        if number % 2 == 0:
            continue
        assert ask.weights is not None
        own = [weights[0] for weights in ask.weights]
        labels = [values[count - CLASSES + 1] for values, count in zip(own, NEURONS, strict=True)]
        pushed.append(int(np.argmin(labels)))
        assert min(labels) == pytest.approx(-2, abs=0.11)
        assert max(labels) == pytest.approx(1, abs=0.11)
        assert [values.sum() for values in own] == pytest.approx(
            [1.1 - 3 * (which == pushed[-1]) for which in (0, 1)], abs=1e-6
        )
    assert 20 < sum(pushed) < 80


def test_neurons_are_chosen_among_those_that_no_disagreement_has_covered() -> None:
    drawn: list[set[int]] = [set(), set()]
    for number, (ask, _) in enumerate(conversation(Params(iterations=2, lambda1=0), 400, lambda number: number == 3)):
        if number <= 3 or ask.candidates.any():
            continue
        assert ask.weights is not None
        for which, weights in enumerate(ask.weights):
            drawn[which] |= set(np.flatnonzero(np.isclose(weights[0], 0.1)).tolist())
    assert drawn == [{0, 1}, {0, 1}]


def changes(constraint: Any, **params: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Change of the image, (H, W, C), in the first step of each of many climbs, with the gradient likewise."""
    settings = Params(constraint=constraint, iterations=1, **params)
    return [
        (ask.candidates.reshape(IMAGE), gradient.reshape(IMAGE))
        for ask, gradient in conversation(settings, 101)
        if ask.candidates.any()
    ]


def test_a_step_has_its_length_on_the_scale_from_0_to_255() -> None:
    for change, gradient in changes("occlusion", step=5, rectangle=14):
        np.testing.assert_allclose(change, 5 / 255 * 2 * normalised(gradient), rtol=1e-5)
    assert np.sqrt(np.mean(np.square(normalised(gradient)))) == pytest.approx(1, abs=1e-4)


def test_values_leave_their_range_only_where_they_are_not_clipped() -> None:
    climbs = {
        clipped: [ask.candidates for ask, _ in conversation(Params(step=2550, clipped=clipped, iterations=3), 5)]
        for clipped in (True, False)
    }
    assert [float(np.abs(x).max()) for x in climbs[True][2:]] == [1, 1, 1]
    first, second = climbs[False][2:4]
    assert np.abs(first).max() > 10
    # The gradient of all steps is the same here.
    np.testing.assert_allclose(second, 2 * first, rtol=1e-5)


def test_occlusion_changes_one_rectangle_anywhere_in_the_image() -> None:
    corners = set()
    for change, gradient in changes("occlusion"):
        rows, columns = (np.flatnonzero(change.any(axis=axes)) for axes in ((1, 2), (0, 2)))
        assert (len(rows), len(columns)) == (10, 10)
        place = np.ix_(rows, columns)
        np.testing.assert_allclose(change[place], 10 / 255 * 2 * normalised(gradient)[place], rtol=1e-5)
        corners.add((int(rows[0]), int(columns[0])))
    assert {row for row, _ in corners} == set(range(5))
    assert {column for _, column in corners} == set(range(3))


def test_light_changes_all_values_by_the_same_amount() -> None:
    for change, gradient in changes("light"):
        np.testing.assert_allclose(change, np.full(IMAGE, 10 / 255 * 2 * normalised(gradient).mean()), rtol=1e-4)


def test_blackout_makes_a_square_darker_where_that_helps() -> None:
    found = changes("blackout", square=6)
    assert 0 < len(found) < 50
    for change, gradient in found:
        dark = change != 0
        np.testing.assert_allclose(change[dark], -10 / 255 * 2, rtol=1e-5)
        assert dark.sum() == 6 * 6 * 2
        assert gradient[dark].mean() < 0


def test_places_are_cut_where_the_image_is_smaller() -> None:
    place = drawn((7, 7, 3), 10, np.random.default_rng(0))
    assert np.zeros((7, 7, 3))[place].shape == (7, 7, 3)
