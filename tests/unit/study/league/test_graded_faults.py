"""Faults that are planted in files do what they say, alike in both kinds of files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.factories.quantized_files import Made, blobs, classifier, made

from quantrift.core.networks.layer_comparison import layered
from quantrift.study.league.outputs import logits
from quantrift.study.league.planted.graded_pairs import EDITS
from quantrift.study.league.planted.stored_weights import Edited, rounded
from quantrift.study.league.planted_pairs import first_changed

SUFFIXES = (".tflite", ".onnx")


@pytest.fixture(scope="module")
def contents() -> dict[str, Made]:
    return made(classifier())


def file(contents: dict[str, Made], suffix: str) -> Edited:
    return contents[suffix].edited(contents[suffix].int8)


def written(folder: Path, name: str, suffix: str, content: bytes) -> Path:
    path = folder / f"{name}{suffix}"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_logit_alone_is_lower(suffix: str, contents: dict[str, Made], tmp_path: Path) -> None:
    edited = file(contents, suffix)
    before = logits(written(tmp_path, "good", suffix, contents[suffix].int8), blobs())
    amount = 0.1 * float(np.ptp(before))
    # The highest logit, as the file holds none that is below its range.
    label = int(before.mean(axis=0).argmax())
    edited.lower(label, amount)
    after = logits(written(tmp_path, "lower", suffix, edited.content()), blobs())
    others = np.arange(4) != label
    assert np.array_equal(before[:, others], after[:, others])
    assert (before - after)[:, label].mean() == pytest.approx(amount, rel=0.1)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_dead_channels_are_0_and_the_others_as_before(suffix: str, contents: dict[str, Made], tmp_path: Path) -> None:
    edited = file(contents, suffix)
    assert list(edited.outputs) == [6, 8, 4]
    edited.silence(0, np.array([1, 4]))
    paths = [
        written(tmp_path, "good", suffix, contents[suffix].int8),
        written(tmp_path, "dead", suffix, edited.content()),
    ]
    good, dead = (layered(path, 80) for path in paths)
    axis = 1 if suffix == ".onnx" else -1
    # An .onnx file has turned its axes before, under the name of the same layer.
    name = next(name for name, one in good(blobs()).items() if "first" in name and one.shape[axis] == 6)
    before, after = (np.moveaxis(network(blobs())[name], axis, 0) for network in (good, dead))
    assert np.ptp(before[[1, 4]]) > 0
    assert not after[[1, 4]].any()
    assert np.array_equal(np.delete(before, [1, 4], axis=0), np.delete(after, [1, 4], axis=0))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_rounded_weights_stay_as_they_are_when_rounded_again(suffix: str, contents: dict[str, Made]) -> None:
    edited = file(contents, suffix)
    edited.round(1, 4)
    once = edited.content()
    again = contents[suffix].edited(once)
    again.round(1, 4)
    assert once != file(contents, suffix).content()
    assert again.content() == once


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_layer_of_a_fault_is_the_first_that_changes(suffix: str, contents: dict[str, Made], tmp_path: Path) -> None:
    original = written(tmp_path, "original", suffix, contents[suffix].original)
    good = written(tmp_path, "good", suffix, contents[suffix].int8)
    for number, expected in ((0, "first"), (1, "second")):
        edited = file(contents, suffix)
        edited.shift_zero_point(number, 20)
        broken = written(tmp_path, "broken", suffix, edited.content())
        assert expected in str(first_changed(original, good, broken, blobs()))
    assert first_changed(original, good, good, blobs()) is None


@pytest.mark.parametrize("name", EDITS)
def test_a_fault_of_any_strength_lies_in_the_same_layer(name: str, contents: dict[str, Made], tmp_path: Path) -> None:
    suffix = ".tflite"
    original = written(tmp_path, "original", suffix, contents[suffix].original)
    good = written(tmp_path, "good", suffix, contents[suffix].int8)
    found = set()
    strengths, edit = EDITS[name]
    for strength in strengths[-2:]:
        edited = file(contents, suffix)
        edit(edited, strength, np.random.default_rng(2), 1.0)
        found.add(first_changed(original, good, written(tmp_path, "broken", suffix, edited.content()), blobs()))
    assert len(found) == 1
    assert None not in found


@given(some.integers(-127, 127), some.integers(1, 6))
def test_weights_without_their_lowest_bits_stay_near_and_within_range(weight: int, lost: int) -> None:
    [found] = rounded(np.array([weight]), lost)
    assert found % 2**lost == 0
    assert abs(found) <= 127
    assert abs(found - weight) < 2**lost
