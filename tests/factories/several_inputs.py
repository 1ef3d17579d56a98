"""Networks of several inputs: a small graph in ONNX whose arithmetic is known, and a network trained on digits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.data.arrays import write_arrays

SHAPE, CLASSES, GROUPS = (4, 4, 1), 3, 5


def weights() -> dict[str, np.ndarray]:
    """Constants of the graph, whole numbers, so that sums are exact in any order."""
    rng = np.random.default_rng(0)
    shapes = {"of_image": (16, CLASSES), "of_angle": (1, CLASSES), "of_group": (GROUPS, CLASSES)}
    return {name: rng.integers(-3, 4, shape).astype(np.float32) for name, shape in shapes.items()}


def expected(image: np.ndarray, angle: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Logits of the graph, float32 (n, CLASSES)."""
    known = weights()
    found: np.ndarray = image.reshape(len(image), 16) @ known["of_image"] + angle @ known["of_angle"]
    return found + known["of_group"][group]


def graph(names: tuple[str, str, str] = ("image", "angle", "group"), order: tuple[int, ...] = (1, 0, 2)) -> bytes:
    """An .onnx file with inputs image (n, 4, 4, 1), angle (n, 1) and group (n,) int64, under ``names``."""
    import onnx

    helper, of = onnx.helper, onnx.TensorProto
    image, angle, group = names
    sides: list[list[Any]] = [["n", *SHAPE], ["n", 1], ["n"]]
    inputs = [
        helper.make_tensor_value_info(name, kind, side)
        for name, kind, side in zip(names, (of.FLOAT, of.FLOAT, of.INT64), sides, strict=True)
    ]
    nodes = [
        helper.make_node("Flatten", [image], ["flat"]),
        helper.make_node("MatMul", ["flat", "of_image"], ["a"]),
        helper.make_node("MatMul", [angle, "of_angle"], ["b"]),
        helper.make_node("Gather", ["of_group", group], ["c"], axis=0),
        helper.make_node("Add", ["a", "b"], ["ab"]),
        helper.make_node("Add", ["ab", "c"], ["logits"]),
    ]
    output = helper.make_tensor_value_info("logits", of.FLOAT, ["n", CLASSES])
    constants = [onnx.numpy_helper.from_array(value, name) for name, value in weights().items()]
    made = helper.make_graph(nodes, "network", [inputs[place] for place in order], [output], constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    content: bytes = model.SerializeToString()
    return content


def values(count: int) -> dict[str, np.ndarray]:
    """Inputs of the graph by name; images are whole numbers from 0 to 255."""
    rng = np.random.default_rng(1)
    return {
        "image": rng.integers(0, 256, (count, *SHAPE)).astype(np.float32),
        "angle": rng.integers(0, 90, (count, 1)).astype(np.float32),
        "group": rng.integers(0, GROUPS, count),
    }


def tilted_digits() -> dict[str, np.ndarray]:
    """Digits with an angle each, and the class that both decide: below 5 or not, and up to 45 degrees or above."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    angle = np.random.default_rng(0).uniform(0, 90, (len(digits.target), 1)).astype(np.float32)
    labels = 2 * (digits.target >= 5) + (angle[:, 0] > 45)
    return {"image": (digits.images / 16).astype(np.float32)[..., None], "angle": angle, "labels": labels}


def write_trained(folder: Path) -> None:
    """Train a network on the first 1,400 tilted digits, and write ``test.npz`` with the others.

    Writes ``net.keras``, ``net.onnx``, ``float.tflite`` and ``int8.tflite``, whose inputs are 8-bit integers too.
    """
    import keras
    import tensorflow as tf
    from keras import layers

    keras.utils.set_random_seed(0)
    data = tilted_digits()
    train = {name: one[:1400] for name, one in data.items()}
    write_arrays(folder / "test.npz", {name: one[1400:] for name, one in data.items()})
    image, angle = keras.Input((8, 8, 1), name="image"), keras.Input((1,), name="angle")
    seen = layers.Flatten()(layers.Conv2D(8, 3, activation="relu")(image))
    seen = layers.Dense(24, activation="relu")(seen)
    turned = layers.Dense(8, activation="relu")(layers.Rescaling(1 / 45, -1)(angle))
    both = layers.Dense(24, activation="relu")(layers.Concatenate()([seen, turned]))
    model = keras.Model([image, angle], layers.Dense(4, activation="softmax")(both))
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([train["image"], train["angle"]], train["labels"], epochs=25, batch_size=32, verbose=0)
    model.save(folder / "net.keras")
    model.export(folder / "net.onnx", format="onnx", verbose=False)
    model.export(folder / "saved", format="tf_saved_model", verbose=False)

    def samples() -> Iterator[dict[str, np.ndarray]]:
        for row in range(100):
            yield {name: train[name][row : row + 1] for name in ("image", "angle")}

    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved"))
    (folder / "float.tflite").write_bytes(converter.convert())
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved"))
    converter.optimizations, converter.representative_dataset = [tf.lite.Optimize.DEFAULT], samples
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    (folder / "int8.tflite").write_bytes(converter.convert())
