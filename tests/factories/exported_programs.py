"""Files as ``torch.export.save`` writes them, made without PyTorch, so that any mistake can stand in them."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = "network"
FLOAT, INT64 = 7, 5
WEIGHTS = {
    "filters": np.random.default_rng(1).normal(size=(4, 3, 3, 3)).astype(np.float32),
    "dense": np.random.default_rng(2).normal(size=(5, 4)).astype(np.float32),
}


def tensor(name: str) -> dict[str, Any]:
    """An argument that is a value."""
    return {"as_tensor": {"name": name}}


def node(target: str, taken: Sequence[str | Mapping[str, Any]], result: str, **named: Any) -> dict[str, Any]:
    """An operation; arguments by place that are texts are values, those by name are as the format has them."""
    given = [tensor(one) if isinstance(one, str) else dict(one) for one in taken]
    return {
        "target": f"torch.ops.aten.{target}" if not target.startswith(("torch.", "_operator.")) else target,
        "inputs": [{"name": f"argument{place}", "arg": one, "kind": 1} for place, one in enumerate(given)]
        + [{"name": name, "arg": one, "kind": 2} for name, one in named.items()],
        "outputs": [tensor(result)],
        "metadata": {},
        "name": result,
    }


NODES = (
    node("conv2d.default", ["x", "filters"], "features"),
    node("relu.default", ["features"], "positive"),
    node("mean.dim", ["positive", {"as_ints": [2, 3]}], "averages"),
    node("linear.default", ["averages", "dense"], "logits"),
)
SIZES = {"features": (-1, 4, 4, 3), "positive": (-1, 4, 4, 3), "averages": (-1, 4), "logits": (-1, 5)}


def sides(sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Sizes as the format has them; open ones, -1, are expressions in Python."""
    return [{"as_int": size} if size >= 0 else {"as_expr": {"expr_str": "Symbol('s0')"}} for size in sizes]


def border(sizes: Sequence[int], kind: int = FLOAT) -> dict[str, Any]:
    """Type and sizes of a value."""
    steps = [abs(int(np.prod(sizes[place + 1 :]))) for place in range(len(sizes))]
    return {
        "dtype": kind,
        "sizes": sides(sizes),
        "requires_grad": False,
        "device": {"type": "cpu", "index": None},
        "strides": sides(steps),
        "storage_offset": {"as_int": 0},
        "layout": 7,
    }


def model(
    nodes: Sequence[Mapping[str, Any]] = NODES,
    shape: Sequence[int] = (-1, 3, 6, 5),
    sizes: Mapping[str, Sequence[int]] = SIZES,
    weights: Mapping[str, np.ndarray] = WEIGHTS,
) -> dict[str, Any]:
    """The JSON of a network from ``x`` to the result of its last operation."""
    last = nodes[-1]["name"]
    spec = [{"parameter": {"arg": {"name": name}, "parameter_name": name}} for name in weights]
    tree: dict[str, Any] = {"type": None, "context": None, "children_spec": []}
    return {
        "graph_module": {
            "graph": {
                "inputs": [tensor(name) for name in (*weights, "x")],
                "outputs": [tensor(last)],
                "nodes": list(nodes),
                "tensor_values": {"x": border(shape)} | {name: border(one) for name, one in sizes.items()},
            },
            "signature": {
                "input_specs": [*spec, {"user_input": {"arg": tensor("x")}}],
                "output_specs": [{"user_output": {"arg": tensor(last)}}],
            },
            "module_call_graph": [{"fqn": "", "signature": {"out_spec": json.dumps([1, tree])}}],
        },
        "schema_version": {"major": 8, "minor": 20},
    }


def payload(weights: Mapping[str, np.ndarray] = WEIGHTS) -> dict[str, Any]:
    """The list of weights."""
    return {
        name: {"path_name": f"{name}_0", "is_param": True, "use_pickle": False, "tensor_meta": border(value.shape)}
        for name, value in weights.items()
    }


def written(
    path: Path,
    whole: Mapping[str, Any] | None = None,
    held: Mapping[str, Any] | None = None,
    more: Mapping[str, bytes] | None = None,
    weights: Mapping[str, np.ndarray] = WEIGHTS,
) -> Path:
    """A .pt2 file of a network, its list of weights, their values, and further members."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{FOLDER}/models/model.json", json.dumps(whole or model()))
        listed = {"config": payload(weights) if held is None else held}
        archive.writestr(f"{FOLDER}/data/weights/model_weights_config.json", json.dumps(listed))
        archive.writestr(f"{FOLDER}/data/constants/model_constants_config.json", '{"config": {}}')
        for name, value in weights.items():
            archive.writestr(f"{FOLDER}/data/weights/{name}_0", value.tobytes())
        for name, content in (more or {}).items():
            archive.writestr(f"{FOLDER}/{name}", content)
    return path
