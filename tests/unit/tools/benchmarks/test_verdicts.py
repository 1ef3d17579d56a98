"""Planted pairs have their faults, held-out inputs decide the truth, and verdicts are counted against it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from tools.benchmarks import verdicts

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.study.league.planted import faults, trained_networks
from quantrift.study.league.planted.conversion import LENET, RESIDUAL, int8
from quantrift.study.league.planted.pairs import SOUND, Pair
from quantrift.study.league.planted.stored_weights import EditedTFLite
from quantrift.study.league.planted.tinted_digits import Images
from quantrift.study.league.planted.trained_networks import KINDS, Trained
from quantrift.study.league.planted.truth import Share, Truth, _clustered, _wilson, held_out, truth

KIND = {kind.name: kind for kind in KINDS}


def images(channels: int, count: int = 64) -> np.ndarray:
    """Blobs, uint8."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (count, 7, 7, channels), np.uint8)
    return coarse.repeat(4, axis=1).repeat(4, axis=2)


def stack(name: str) -> Inputs:
    return KIND[name].inputs(images(3 if name == RESIDUAL else 1), np.arange(64) % 10)


def net(name: str) -> Trained:
    """A network with random weights, which says several classes."""
    keras.utils.set_random_seed(3)
    model, inputs = KIND[name].build(), stack(name)
    samples = inputs.take(inputs.test)
    rng = np.random.default_rng(1)
    # The converter leaves out a bias of 0.
    model.set_weights([one + rng.normal(0, 0.02, one.shape) if one.ndim == 1 else one for one in model.get_weights()])
    kernel, _ = model.get_layer("logits").get_weights()
    model.get_layer("logits").set_weights([kernel, -model.predict_on_batch(samples).mean(axis=0)])
    return Trained(KIND[name], model, model, samples, samples[:8], samples)


@pytest.fixture(scope="module")
def lenet() -> Trained:
    return net(LENET)


@pytest.fixture(scope="module")
def residual() -> Trained:
    return net(RESIDUAL)


def said(file: bytes, inputs: np.ndarray, folder: Path) -> np.ndarray:
    """Logits of a .tflite file."""
    path = folder / "model.tflite"
    path.write_bytes(file)
    return load_runtime("litert", path)(inputs)


@pytest.mark.slow
def test_a_class_is_never_said(lenet: Trained, tmp_path: Path) -> None:
    before = said(int8(lenet.model, lenet.samples), lenet.samples, tmp_path).argmax(axis=1)
    after = said(faults.never_said(lenet), lenet.samples, tmp_path).argmax(axis=1)
    assert (before == 5).any()
    assert not (after == 5).any()
    assert np.array_equal(before[before != 5], after[before != 5])


@pytest.mark.slow
def test_two_classes_are_swapped(lenet: Trained, tmp_path: Path) -> None:
    before = said(int8(lenet.model, lenet.samples), lenet.samples, tmp_path)
    after = said(faults.swapped(lenet), lenet.samples, tmp_path)
    assert np.array_equal(after[:, 4], before[:, 9])
    assert np.array_equal(after[:, 5], before[:, 5])


def test_a_logit_is_stuck(lenet: Trained, tmp_path: Path) -> None:
    after = said(faults.stuck(lenet), lenet.samples, tmp_path)
    assert np.ptp(after[:, 8]) == 0 < np.ptp(after[:, 7])


@pytest.mark.slow
def test_rows_and_columns_change_places(lenet: Trained, tmp_path: Path) -> None:
    turned = lenet.samples.transpose(0, 2, 1, 3)
    before = said(int8(lenet.model, lenet.samples), turned, tmp_path)
    after = said(faults.transposed(lenet), lenet.samples, tmp_path)
    # Ranges were measured on images that lie otherwise.
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.99


@pytest.mark.slow
def test_red_and_blue_change_places(residual: Trained, tmp_path: Path) -> None:
    expected = residual.model.predict_on_batch(residual.samples[..., ::-1])
    after = said(faults.channel_order(residual), residual.samples, tmp_path)
    straight = said(int8(residual.model, residual.samples), residual.samples, tmp_path)
    assert np.abs(after - expected).mean() < np.abs(straight - expected).mean() / 3


@pytest.mark.slow
def test_a_zero_point_off_by_3_is_3_times_the_weights_in_the_bias(lenet: Trained) -> None:
    files = EditedTFLite(int8(lenet.model, lenet.samples)), EditedTFLite(faults.wrong_zero_point(lenet))
    (weights, before), (same, after) = ([file.get(one).astype(np.int64) for one in file.layers[1]] for file in files)
    assert np.array_equal(weights, same)
    assert np.array_equal(after - before, 3 * weights.sum(axis=(1, 2, 3)))


