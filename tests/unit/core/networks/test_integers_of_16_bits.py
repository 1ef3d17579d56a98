"""Networks whose inputs and outputs are integers of 16 bits, as converters for weights of 8 and activations of 16 make
them."""

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from keras import layers
from tests.factories.networks import chain

from quantrift.core.networks.graphs.first_operations import Start
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.judge.intake.expected_ranges import expected

IMAGES = np.random.default_rng(0).random((7, 6, 5, 3), np.float32)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A convolution and a dense layer, from integers of 16 bits to such integers."""

    def whole(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([one[None]] for one in IMAGES)
        kinds = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        converter.target_spec.supported_ops = [kinds]
        converter.inference_input_type = converter.inference_output_type = tf.int16

    file = tmp_path_factory.mktemp("networks") / "n.tflite"
    file.write_bytes(to_tflite(chain((6, 5, 3), layers.Conv2D(4, 3), layers.Flatten(), layers.Dense(4)), whole))
    return file


def test_they_are_rounded_where_they_enter_and_stand_for_logits_where_they_leave(path: Path) -> None:
    interpreter = Interpreter(str(path))
    [given], [gives] = interpreter.get_input_details(), interpreter.get_output_details()
    assert given["dtype"] is gives["dtype"] is np.int16
    interpreter.resize_tensor_input(given["index"], IMAGES.shape)
    interpreter.allocate_tensors()
    scale, zero = given["quantization"]
    interpreter.set_tensor(given["index"], (np.rint(IMAGES / np.float32(scale)) + zero).astype(np.int16))
    interpreter.invoke()
    scale, zero = gives["quantization"]
    logits = (interpreter.get_tensor(gives["index"]).astype(np.float32) - np.float32(zero)) * np.float32(scale)
    np.testing.assert_array_equal(LiteRT(path)(IMAGES), logits)


def test_their_range_tells_what_is_cut_off_but_not_the_scale_of_images(path: Path) -> None:
    asked = expected(path, "n.tflite", Start())
    assert asked.title == "the 16-bit input of n.tflite"
    # Symmetric around 0, though no image is below it.
    assert asked.range == pytest.approx((-1, 1), rel=0.05)
    assert asked.scale is None
    assert asked.outside(np.array([0.5, 3.0], np.float32)) == 0.5
