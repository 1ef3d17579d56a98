"""Compressed networks in files are described like those made here."""

import os
from pathlib import Path

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from keras import layers
from tests.factories import configurations

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, sha256
from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.given_original import adopt as adopt_model
from quantrift.core.settings.datasets import SourceFile
from quantrift.core.settings.model_files import ModelFile
from quantrift.study.compression.given_compressed import adopt
from quantrift.study.datasets.kinds import idx_images
from quantrift.study.datasets.official import Places

FILES = {"model.tflite", "audit.json", "compression.json", "margins.npz"}


def test_a_file_made_here_is_described_the_same(
    compressed: Path, trained: Path, scene_path: Path, tmp_path: Path
) -> None:
    adopt("ptq_int8", compressed / "model.tflite", trained, scene_path, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == FILES
    ours, theirs = read_json(compressed / "compression.json"), read_json(tmp_path / "compression.json")
    del ours["degraded"]
    assert theirs == ours | {"settings": {}, "conv3d_float_share": None}
    for name in ("model.tflite", "audit.json", "margins.npz"):
        assert (tmp_path / name).read_bytes() == (compressed / name).read_bytes()


def test_a_bad_compression_is_described_and_not_refused(trained: Path, scene_path: Path, tmp_path: Path) -> None:
    keras.utils.set_random_seed(0)
    untrained = keras.Sequential([keras.Input((9, 9, 13)), layers.Flatten(), layers.Dense(3, activation="softmax")])
    (tmp_path / "bad.tflite").write_bytes(to_tflite(untrained))
    adopt("bad", tmp_path / "bad.tflite", trained, scene_path, tmp_path / "out")
    facts = read_json(tmp_path / "out" / "compression.json")
    assert facts["accuracy"] < facts["accuracy_original"] - 0.1
    assert facts["int8_mac_share"] == 0


@pytest.mark.parametrize(
    ("shape", "classes", "match"),
    [((9, 9, 12), 3, r"made for inputs \(9, 9, 12\)"), ((9, 9, 13), 4, "has 4 outputs, its original 3")],
)
def test_another_network_is_refused(
    trained: Path, scene_path: Path, tmp_path: Path, shape: tuple[int, ...], classes: int, match: str
) -> None:
    file = tmp_path / "other.tflite"
    file.write_bytes(to_tflite(keras.Sequential([keras.Input(shape), layers.Flatten(), layers.Dense(classes)])))
    with pytest.raises(QuantriftError, match=match):
        adopt("other", file, trained, scene_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def mnist(tmp_path_factory: pytest.TempPathFactory) -> ImageStack:
    """The official test images, and a few for training."""
    settings = configurations.of_scale("sample").datasets["mnist"]
    assert isinstance(settings, idx_images.Settings)
    arrays = idx_images.arrays(settings, Places(mirror=Path(os.environ["QUANTRIFT_MIRROR"])))
    return ImageStack(
        dataset="mnist",
        title=settings.title,
        class_names=settings.class_names,
        images=arrays["images"],
        labels=arrays["labels"],
        train=arrays["train"],
        validation=np.empty(0, np.int64),
        test=arrays["test"],
    )


@pytest.mark.mirror
@pytest.mark.slow
def test_diffchasers_published_pair_has_its_accuracies_and_its_differences(mnist: ImageStack, tmp_path: Path) -> None:
    folder = Path(os.environ["QUANTRIFT_MIRROR"]) / "models" / "diffchaser"
    original, file = folder / "lenet1.h5", folder / "lenet1-quan.lite"
    mnist.save(tmp_path / "inputs.npz")
    settings = ModelFile(source="file", original=SourceFile(path=original.name, sha256=sha256(original)))
    adopt_model("lenet1", settings, original, tmp_path / "inputs.npz", tmp_path / "lenet1")
    adopt("quan", file, tmp_path / "lenet1", tmp_path / "inputs.npz", tmp_path / "quan")
    facts = read_json(tmp_path / "lenet1" / "model.json")
    assert (facts["accuracy"], facts["keras_accuracy"], facts["runtime_flips"]) == (0.9788, 0.9788, 0)
    found = read_json(tmp_path / "quan" / "compression.json")
    assert (found["accuracy_original"], found["accuracy"], found["flips"]) == (0.9788, 0.9784, 9)
    assert found["test_inputs"] == 10_000
    weights = {op["weights"] for op in read_json(tmp_path / "quan" / "audit.json")["ops"] if op["macs"]}
    assert weights == {"FLOAT32", "UINT8"}

    # The file takes one image at a time; what it says of them is the same in batches.
    interpreter = Interpreter(model_path=str(file), num_threads=1)
    interpreter.allocate_tensors()
    [given], [result] = interpreter.get_input_details(), interpreter.get_output_details()
    x = mnist.take(mnist.test[:300])
    labels = []
    for row in x:
        interpreter.set_tensor(given["index"], row[None])
        interpreter.invoke()
        labels.append(int(interpreter.get_tensor(result["index"]).argmax()))
    runtime = LiteRT(file)
    assert runtime(x).argmax(axis=1).tolist() == labels
    np.testing.assert_array_equal(runtime(x), np.concatenate([runtime(x[n : n + 1]) for n in range(300)]))