def test_integers_that_are_stored_are_read_again(lenet: Trained) -> None:
    file, new = EditedTFLite(int8(lenet.model, lenet.samples)), np.arange(6, dtype=np.int32)
    file.put(file.layers[0][1], new)
    again = EditedTFLite(file.content())
    assert np.array_equal(again.get(again.layers[0][1]), new)


@pytest.mark.parametrize("name", [LENET, RESIDUAL])
@pytest.mark.slow
def test_the_large_channel_is_silent_and_costs_one_scale_for_all_much_more(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    one: Trained = request.getfixturevalue("lenet" if name == LENET else "residual")
    model = faults.badly_scaled(one)
    exact = model.predict_on_batch(one.samples)
    layer, behind = {LENET: ("conv2", "conv2"), RESIDUAL: ("block1_conv1", "block1_conv1_relu")}[name]
    largest = np.abs(model.get_layer(layer).get_weights()[0]).max(axis=(0, 1, 2))
    silent = int(largest.argmax())
    assert largest[silent] >= 15 * np.delete(largest, silent).max()
    channels = keras.Model(model.input, model.get_layer(behind).output).predict_on_batch(one.samples)
    assert channels[..., silent].max() == 0 < np.delete(channels, silent, axis=-1).max()
    by_channel = said(int8(model, one.samples), one.samples, tmp_path)
    for_all = said(faults.per_tensor(one), one.samples, tmp_path)
    assert np.abs(for_all - exact).mean() > 1.5 * np.abs(by_channel - exact).mean()


def test_every_recipe_names_networks_that_there_are_and_no_file_has_two() -> None:
    for recipes in (faults.FAULTS, SOUND):
        assert {name for one in recipes for name in one.networks} == set(KIND)
    names = [recipe.name for recipe in (*faults.FAULTS, *SOUND)]
    assert len(set(names)) == len(names)
    assert len(faults.FAULTS) >= 14
    assert sum(len(recipe.networks) for recipe in SOUND) >= 10


def shares(value: float, reach: float) -> Share:
    return Share(value, value - reach, value + reach)


@pytest.mark.parametrize(
    ("disagreement", "drop", "changes", "state"),
    [
        (shares(0.01, 0.005), shares(0.0, 0.001), shares(0.02, 0.01), "good"),
        (shares(0.06, 0.005), shares(0.0, 0.001), shares(0.02, 0.01), "broken"),
        (shares(0.01, 0.005), shares(0.04, 0.005), shares(0.02, 0.01), "broken"),
        (shares(0.01, 0.005), shares(0.0, 0.001), shares(0.08, 0.01), "broken"),
        (shares(0.052, 0.005), shares(0.0, 0.001), shares(0.02, 0.01), "borderline"),
        (shares(0.048, 0.005), shares(0.0, 0.001), shares(0.02, 0.01), "borderline"),
    ],
)
def test_intervals_decide_what_a_pair_is(disagreement: Share, drop: Share, changes: Share, state: str) -> None:
    assert Truth(1000, 1000, disagreement, drop, changes).state == state


def test_changes_of_one_input_count_as_one() -> None:
    rng = np.random.default_rng(0)
    disagree, seeds = rng.random(400) < 0.1, np.arange(400)
    one, copied = _clustered(disagree, seeds), _clustered(disagree.repeat(8), seeds.repeat(8))
    assert (copied.low, copied.high) == (pytest.approx(one.low), pytest.approx(one.high))
    assert one.low < one.value == disagree.mean() < one.high


def test_the_interval_of_changes_is_that_of_resampled_inputs() -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 8, 500)
    seeds = np.arange(500).repeat(sizes)
    disagree = rng.random(len(seeds)) < (rng.random(500) ** 3)[seeds]
    found = _clustered(disagree, seeds)
    sums = np.bincount(seeds, weights=disagree)
    drawn = rng.integers(0, 500, (4000, 500))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.005, 0.995])
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


def test_nothing_found_is_no_proof() -> None:
    assert _clustered(np.zeros(40, bool), np.arange(20).repeat(2)) == _wilson(0, 20)
    assert _wilson(0, 20).high > 0.2


@pytest.mark.slow
def test_truth_is_that_of_both_networks_on_held_out_inputs(lenet: Trained, tmp_path: Path) -> None:
    path = tmp_path / "float32.tflite"
    path.write_bytes(to_tflite(lenet.model))
    original = load_runtime("litert", path)
    given = stack(LENET)
    labels = original(given.take(given.test)).argmax(axis=1)
    of = held_out(given, replace(given, labels=labels), original)
    assert len(of.changed) > 20
    assert np.array_equal(original(of.changed).argmax(axis=1), of.original_changed)
    same = truth(of, original)
    assert (same.disagreement.value, same.accuracy_drop.value, same.dir.value) == (0, 0, 0)
    path.write_bytes(faults.swapped(lenet))
    other = truth(of, load_runtime("litert", path))
    assert other.disagreement.value == pytest.approx(np.isin(labels, (4, 9)).mean(), abs=0.05)
    # The labels are those that the original gives.
    assert other.accuracy_drop.value == other.disagreement.value
    assert other.state == "broken"


