"""Networks in files become subjects like those trained here."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories import inputs

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ImageStack, ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.given_original import adopt
from quantrift.core.settings.datasets import SourceFile
from quantrift.core.settings.model_files import ModelFile
from quantrift.study.compression.build import build
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8

RNG = np.random.default_rng(0)
FILES = {"original.tflite", "confusion.csv", "model.json", "model.timing.json"}


def settings_of(file: Path) -> ModelFile:
    return ModelFile(source="file", original=SourceFile(path=f"models/{file.name}", sha256="0" * 64))


@pytest.fixture(scope="module")
def greys() -> ImageStack:
    """60 images of 8x8 in three greys."""
    labels = np.arange(60) % 3
    images = RNG.integers(0, 40, (60, 8, 8, 1)) + 80 * labels[:, None, None, None]
    names, train, test = ["dark", "grey", "light"], np.arange(40), np.arange(40, 60)
    return inputs.images(images, labels, names, dataset="greys", train=train, test=test)


@pytest.fixture(scope="module")
def greys_path(greys: ImageStack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("greys") / "inputs.npz"
    greys.save(path)
    return path


def network(classes: int = 3, side: int = 8, last: str = "softmax") -> keras.Model:
    """A network with batch normalisation, random weights."""
    keras.utils.set_random_seed(0)
    given = keras.Input((side, side, 1))
    x = layers.BatchNormalization(moving_variance_initializer="ones", beta_initializer="random_normal")(
        layers.Conv2D(4, 3)(given)
    )
    x = layers.Flatten()(layers.ReLU()(x))
    return keras.Model(given, layers.Dense(classes, activation=last)(x), name="greys")


@pytest.mark.slow
def test_a_keras_network_becomes_what_training_leaves(greys: ImageStack, greys_path: Path, tmp_path: Path) -> None:
    model, file = network(), tmp_path / "greys.h5"
    model.save(file)
    adopt("mine", settings_of(file), file, greys_path, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"model.keras", "twin.keras", *FILES}
    x, truth = greys.take(greys.test), greys.labels[greys.test]
    facts = read_json(tmp_path / "out" / "model.json")
    expected = model.predict_on_batch(x).argmax(axis=1)
    assert facts["accuracy"] == facts["keras_accuracy"] == (expected == truth).mean()
    assert (facts["twin_flips"], facts["runtime_flips"], facts["conv3d_mac_share"]) == (0, 0, 0)
    assert facts["runtime_max_difference"] < 1e-4
    assert facts["parameters"] == 9 * 4 + 4 + 2 * 4 + 144 * 3 + 3
    assert facts["macs"] == facts["twin_macs"] == 36 * 9 * 4 + 144 * 3
    assert facts["file"] == {"name": "greys.h5", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    assert facts["settings"]["kind"] == "images"
    twin = load(tmp_path / "out" / "twin.keras")
    assert not any(isinstance(layer, layers.BatchNormalization) for layer in twin.layers)
    # It is compressed like any other, too.
    lenient = PtqInt8(representative=20, max_accuracy_loss=0.5)
    build("ptq_int8", lenient, tmp_path / "out", greys_path, tmp_path / "int8")
    assert read_json(tmp_path / "int8" / "compression.json")["int8_mac_share"] == 1


@pytest.mark.slow
def test_adopting_again_writes_the_same_bytes(greys_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "greys.keras"
    keras.Sequential([keras.Input((8, 8)), layers.Flatten(), layers.Dropout(0.5), layers.Dense(3)]).save(file)
    for folder in ("one", "two"):
        adopt("mine", settings_of(file), file, greys_path, tmp_path / folder)
    for path in (tmp_path / "one").iterdir():
        if path.name != "model.timing.json":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_a_tflite_network_stays_as_it_is(greys: ImageStack, greys_path: Path, tmp_path: Path) -> None:
    model, file = network(classes=5), tmp_path / "greys.tflite"
    file.write_bytes(to_tflite(model))
    adopt("mine", settings_of(file), file, greys_path, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert (tmp_path / "out" / "original.tflite").read_bytes() == file.read_bytes()
    facts = read_json(tmp_path / "out" / "model.json")
    expected = model.predict_on_batch(greys.take(greys.test)).argmax(axis=1)
    assert facts["accuracy"] == (expected == greys.labels[greys.test]).mean()
    assert facts["parameters"] is facts["macs"] is facts["runtime_flips"] is None
    header = (tmp_path / "out" / "confusion.csv").read_text().splitlines()[0]
    assert header == "true class,dark,grey,light,output 3,output 4", "a network may tell more classes"


@pytest.mark.slow
def test_a_trained_network_of_ours_is_read_like_any_other(
    trained: Path, tiny_scene: ScenePatches, scene_path: Path, tmp_path: Path
) -> None:
    file = trained / "model.keras"
    adopt("mine", settings_of(file), file, scene_path, tmp_path)
    ours, theirs = read_json(trained / "model.json"), read_json(tmp_path / "model.json")
    same = ("accuracy", "keras_accuracy", "parameters", "macs", "conv3d_mac_share", "test_inputs")
    assert {key: theirs[key] for key in same} == {key: ours[key] for key in same}
    assert set(ours) | {"file"} == set(theirs)
    # Its 3-D convolutions stay: nobody says how they could be folded.
    assert theirs["twin_macs"] == theirs["macs"]
    x = tiny_scene.take(tiny_scene.test)
    np.testing.assert_allclose(
        LiteRT(tmp_path / "original.tflite")(x), LiteRT(trained / "original.tflite")(x), atol=1e-4
    )


@pytest.mark.slow
def test_what_cannot_be_folded_or_counted_stays_and_is_left_open(greys_path: Path, tmp_path: Path) -> None:
    given = keras.Input((8, 8, 1))
    x = layers.Flatten()(layers.BatchNormalization(axis=1)(layers.SeparableConv2D(2, 3)(given)))
    keras.Model(given, layers.Dense(3)(x)).save(file := tmp_path / "odd.keras")
    adopt("mine", settings_of(file), file, greys_path, tmp_path / "out")
    facts = read_json(tmp_path / "out" / "model.json")
    assert facts["macs"] is facts["twin_macs"] is facts["conv3d_mac_share"] is None
    assert facts["twin_max_difference"] == 0


def broken() -> keras.Model:
    model = network()
    model.layers[-1].set_weights([np.full((144, 3), np.nan), np.zeros(3)])
    return model


def averaged() -> keras.Model:
    x = keras.Input((8, 8, 1))
    both = [layers.Dense(3, activation="softmax")(layers.Flatten()(x)) for _ in range(2)]
    return keras.Model(x, layers.Average()(both))


@pytest.mark.parametrize("suffix", [".keras", ".tflite"])
@pytest.mark.parametrize(
    ("build_it", "match"),
    [
        (lambda: network(side=9), r"made for inputs \(9, 9, 1\), dataset 'greys' has \(8, 8, 1\);"),
        (
            lambda: network(classes=2),
            r"has 2 outputs, dataset 'greys' has 3 classes: there are labels outside the classes",
        ),
        (broken, r"gives NaN or infinity on 20 of 20 test inputs"),
        (averaged, r"gives probabilities, but ends in no softmax"),
        (lambda: network(last="sigmoid"), "ends in a sigmoid"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_and_leaves_nothing(
    build_it: Callable[[], keras.Model], match: str, suffix: str, greys_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / f"wrong{suffix}"
    if suffix == ".tflite":
        file.write_bytes(to_tflite(build_it()))
    else:
        build_it().save(file)
    with pytest.raises(QuantriftError, match=match) as error:
        adopt("mine", settings_of(file), file, greys_path, tmp_path / "out")
    assert file.name in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_network_whose_results_depend_on_their_neighbours_is_refused(greys_path: Path, tmp_path: Path) -> None:
    given = keras.Input((8, 8, 1))
    flat = layers.Flatten()(given)
    model = keras.Model(given, layers.Dense(3)(flat + keras.ops.mean(flat, axis=0, keepdims=True)))
    (tmp_path / "mean.tflite").write_bytes(to_tflite(model))
    with pytest.raises(QuantriftError, match="depends on the inputs beside it"):
        adopt("mine", settings_of(tmp_path / "mean.tflite"), tmp_path / "mean.tflite", greys_path, tmp_path / "out")
