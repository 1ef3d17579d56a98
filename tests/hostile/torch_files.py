""".pt2 files with code in their texts, pickled weights, and operations that do more than compute."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
from tests.factories.exported_programs import border, model, node, payload, written
from tests.hostile.makers import Touch, of

WEIGHTS = {"dense": np.zeros((10, 784), np.float32)}
NODES = (
    node("flatten.using_ints", ["x", {"as_int": 1}], "flat"),
    node("linear.default", ["flat", "dense"], "logits"),
)
SHAPE, SIZES = (-1, 1, 28, 28), {"flat": (-1, 784), "logits": (-1, 10)}


@of("compressed")
def pt2_pickled_weight(folder: Path, canary: Path) -> Path:
    held = payload(WEIGHTS)
    held["dense"]["use_pickle"] = True
    more = {"data/weights/dense_0": pickle.dumps(Touch(canary))}
    whole = model(NODES, SHAPE, SIZES, WEIGHTS)
    return written(folder / "net.pt2", whole, held, more, weights={})


@of("originals")
def pt2_file_that_is_read(folder: Path, canary: Path) -> Path:
    read = node("from_file.default", [{"as_string": "/etc/passwd"}], "read")
    return written(folder / "net.pt2", model((*NODES, read), SHAPE, SIZES, WEIGHTS), weights=WEIGHTS)


@of("originals")
def pt2_size_that_is_an_expression_of_python(folder: Path, canary: Path) -> Path:
    code = f"__import__('os').mkdir({str(canary)!r})"
    whole = model(NODES, SHAPE, SIZES, WEIGHTS)
    tensors = whole["graph_module"]["graph"]["tensor_values"]
    # A second side that is open is refused, after it was read.
    tensors["x"] = border((-1, -1, 28, 28))
    tensors["x"]["sizes"][1] = {"as_expr": {"expr_str": code}}
    return written(folder / "net.pt2", whole, weights=WEIGHTS)


@of("compressed")
def pt2_library_of_compiled_code(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "net.pt2", "w") as archive:
        archive.writestr("net/data/aotinductor/model/net.so", b"\x7fELF")
    return folder / "net.pt2"
