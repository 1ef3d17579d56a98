"""Each distortion is as strong as the median of its inputs allows, whatever the networks say."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import inputs

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.search.calibrated import Calibrated, read, write
from quantrift.core.search.constraints import psnr
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.strength_search import Sample, calibrate, of_settings
from quantrift.core.settings.calibrations import Calibration

GREY = inputs.images(np.full((300, 2, 3, 1), 255), train=np.arange(300), test=inputs.NONE)
"""Images of ones, so that adding a to every pixel gives a PSNR of -20 log10(a)."""
TWENTY_DB = psnr.bind(psnr.Params(), Domain((2, 3, 1), 0, 1))
SMALL = Sample(inputs=20, draws=3, compounds=40, steps=20)


@dataclass(frozen=True)
class Switch:
    """Where a distortion is switched on."""

    name: str
    activation: int


class Additions:
    """Distortions that add a number to all pixels: each a switch, its number times its strength."""

    def __init__(self, amounts: Mapping[str, float], strengths: Mapping[str, float]) -> None:
        self.blocks = [Switch(name, place) for place, name in enumerate(amounts)]
        self.amounts = np.array([amount * strengths.get(name, 1) for name, amount in amounts.items()])
        self.shape: tuple[int, ...] = (len(amounts),)
        self.lower, self.upper = np.zeros(self.shape, np.float32), np.ones(self.shape, np.float32)
        self.integer = np.ones(self.shape, bool)
        self.distortions = tuple(amounts)

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """All of them are switches."""
        return (candidates.astype(np.uint32) << np.arange(len(self.blocks), dtype=np.uint32)).sum(axis=1)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Switches by coin."""
        return rng.integers(0, 2, (n, *self.shape)).astype(np.float32)

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Add up what is switched on."""
        added = (candidates * self.amounts).sum(axis=1)[:, None, None, None]
        return (originals.inputs[rows] + added).astype(np.float32)


def calibrated(amounts: Mapping[str, float], sample: Sample = SMALL) -> Calibrated:
    return calibrate(GREY, lambda strengths: Additions(amounts, strengths), TWENTY_DB, sample)


@given(st.floats(0.02, 1.9))
@settings(max_examples=30)
def test_a_strength_is_the_largest_at_which_the_median_is_valid(amount: float) -> None:
    found = calibrated({"add": amount})
    points = found.curves["add"]
    assert [point.strength for point in points] == pytest.approx([1 - step / 20 for step in range(20)])
    [chosen] = [point for point in points if point.strength == found.strengths["add"]]
    assert chosen.reached
    # 20 dB is a tenth of the peak.
    assert amount * chosen.strength <= 0.1001
    assert chosen.strength == 1 or amount * (chosen.strength + 0.05) >= 0.0999


def test_a_distortion_that_is_never_mild_enough_gets_the_least_strength_and_says_so() -> None:
    found = calibrated({"flood": 3.0, "trickle": 0.01})
    assert found.strengths == {"flood": 0.05, "trickle": 1.0}
    assert not found.chosen["flood"].reached
    assert found.chosen["trickle"].reached


def test_each_distortion_is_tried_without_the_others() -> None:
    alone, beside = calibrated({"add": 0.39}), calibrated({"add": 0.39, "flood": 3.0})
    assert beside.curves["add"] == alone.curves["add"]
    assert beside.chosen["add"].median_psnr == pytest.approx(-20 * np.log10(0.39 * 0.25), abs=1e-4)


def test_inputs_that_stay_as_they_are_count_as_infinitely_near_and_are_counted() -> None:
    found = calibrated({"nothing": 0.0, "add": 0.05})
    assert found.chosen["nothing"].median_psnr == np.inf
    assert (found.chosen["nothing"].identical, found.chosen["nothing"].valid) == (1.0, 1.0)
    assert found.chosen["add"].identical == 0.0


def test_validity_of_compounds_is_measured_before_and_after_and_changes_no_strength() -> None:
    amounts = {"one": 0.16, "other": 0.16}
    found = calibrated(amounts)
    assert found.strengths == {"one": 0.6, "other": 0.6}
    # Valid: nothing at full strength but the input itself; afterwards all but both together.
    assert found.vr_full == pytest.approx(1 / 4, abs=0.05)
    assert found.vr == pytest.approx(3 / 4, abs=0.05)
    assert found.fit is None


@pytest.mark.parametrize(("anchor", "vr"), [(0.75, 3 / 4), (0.25, 1 / 4), (0.97, 1.0)])
def test_an_anchor_is_fitted_by_one_factor_on_all_strengths(anchor: float, vr: float) -> None:
    amounts = {"one": 0.16, "other": 0.16}
    found = calibrated(amounts, replace(SMALL, anchor=anchor))
    plain = calibrated(amounts)
    assert found.fit is not None
    assert found.vr == pytest.approx(vr, abs=0.05)
    scaled = {name: min(1, strength * found.fit.factor) for name, strength in plain.strengths.items()}
    assert found.strengths == pytest.approx(scaled)
    assert found.curves == plain.curves


@pytest.mark.parametrize(
    ("anchor", "strengths"), [(0.9, {"flood": 0.05 * 0.05, "add": 0.5 * 0.05}), (0.1, {"flood": 1.0, "add": 1.0})]
)
def test_an_anchor_out_of_reach_takes_the_nearer_end_and_says_so(anchor: float, strengths: dict[str, float]) -> None:
    found = calibrated({"flood": 1000.0, "add": 0.19}, replace(SMALL, anchor=anchor))
    assert found.fit is not None
    assert not found.fit.reached
    assert found.strengths == pytest.approx(strengths)


def test_more_inputs_than_there_are_means_all_of_them() -> None:
    assert calibrated({"add": 0.4}, replace(SMALL, inputs=1000)).inputs == 300
    assert calibrated({"add": 0.4}).inputs == 20


def hsi(**changes: Any) -> dict[str, Any]:
    """Settings of a small calibration of the hyperspectral space."""
    stated = {"space": "hsi_distortions", "constraint": "psnr", "inputs": 10, "draws": 4, "compounds": 5, "steps": 5}
    return Calibration.model_validate(stated | changes).model_dump(mode="json", exclude={"title"})


def test_every_distortion_of_the_hyperspectral_space_gets_a_strength_and_a_file_keeps_all(
    tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    found = of_settings(hsi(), tiny_scene)
    assert list(found.strengths) == found.settings["space"]["params"]["distortions"]
    assert all(point.median_psnr >= 20 for point in found.chosen.values() if point.reached)
    assert found.chosen["salt_and_pepper"].strength < found.chosen["spatial_gaussian"].strength == 1
    assert found.threshold == 20
    write(found, tmp_path / "psnr.json")
    assert read(tmp_path / "psnr.json") == found
    assert of_settings(hsi(), tiny_scene) == found


def test_a_fit_survives_the_file(tiny_scene: ScenePatches, tmp_path: Path) -> None:
    found = of_settings(hsi(anchor=0.2, space={"hsi_distortions": {"distortions": ["zoom", "stripping"]}}), tiny_scene)
    write(found, tmp_path / "anchor.json")
    assert read(tmp_path / "anchor.json") == found


def test_other_test_inputs_change_nothing(tiny_scene: ScenePatches) -> None:
    fewer = replace(tiny_scene, test=tiny_scene.test[:5])
    assert of_settings(hsi(), fewer) == of_settings(hsi(), tiny_scene)
