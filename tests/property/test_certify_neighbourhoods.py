"""Neighbourhoods are complete, without repeated parameters, and what brute force makes of small images."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quantrift.core.search.dropout_neighbourhood import combinations as numbered
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify.asked_neighbourhoods import asked, usages
from quantrift.judge.certify.boxes import Boxes

SHAPES = [(4, 4, 1), (5, 3, 3), (3, 6, 1)]
TEXTS = [
    "brightness",
    "brightness=7",
    "contrast=1:0.25",
    "shift=1",
    "shift=2",
    "rotation=30:7.5",
    "pixel",
    "dropout=1",
    "dropout=3",
    "shift=1+brightness=3",
    "dropout=1+contrast=1:0.5",
]
BOXES = ["linf=7", "patch=1"]
images = st.sampled_from(SHAPES).flatmap(lambda shape: arrays.arrays(np.uint8, shape))
squares = arrays.arrays(np.uint8, (5, 5, 1))
texts = st.sampled_from(TEXTS)


def one(text: str, image: np.ndarray) -> Neighbourhood:
    [found] = asked(text, image.shape)
    assert isinstance(found, Neighbourhood)
    return found


def every(text: str, image: np.ndarray) -> np.ndarray:
    neighbourhood = one(text, image)
    return neighbourhood.members(image, np.arange(neighbourhood.size))


def as_set(members: np.ndarray) -> set[bytes]:
    return {member.tobytes() for member in members}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("text", TEXTS)
def test_no_parameters_occur_twice(text: str, shape: tuple[int, int, int]) -> None:
    neighbourhood = one(text, np.zeros(shape, np.uint8))
    parameters = neighbourhood.parameters(np.arange(neighbourhood.size))
    assert parameters.shape == (neighbourhood.size, len(neighbourhood.names))
    assert len(np.unique(parameters, axis=0)) == neighbourhood.size


@given(image=images, text=texts)
@settings(max_examples=40)
def test_the_image_itself_is_a_member(image: np.ndarray, text: str) -> None:
    assert image.tobytes() in as_set(every(text, image))


@given(image=images, text=texts, data=st.data())
@settings(max_examples=60)
def test_a_member_depends_on_its_number_alone(image: np.ndarray, text: str, data: st.DataObject) -> None:
    neighbourhood = one(text, image)
    numbers = np.array(data.draw(st.lists(st.integers(0, neighbourhood.size - 1), min_size=1, max_size=9)))
    together = neighbourhood.members(image, numbers)
    alone = [neighbourhood.members(image, numbers[place : place + 1])[0] for place in range(len(numbers))]
    assert together.dtype == np.uint8
    assert np.array_equal(together, np.stack(alone))


@given(image=images, reach=st.integers(1, 255))
@settings(max_examples=30)
def test_brightness_adds_every_offset_once_and_stops_at_black_and_white(image: np.ndarray, reach: int) -> None:
    neighbourhood = one(f"brightness={reach}", image)
    offsets = neighbourhood.parameters(np.arange(neighbourhood.size))[:, 0].astype(int)
    assert sorted(offsets) == list(range(-reach, reach + 1))
    wanted = np.stack([np.clip(image.astype(int) + offset, 0, 255) for offset in offsets])
    assert np.array_equal(every(f"brightness={reach}", image), wanted)


@given(image=images)
def test_contrast_scales_distances_from_the_mean_to_the_nearest_level(image: np.ndarray) -> None:
    neighbourhood = one("contrast=1:0.25", image)
    doublings = neighbourhood.parameters(np.arange(neighbourhood.size))[:, 0]
    assert sorted(doublings) == [place / 4 for place in range(-4, 5)]
    exact = [np.clip(image.mean() + (image - image.mean()) * 2**one, 0, 255) for one in doublings]
    assert np.abs(every("contrast=1:0.25", image) - np.stack(exact)).max() <= 0.5 + 1e-3


@given(image=images, reach=st.integers(1, 2))
def test_shifts_are_all_those_of_an_image_that_goes_on_as_its_edges_are(image: np.ndarray, reach: int) -> None:
    padded = np.pad(image, ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    height, width, _ = image.shape
    sides = range(2 * reach + 1)
    wanted = {padded[down : down + height, right : right + width].tobytes() for down, right in product(sides, sides)}
    assert as_set(every(f"shift={reach}", image)) == wanted


@given(image=squares)
def test_a_quarter_turn_is_exact_and_counter_clockwise(image: np.ndarray) -> None:
    wanted = [image, np.rot90(image, -1), np.rot90(image)]
    assert np.array_equal(every("rotation=90:90", image), np.stack(wanted))


@given(image=arrays.arrays(np.uint8, (2, 2, 2)))
@settings(max_examples=10)
def test_single_pixels_take_every_value(image: np.ndarray) -> None:
    wanted = set()
    for place in range(image.size):
        for value in range(256):
            changed = image.copy()
            changed.ravel()[place] = value
            wanted.add(changed.tobytes())
    assert as_set(every("pixel", image)) == wanted
    assert len(wanted) == 255 * image.size + 1


@given(image=images, most=st.integers(1, 3))
@settings(max_examples=30)
def test_drop_out_lines_are_all_combinations_of_rows_or_of_columns(image: np.ndarray, most: int) -> None:
    wanted = {image.tobytes()}
    for axis, value, lines in product((0, 1), (image.min(), image.max()), range(1, most + 1)):
        for chosen in combinations(range(image.shape[axis]), lines):
            changed = image.copy()
            changed[(slice(None),) * axis + (list(chosen),)] = value
            wanted.add(changed.tobytes())
    assert as_set(every(f"dropout={most}", image)) == wanted


@given(among=st.integers(1, 9), data=st.data())
def test_combinations_are_numbered_without_a_gap(among: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, among))
    wanted = list(combinations(range(among), size))
    found = numbered(np.arange(len(wanted)), size, among)
    assert sorted(tuple(sorted(row)) for row in found.tolist()) == wanted


@given(image=images)
@settings(max_examples=20)
def test_two_in_turn_are_all_members_of_the_second_of_all_members_of_the_first(image: np.ndarray) -> None:
    wanted = [every("brightness=3", member) for member in every("shift=1", image)]
    assert np.array_equal(every("shift=1+brightness=3", image), np.concatenate(wanted))


@pytest.mark.parametrize("text", ["brightness=9", "contrast=1:0.1", "rotation=5:0.1"])
def test_the_image_itself_comes_first_and_near_members_before_far_ones(text: str) -> None:
    neighbourhood = one(text, np.zeros((4, 4, 1), np.uint8))
    distances = np.abs(neighbourhood.parameters(np.arange(neighbourhood.size))[:, 0])
    assert distances[0] == 0
    assert (np.diff(distances) >= 0).all()


def test_every_kind_of_neighbourhood_is_tried_here() -> None:
    kinds = {usage.partition("[")[0] for usage, _ in usages()}
    tried = [part.partition("=")[0] for text in [*TEXTS, *BOXES] for part in text.split("+")]
    assert kinds == {*tried}


@given(image=arrays.arrays(np.uint8, (3, 2, 2)), text=st.sampled_from(BOXES), data=st.data())
@settings(max_examples=40)
def test_members_of_boxes_are_those_that_brute_force_allows(image: np.ndarray, text: str, data: st.DataObject) -> None:
    [boxes] = asked(text, image.shape)
    assert isinstance(boxes, Boxes)
    assert boxes.contains(image, image)
    changed = image.copy()
    values = data.draw(arrays.arrays(np.uint8, (2, 2, 2)))
    down = data.draw(st.integers(0, 1))
    changed[down : down + 2] = values
    distance = np.abs(changed.astype(int) - image)
    one_pixel = distance.any(axis=2).sum() <= 1
    wanted = distance.max() <= 7 if text == "linf=7" else one_pixel
    assert boxes.contains(image, changed) == wanted
