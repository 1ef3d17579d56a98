"""Profiles of neurons, and pairs of networks that show theirs."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.layer_values.neuron_ranges import measure
from quantrift.core.networks.layer_values.neurons import Neurons
from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.observed_pair import ObservedPair, load_observed
from quantrift.core.pairs.pair import Pair, PairFiles


@pytest.fixture(scope="module")
def profile(trained: Path, tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of the profile of ``trained``, whose first neuron never changes."""
    found = measure(Neurons(trained / "original.tflite"), tiny_scene)
    found.high[0] = found.low[0]
    path = tmp_path_factory.mktemp("profile") / "profile.npz"
    found.write(path)
    return path


def test_a_profile_holds_the_extremes_over_all_training_inputs(
    trained: Path, tiny_scene: ScenePatches, capsys: pytest.CaptureFixture[str]
) -> None:
    path = trained / "original.tflite"
    found = measure(Neurons(path), tiny_scene)
    _, values = Neurons(path)(tiny_scene.take(tiny_scene.train))
    assert found.layers.tolist() == Neurons(path).layers.tolist()
    assert (found.low.dtype, found.high.dtype) == (np.float32, np.float32)
    np.testing.assert_array_equal(found.low, values.min(axis=0))
    np.testing.assert_array_equal(found.high, values.max(axis=0))
    assert "profiling neurons" in capsys.readouterr().err


def test_a_profile_reads_back_and_holds_no_pickles(profile: Path) -> None:
    found = Profile.read(profile)
    with np.load(profile, allow_pickle=False) as file:
        assert sorted(file.files) == ["high", "layers", "low"]
    again = profile.with_name("again.npz")
    found.write(again)
    assert again.read_bytes() == profile.read_bytes()


def test_with_a_profile_a_pair_tells_the_neurons_that_both_networks_have(
    trained: Path, compressed: Path, profile: Path, tiny_scene: ScenePatches
) -> None:
    files = trained / "original.tflite", compressed / "model.tflite"
    x = tiny_scene.take(tiny_scene.test)
    plain, observed = given_pair.load(PairFiles(original=files[0], compressed=files[1])), load_observed(*files, profile)
    assert isinstance(plain, Pair)
    assert isinstance(observed, ObservedPair)
    before, after = plain(x), observed(x)
    assert before.neurons_original is None
    assert before.original.tobytes() == after.original.tobytes()
    assert before.compressed.tobytes() == after.compressed.tobytes()

    seen = Profile.read(profile)
    alive = seen.low < seen.high
    assert not alive[0]
    for values, path in zip((after.neurons_original, after.neurons_compressed), files, strict=True):
        assert values is not None
        assert values.flags.c_contiguous
        np.testing.assert_array_equal(values, Neurons(path)(x)[1][:, alive])
    np.testing.assert_array_equal(observed.profile.low, seen.low[alive])
    np.testing.assert_array_equal(observed.profile.high, seen.high[alive])
    assert len(load_observed(*files, profile)(x[:0]).original) == 0


def small(path: Path, name: str) -> Path:
    """File of a network with one inner layer, in width as long as its name."""
    stack = layers.Flatten(), layers.Dense(len(name), "relu", name=name), layers.Dense(3)
    path.write_bytes(to_tflite(keras.Sequential([keras.Input((9, 9, 13)), *stack])))
    return path


@pytest.mark.slow
def test_networks_without_common_neurons_are_refused_with_another_objective(
    tmp_path: Path, tiny_scene: ScenePatches
) -> None:
    original, student = small(tmp_path / "original.tflite", "wide_layer"), small(tmp_path / "student.tflite", "narrow")
    measure(Neurons(original), tiny_scene).write(tmp_path / "profile.npz")
    with pytest.raises(
        QuantriftError, match="shares no neurons with .* choose an objective that looks at outputs"
    ) as e:
        load_observed(original, student, tmp_path / "profile.npz")
    assert "\n" not in str(e.value)
    assert isinstance(given_pair.load(PairFiles(original=original, compressed=student)), Pair)


def test_a_profile_of_another_network_is_refused(trained: Path, profile: Path, tmp_path: Path) -> None:
    other = small(tmp_path / "other.tflite", "wide_layer")
    with pytest.raises(QuantriftError, match="made of another network"):
        load_observed(other, other, profile)
