"""Files that store their numbers behind the table are read like those that store them within.

ai-edge-quantizer writes large networks so.
"""

import re
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from tests.factories.tflite_buffers import behind

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.batches import largest
from quantrift.core.networks.graphs.tflite_start import GivenTFLite
from quantrift.core.networks.layer_values.tflite_layers import CutTFLite
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.pairs.tflite_to_tensorflow import Translation
from quantrift.judge.certify.bounds import tflite_chain
from quantrift.judge.intake.example import paths
from quantrift.judge.mend.mixed_tflite import manner

Files = tuple[Path, Path]
"""A file, and the same with its numbers behind the table."""


@pytest.fixture(scope="module", params=["float", "int8"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("behind")
    within, other = folder / "within.tflite", folder / "behind.tflite"
    of = {"float": lambda: to_tflite(keras.models.load_model(paths().original)), "int8": paths().int8.read_bytes}
    within.write_bytes(of[request.param]())
    other.write_bytes(behind(within.read_bytes()))
    return within, other


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return np.random.default_rng(0).random((5, 28, 28, 1), np.float32)


def test_runtimes_say_the_same(files: Files, images: np.ndarray) -> None:
    first, second = (LiteRT(file)(images) for file in files)
    assert np.array_equal(first, second)


def test_audits_count_the_same_weights(files: Files) -> None:
    first, second = map(audit, files)
    assert first == second
    assert sum(first["constants"].values()) > 1500


def test_the_manner_of_quantization_and_the_largest_activation_are_the_same(files: Files) -> None:
    first, second = files
    assert manner(first) == manner(second)
    assert largest(first.read_bytes()) == largest(second.read_bytes())
    one, other = (GivenTFLite(file.read_bytes()) for file in (first, second))
    assert str(one.start(one.changed)) == str(other.start(other.changed))


def test_bounds_hold_for_the_same_layers(files: Files) -> None:
    first, second = (tflite_chain.read(file)[0] for file in files)
    with np.printoptions(threshold=sys.maxsize, precision=17):
        # Functions stand in them by their place in memory.
        one, other = ([re.sub(r" at 0x\w+>", "", repr(layer)) for layer in layers] for layers in (first, second))
        assert one == other


def test_gradients_are_followed_through_the_same_numbers(files: Files, images: np.ndarray) -> None:
    import tensorflow as tf

    first, second = (Translation(file).logits(tf.constant(images)).numpy() for file in files)
    assert np.array_equal(first, second)


@pytest.mark.parametrize("files", ["float"], indirect=True)
def test_networks_cut_behind_a_layer_give_the_same(files: Files, images: np.ndarray) -> None:
    first, second = (file.read_bytes() for file in files)
    *_, tensor = GivenTFLite(first).makers
    [one, other] = (CutTFLite(content, [tensor])(images, {})[tensor] for content in (first, second))
    assert np.array_equal(one, other)


def test_a_file_that_ends_too_early_is_damaged(files: Files, tmp_path: Path) -> None:
    cut = tmp_path / "cut.tflite"
    cut.write_bytes(files[1].read_bytes()[:-1500])
    with pytest.raises(QuantriftError, match=r"cut\.tflite: damaged \.tflite file"):
        audit(cut)