@pytest.mark.slow
def test_a_pair_that_did_not_change_is_not_assessed_again(
    lenet: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Path] = []

    def assessed(original: Path, compressed: Path, inputs: Path) -> dict[str, Any]:
        calls.append(compressed)
        return {"verdict": "pass"}

    monkeypatch.setattr(verdicts, "assessed", assessed)
    files = {name: tmp_path / f"{name}.tflite" for name in ("original", "compressed")}
    for file in files.values():
        file.write_bytes(to_tflite(lenet.model))
    every, labels = images(1), np.arange(64) % 10
    data = Images("blobs", every, labels, every, labels, every, labels)
    pair = Pair(LENET, "float32", "", False, files["original"], files["compressed"], files["original"])
    rows = [row for _ in range(2) for row in verdicts.judged(KIND[LENET], data, tmp_path, [pair])]
    assert len(calls) == 1
    assert rows[0] == rows[1]
    assert rows[0]["data"] == "blobs"
    files["compressed"].write_bytes(faults.swapped(lenet))
    [again] = verdicts.judged(KIND[LENET], data, tmp_path, [pair])
    assert again["disagreement"]["value"] > 0
    assert len(calls) == 2


def test_an_assessment_that_refuses_is_told(tmp_path: Path) -> None:
    found = verdicts.assessed(tmp_path / "none.keras", tmp_path / "none.tflite", tmp_path / "none.npz")
    assert found["verdict"] == "refused"
    assert "none.npz" in found["evidence"]
    assert found["layer"] is None


def row(kind: str, state: str, verdict: str, planted: bool = True, layer: str | None = None) -> dict[str, Any]:
    share = {"value": 0.05, "low": 0.04, "high": 0.06}
    measured = {"disagreement": share, "accuracy_drop": share, "dir": share}
    told = {"verdict": verdict, "layer": layer, "inputs_needed": None, "reasons": ["one", "two"]}
    return {"network": "n", "kind": kind, "planted": planted, "data": "d", "inputs": 9500, **measured, **told} | {
        "state": state
    }


ROWS = [
    row("a", "broken", "fail"),
    row("a", "broken", "pass"),
    row("b", "broken", "fail"),
    row("c", "borderline", "fail"),
    row("d", "good", "pass", planted=False, layer="conv1"),
    row("e", "good", "fail"),
    row("f", "good", "refused", planted=False),
]


def test_verdicts_are_counted_against_what_pairs_are() -> None:
    counts = verdicts.counted(ROWS)
    assert (counts["broken"], counts["good"], counts["borderline"]) == (3, 3, 1)
    assert (counts["broken_fail"], counts["broken_pass"], counts["broken_inconclusive"]) == (2, 1, 0)
    assert (counts["good_pass"], counts["good_fail"], counts["good_refused"]) == (1, 1, 1)
    # A kind counts where every network that it broke fails.
    assert (counts["broken_kinds"], counts["broken_kinds_fail"]) == (2, 1)
    assert counts["good_suspected"] == 1
    assert [verdicts.wrong(one) for one in ROWS] == [False, True, False, False, False, True, False]


def test_people_get_the_counts_and_the_pairs_with_the_opposite_verdict() -> None:
    text = verdicts.text(ROWS)
    assert "| broken | 3 | 1 | 0 | 2 | 0 |" in text
    assert "Wrong verdicts: n, a: broken, **pass**; n, e: good, **fail**." in text
    assert "Faults that broke a network: a, b. Of these 2 kinds 1 fail in every network that they broke." in text


@pytest.mark.slow
def test_networks_that_lie_in_their_folder_are_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trained_networks, "reproducible", lambda settings: None)
    few = Images("blobs", images(1, 260), np.arange(260) % 10, *(images(1, 2), np.arange(2)) * 2)
    kind = KIND[LENET]
    first = trained_networks.trained(kind, few, tmp_path)
    monkeypatch.setattr(trained_networks, "fit", None)
    again = trained_networks.trained(kind, few, tmp_path)
    probe = first.samples[:4]
    assert np.array_equal(first.model.predict_on_batch(probe), again.model.predict_on_batch(probe))
    assert not np.allclose(first.model.predict_on_batch(probe), first.early.predict_on_batch(probe))
    assert (len(first.samples), len(first.others)) == (200, 50)
