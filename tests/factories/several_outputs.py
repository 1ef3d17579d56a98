"""A network of several outputs: a small graph in ONNX whose arithmetic is known."""

from collections.abc import Sequence

import numpy as np

SHAPE = (4, 4, 1)
WIDTHS = {"shares": 6, "logits": 3}


def weights(step: int = 1) -> dict[str, np.ndarray]:
    """Constants of the graph, whole numbers, so that sums are exact in any order; those of ``logits`` in steps."""
    rng = np.random.default_rng(3)
    found = {name: rng.integers(-4, 5, (16, width)).astype(np.float32) for name, width in WIDTHS.items()}
    return found | {"logits": np.rint(found["logits"] / step) * np.float32(step)}


def expected(images: np.ndarray, step: int = 1) -> np.ndarray:
    """The output ``logits``, float32 (n, 3)."""
    found: np.ndarray = images.reshape(len(images), 16) @ weights(step)["logits"]
    return found


def graph(names: Sequence[str] = ("shares", "logits"), step: int = 1, called: Sequence[str] = ()) -> bytes:
    """An .onnx file from image (n, 4, 4, 1) to ``shares``, behind a softmax, and ``logits``.

    Args:
        names: of the outputs that it has, in order.
        step: of the weights of ``logits``.
        called: other names for the outputs.
    """
    import onnx

    helper, of = onnx.helper, onnx.TensorProto
    given = dict(zip(names, called or names, strict=True))
    nodes = [helper.make_node("Flatten", ["image"], ["flat"])]
    for name in names:
        result = f"{name}_before" if name == "shares" else given[name]
        nodes.append(helper.make_node("MatMul", ["flat", f"of_{name}"], [result]))
    if "shares" in names:
        nodes.append(helper.make_node("Softmax", ["shares_before"], [given["shares"]], axis=1))
    outputs = [helper.make_tensor_value_info(given[name], of.FLOAT, ["n", WIDTHS[name]]) for name in names]
    image = helper.make_tensor_value_info("image", of.FLOAT, ["n", *SHAPE])
    constants = [onnx.numpy_helper.from_array(weights(step)[name], f"of_{name}") for name in names]
    made = helper.make_graph(nodes, "network", [image], outputs, constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    content: bytes = model.SerializeToString()
    return content
