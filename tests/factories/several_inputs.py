"""Networks of several inputs: a small graph in ONNX whose arithmetic is known, and a network trained on digits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.archive import write_arrays

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


def write_torch(folder: Path) -> None:
    """Train a module on the first 1,400 tilted digits, and write ``test.npz`` with the others.

    Writes ``net.pt2``, ``net.onnx`` and ``int8.onnx``, ``net.xml``, and ``net.pte``, in 8 bits for one input at a time;
    all from ``angle`` (n, 1) and ``image`` (n, 1, 8, 8) to logits. ``heads.pt2``, ``heads.onnx``, ``heads.xml`` and
    ``heads.pte`` give an embedding before the logits.
    """
    import openvino
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.seen = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 24), nn.ReLU())
            self.turned = nn.Sequential(nn.Linear(1, 8), nn.ReLU())
            self.both, self.last = nn.Sequential(nn.Linear(32, 24), nn.ReLU()), nn.Linear(24, 4)

        def embedded(self, angle: Any, image: Any) -> Any:
            return self.both(torch.cat([self.seen(image), self.turned(angle / 45 - 1)], dim=1))

        def forward(self, angle: Any, image: Any) -> Any:
            return self.last(self.embedded(angle, image))

    class Heads(nn.Module):
        def __init__(self, network: Network) -> None:
            super().__init__()
            self.network = network

        def forward(self, angle: Any, image: Any) -> Any:
            embedding = self.network.embedded(angle, image)
            return {"embedding": embedding, "logits": self.network.last(embedding)}

    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = tilted_digits() | {"image": np.moveaxis(tilted_digits()["image"], 3, 1)}
    write_arrays(folder / "test.npz", {name: one[1400:] for name, one in data.items()})
    angle, image, labels = (torch.from_numpy(data[name][:1400].copy()) for name in ("angle", "image", "labels"))
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for _ in range(40):
        for rows in torch.randperm(1400).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(angle[rows], image[rows]), labels[rows]).backward()
            optimizer.step()
    samples = [(angle[row : row + 1], image[row : row + 1]) for row in range(100)]
    for name, module, outputs in (
        ("net", network.eval(), ["logits"]),
        ("heads", Heads(network).eval(), ["embedding", "logits"]),
    ):
        batch = torch.export.Dim("batch", min=1, max=256)
        example = angle[:2], image[:2]
        program = torch.export.export(module, example, dynamic_shapes=({0: batch},) * 2)
        torch.export.save(program, folder / f"{name}.pt2")
        named = {"input_names": ["angle", "image"], "output_names": outputs}
        open_batch = {one: {0: "n"} for one in ("angle", "image", *outputs)}
        torch.onnx.export(module, example, folder / f"{name}.onnx", dynamo=False, dynamic_axes=open_batch, **named)
        converted = openvino.convert_model(folder / f"{name}.onnx")
        openvino.save_model(converted, folder / f"{name}.xml", compress_to_fp16=False)
        (folder / f"{name}.pte").write_bytes(_lowered(module, samples))
    _quantize_onnx(folder, [{"angle": one.numpy(), "image": other.numpy()} for one, other in samples])


def _lowered(module: Any, samples: list[tuple[Any, ...]]) -> bytes:
    """A .pte file in 8 bits for one input at a time."""
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from executorch.exir import to_edge_transform_and_lower
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(module, samples[0]).module(), quantizer)
    with torch.no_grad():
        for sample in samples:
            prepared(*sample)
    program = torch.export.export(convert_pt2e(prepared), samples[0])
    content: bytes = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
    return content


def _quantize_onnx(folder: Path, samples: list[dict[str, np.ndarray]]) -> None:
    from onnxruntime.quantization import CalibrationDataReader, quantize_static

    class Reader(CalibrationDataReader):
        left = iter(samples)

        def get_next(self) -> Any:
            return next(self.left, None)

    quantize_static(folder / "net.onnx", folder / "int8.onnx", Reader(), per_channel=True)
