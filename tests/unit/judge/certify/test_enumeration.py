"""Enumeration of a neighbourhood: every distinct member runs once, whatever the batches, however often it is ended."""

from collections.abc import Callable

import numpy as np
import pytest

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.judge.certify import enumeration
from quantrift.judge.certify.asked_neighbourhoods import asked
from quantrift.judge.certify.enumeration import Enumerator, State

SHAPE = (6, 6, 1)
SCALE = pixels.bind(pixels.Params(), Domain(SHAPE, -1.0, 1.0))
IMAGE = np.random.default_rng(1).integers(0, 256, SHAPE).astype(np.uint8)
Wrong = Callable[[np.ndarray], np.ndarray]


class Planted:
    """Two networks that disagree where ``wrong``, from images, uint8 (n, H, W, C), to bool (n,), says so."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        self.ran: list[bytes] = []

    def __call__(self, x: np.ndarray) -> Outputs:
        images = SCALE.levels(x)
        self.ran += [image.tobytes() for image in images]
        original = np.tile(np.array([0, 1], np.float32), (len(x), 1))
        compressed = original.copy()
        compressed[self.wrong(images)] = 1, 0
        return Outputs(original, compressed)


def nowhere(images: np.ndarray) -> np.ndarray:
    return np.zeros(len(images), bool)


def one(text: str) -> Neighbourhood:
    [found] = asked(text, SHAPE)
    assert isinstance(found, Neighbourhood)
    return found


def end(
    text: str, wrong: Wrong = nowhere, rows: int = 7, state: State | None = None, image: np.ndarray = IMAGE
) -> State:
    """The last state of an enumeration."""
    state = state or State()
    for found in Enumerator(Planted(wrong), SCALE, rows).run(one(text), image, state):
        state = found
    return state


@pytest.mark.parametrize("text", ["brightness", "pixel", "shift=2", "dropout=2", "shift=1+brightness=4"])
def test_every_distinct_member_runs_once(text: str) -> None:
    networks, neighbourhood = Planted(nowhere), one(text)
    *_, last = Enumerator(networks, SCALE).run(neighbourhood, IMAGE, State())
    members = neighbourhood.members(IMAGE, np.arange(neighbourhood.size))
    distinct = {member.tobytes() for member in members}
    assert sorted(networks.ran) == sorted(distinct)
    assert last == State(neighbourhood.size, len(distinct))
    assert last.outcome(neighbourhood.size) == "certified"


@pytest.mark.parametrize("rows", [7, 2000])
@pytest.mark.parametrize("planted", [0, 1, 17, 600])
def test_a_planted_disagreement_is_found_and_is_the_first_one(planted: int, rows: int) -> None:
    neighbourhood = one("pixel")
    members = neighbourhood.members(IMAGE, np.arange(neighbourhood.size))
    target = members[planted]
    first = next(number for number, member in enumerate(members) if np.array_equal(member, target))
    found = end("pixel", lambda images: (images == target).all(axis=(1, 2, 3)), rows)
    assert (found.counterexample, found.enumerated) == (first, first + 1)
    assert (found.label_original, found.label_compressed) == (1, 0)
    assert found.distinct == len({member.tobytes() for member in members[: first + 1]})


@pytest.mark.parametrize("rows", [1, 2, 100, 10_000])
@pytest.mark.parametrize("bright", [200, 300])
def test_the_size_of_batches_changes_nothing(rows: int, bright: int) -> None:
    def wrong(images: np.ndarray) -> np.ndarray:
        return images.mean(axis=(1, 2, 3)) > bright

    assert end("brightness", wrong, rows) == end("brightness", wrong)


@pytest.mark.parametrize(("text", "rows"), [("brightness", 50), ("pixel", 1500)])
def test_an_enumeration_that_was_ended_after_any_batch_goes_on_to_the_same_end(text: str, rows: int) -> None:
    def wrong(images: np.ndarray) -> np.ndarray:
        return images.mean(axis=(1, 2, 3)) < 1

    whole = list(Enumerator(Planted(wrong), SCALE, rows).run(one(text), IMAGE, State()))
    assert len(whole) > 3
    for state in whole:
        networks = Planted(wrong)
        left = [state, *Enumerator(networks, SCALE, rows // 7).run(one(text), IMAGE, state)]
        assert left[-1] == whole[-1]
        assert len(networks.ran) < whole[-1].distinct - state.distinct + rows // 7


def test_a_settled_enumeration_runs_nothing() -> None:
    networks = Planted(nowhere)
    assert list(Enumerator(networks, SCALE).run(one("shift=1"), IMAGE, end("shift=1"))) == []
    assert networks.ran == []


def test_a_budget_ends_it_unfinished_and_a_larger_one_goes_on() -> None:
    enumerator, neighbourhood = Enumerator(Planted(nowhere), SCALE, 7), one("brightness")
    *_, state = enumerator.run(neighbourhood, IMAGE, State(), budget=100)
    assert state.enumerated == 100
    assert state.outcome(neighbourhood.size) == "unfinished"
    assert list(enumerator.run(neighbourhood, IMAGE, state, budget=100)) == []
    *_, state = enumerator.run(neighbourhood, IMAGE, state)
    assert state == end("brightness")


def test_an_image_is_not_skipped_for_the_digest_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "digest", lambda image: int(image.sum()) % 3)
    target = one("pixel").members(IMAGE, np.array([4000]))[0]
    found = end("pixel", lambda images: (images == target).all(axis=(1, 2, 3)), rows=64)
    assert found.counterexample == 4000


def test_beyond_those_remembered_repeated_members_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "REMEMBERED", 0)
    assert end("shift=2", image=np.full(SHAPE, 9, np.uint8)) == State(25, 25)


def test_a_constant_image_has_one_distinct_shift() -> None:
    assert end("shift=2", image=np.full(SHAPE, 9, np.uint8)) == State(25, 1)


def test_an_output_that_is_no_number_agrees_with_nothing() -> None:
    def broken(x: np.ndarray) -> Outputs:
        logits = np.full((len(x), 2), np.nan, np.float32)
        return Outputs(logits, logits)

    *_, last = Enumerator(broken, SCALE).run(one("shift=1"), IMAGE, State())
    assert last.outcome(9) == "counterexample"
