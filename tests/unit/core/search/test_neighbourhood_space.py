"""Finite neighbourhoods as a space: the members that are certified, whatever way a searcher comes to them."""

from typing import Any

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.neighbourhood_kinds import named
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import neighbourhood, pixels
from quantrift.core.search.spaces.neighbourhood import Members
from quantrift.core.search.tool import Tool, build
from quantrift.core.settings.searches import Tool as Stated

SHAPE = (6, 6, 1)
DOMAIN = Domain(SHAPE, -1.0, 1.0)
SCALE = pixels.bind(pixels.Params(), DOMAIN)
IMAGES = np.random.default_rng(1).integers(0, 256, (3, *SHAPE)).astype(np.uint8)
TEXTS = ["brightness=9", "shift=1", "pixel", "dropout=2", "shift=1+brightness=4", "contrast=1:0.5+shift=1"]
SEARCHERS: dict[str, dict[str, Any]] = {
    "exhaustive": {"together": 7},
    "random": {},
    "pso": {},
    "ga": {},
    "surrogate": {},
    "metropolis_hastings": {"variant": "paper"},
}


def members(of: str) -> Members:
    return neighbourhood.bind(neighbourhood.Params(of), DOMAIN)


def tool(searcher: str, of: str) -> Tool:
    objective = "top1_distance" if searcher == "metropolis_hastings" else "jensen_shannon"
    parts = {"space": "neighbourhood", "constraint": "none", "objective": objective, "searcher": searcher}
    settings: dict[str, Any] = {kind: {"name": name, "params": {}} for kind, name in parts.items()}
    settings["space"]["params"], settings["searcher"]["params"] = {"of": of}, SEARCHERS[searcher]
    return build(searcher, settings, DOMAIN)


def bright(x: np.ndarray) -> Outputs:
    """Two networks that disagree on images of more than a mean, which they come to in small steps."""
    mean = SCALE.levels(x).reshape(len(x), -1).mean(axis=1).astype(np.float32)
    original = np.stack([mean, np.full(len(x), 300, np.float32)], axis=1)
    return Outputs(original, original - np.array([[0, 169]], np.float32))


def searched(searcher: str, of: str, evaluations: int) -> tuple[list[int], list[set[int]]]:
    """Evaluations of each search, and the digests of the disagreeing inputs that it found."""
    own = tool(searcher, of)
    x = SCALE.of_levels(IMAGES)
    problems = [Problem("d", 0, (i,), x[i : i + 1], (0,), own.space, 25, evaluations) for i in range(len(x))]
    spent, found = [0] * len(x), [set[int]() for _ in x]
    for event in Engine(Evaluator(own, bright)).run(problems):
        if isinstance(event, Step):
            spent[event.number] += len(event.candidates)
            found[event.number] |= set(event.evaluated.digests[event.evaluated.tell.disagree].tolist())
    return spent, found


@pytest.mark.parametrize("text", TEXTS)
def test_all_candidates_are_all_members_of_certificates_once_each(text: str) -> None:
    space, certified = members(text), named(text, SHAPE)
    candidates = space.part(0, space.neighbourhood.size)
    assert np.array_equal(np.sort(certified.at(candidates.astype(np.int64))), np.arange(certified.size))
    x = SCALE.of_levels(IMAGES[:1])
    decoded = SCALE.levels(space.decode(candidates, Originals(x), np.zeros(space.neighbourhood.size, np.int64)))
    expected = certified.members(IMAGES[0], certified.at(candidates.astype(np.int64)))
    assert np.array_equal(decoded, expected)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_sampled_and_what_moves_stays_on_the_grid(text: str) -> None:
    space, rng = members(text), np.random.default_rng(0)
    drawn = space.sample(200, rng)
    assert ((space.lower <= drawn) & (drawn <= space.upper) & (drawn == np.rint(drawn))).all()
    places = space.neighbourhood.home
    for number in range(300):
        moved = space.moves[number % len(space.moves)](places, rng)
        assert np.count_nonzero(moved != places) == 1
        assert ((moved >= 0) & (moved <= space.upper)).all()
        if number % 2 == 0:
            assert np.abs(moved - places).sum() == 1
        places = moved


def test_home_is_the_seed_input_and_parameters_rise_along_an_axis() -> None:
    space = members("shift=1+brightness=4")
    x = SCALE.of_levels(IMAGES[:1])
    assert np.array_equal(
        space.decode(space.neighbourhood.home[None].astype(np.float32), Originals(x), np.zeros(1, np.int64)), x
    )
    line = np.array([[1, 1, place] for place in range(9)])
    offsets = space.neighbourhood.parameters(space.neighbourhood.at(line))[:, 2]
    assert offsets.tolist() == list(range(-4, 5))


def test_a_candidate_between_members_is_the_nearest_one() -> None:
    space, x = members("brightness=9"), Originals(SCALE.of_levels(IMAGES[:1]))
    places = np.array([[2.4], [2.0], [2.6], [3.0], [-5], [0]], np.float32)
    decoded = space.decode(places, x, np.zeros(6, np.int64))
    for one, other in ((0, 1), (2, 3), (4, 5)):
        assert np.array_equal(decoded[one], decoded[other])
    assert not np.array_equal(decoded[1], decoded[3])


def test_an_enumeration_finds_all_that_there_is_and_others_find_a_part_within_their_budget() -> None:
    of = "shift=1+brightness=12"
    spent, truth = searched("exhaustive", of, 10_000)
    every = named(of, SHAPE)
    assert spent == [every.size] * 3
    for image, found in zip(IMAGES, truth, strict=True):
        images = every.members(image, np.arange(every.size))
        said = bright(SCALE.of_levels(images))
        wrong = said.original.argmax(axis=1) != said.compressed.argmax(axis=1)
        assert len(found) == len({one.tobytes() for one in images[wrong]})
    assert sum(map(len, truth)) > 0
    for searcher in set(SEARCHERS) - {"exhaustive"}:
        queries, found_by = searched(searcher, of, 60)
        assert all(50 <= one <= 60 for one in queries)
        assert all(own <= whole for own, whole in zip(found_by, truth, strict=True))


def test_an_enumeration_that_its_budget_would_cut_is_refused() -> None:
    with pytest.raises(QuantriftError, match="'brightness=9' has 19 members, and the protocol allows 18 evaluations"):
        searched("exhaustive", "brightness=9", 18)


def test_inputs_that_are_no_images_of_8_bits_are_refused() -> None:
    x = Originals(SCALE.of_levels(IMAGES[:1]) + np.float32(0.001))
    with pytest.raises(QuantriftError, match="8 bits"):
        members("shift=1").decode(np.zeros((1, 2), np.float32), x, np.zeros(1, np.int64))


@pytest.mark.parametrize(
    ("of", "searcher", "space", "said"),
    [
        ("brigtness", "random", "neighbourhood", "did you mean 'brightness'"),
        ("linf=1", "random", "neighbourhood", "there is no 'linf'"),
        (None, "exhaustive", "pixels", "needs neighbourhood"),
    ],
)
def test_a_tool_that_cannot_be_is_a_mistake_in_its_settings(
    of: str | None, searcher: str, space: str, said: str
) -> None:
    stated = {"space": {space: {"of": of}} if of else space, "searcher": searcher}
    with pytest.raises(ValueError, match=said):
        Stated.model_validate({"constraint": "none", "objective": "jensen_shannon"} | stated)


def test_a_size_that_the_images_do_not_have_is_named() -> None:
    with pytest.raises(QuantriftError, match="space.neighbourhood.of: 'shift=9'; give a whole number from 1 to 5"):
        members("shift=9")
