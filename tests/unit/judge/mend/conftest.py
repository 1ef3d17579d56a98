"""A small network in .onnx, trained here, whose weights one scale for each tensor cannot hold."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from tests.factories.digit_networks import network, quantized

from quantrift.core.base.archive import write_arrays

TIMES = 40
"""Size of the weights of a channel that is always 0, against the largest of the others."""
IMAGES = 700


@pytest.fixture(scope="package")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Images, float32 (n, 1, 8, 8) on 256 steps from 0 to 1, and labels."""
    given = load_digits()
    images = np.minimum(given.images[:, None] * 16, 255).astype(np.uint8) / np.float32(255)
    return images.astype(np.float32), given.target


@pytest.fixture(scope="package")
def pair(tmp_path_factory: pytest.TempPathFactory, digits: tuple[np.ndarray, np.ndarray]) -> dict[str, Path]:
    """Original, files in 8 bits with one scale for each tensor and for each channel, and inputs."""
    folder = tmp_path_factory.mktemp("pair")
    x, labels = digits
    rng = np.random.default_rng(0)
    weights = {
        "w1": rng.normal(0, 0.4, (8, 1, 3, 3)),
        "b1": rng.normal(0, 0.1, 8),
        "w2": rng.normal(0, 0.2, (12, 8, 3, 3)),
        "b2": rng.normal(0, 0.1, 12),
    }
    # Behind its ReLU the channel is 0.
    weights["w2"][5] = -TIMES * np.abs(weights["w2"]).max()
    weights["b2"][5] = 0
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], name="relu1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], name="conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"], name="relu2"),
        helper.make_node("Flatten", ["r2"], ["f"], name="flat"),
    ]
    features = network([*nodes, helper.make_node("Identity", ["f"], ["y"])], weights, 12 * 16)
    session = onnxruntime.InferenceSession(features.SerializeToString(), providers=["CPUExecutionProvider"])
    [values] = session.run(None, {"x": x[IMAGES:]})
    trained = RidgeClassifier().fit(values, labels[IMAGES:])
    weights |= {"w3": trained.coef_.T, "b3": trained.intercept_}
    dense = helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], name="dense")
    original = folder / "digits.onnx"
    onnx.save(network([*nodes, dense], weights, 10), str(original))
    inputs = folder / "inputs.npz"
    write_arrays(inputs, {"inputs": x[:IMAGES].transpose(0, 2, 3, 1), "labels": labels[:IMAGES]})
    return {
        "original": original,
        "tensor": quantized(original, folder / "tensor.onnx", x[IMAGES:], per_channel=False),
        "channel": quantized(original, folder / "channel.onnx", x[IMAGES:], per_channel=True),
        "inputs": inputs,
    }
