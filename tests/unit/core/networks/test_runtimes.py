"""Runtimes beside LiteRT: the same logits whatever the batch, and clear refusals of files they cannot run."""

import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.shared import slow

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks import runtime
from quantrift.core.networks.graphs.choices import LAYOUT, with_note
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtime import load_runtime, runtime_of
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx

GIVEN_ALONE = ("executorch", "openvino_ir", "torch")
"""Runtimes of networks that users give, and of none that is trained here."""
WEIGHTS = np.random.default_rng(1).normal(size=(48, 5)).astype(np.float32)
IMAGES = np.random.default_rng(2).random((10, 4, 4, 3), np.float32)
USE_TENSORFLOW = """
import sys, numpy
from quantrift.core.networks.runtime import load_runtime
x = numpy.load(sys.argv[2])
parts = [load_runtime("tensorflow", sys.argv[1])(part) for part in (x, x[:0], x[:1], x[1:8], x[8:72], x[72:])]
assert numpy.array_equal(parts[0], numpy.concatenate(parts[1:]))
numpy.save(sys.argv[3], parts[0])
"""


@pytest.fixture(scope="module")
def files(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same network for each runtime."""
    found = {name: trained / "original.tflite" for name in ("litert", "openvino")}
    pytest.importorskip("tf2onnx")
    found["onnxruntime"] = tmp_path_factory.mktemp("onnx") / "model.onnx"
    found["onnxruntime"].write_bytes(to_onnx(load(trained / "twin.keras")))
    return found


@pytest.fixture(scope="module")
@slow
def by_tensorflow(trained: Path, tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Logits of all inputs in Keras; from a process of its own, as TensorFlow's threads can be set only once."""
    folder = tmp_path_factory.mktemp("keras")
    np.save(folder / "x.npy", tiny_scene.take(range(256)))
    arguments = [str(trained / "twin.keras"), str(folder / "x.npy"), str(folder / "logits.npy")]
    subprocess.run([sys.executable, "-c", USE_TENSORFLOW, *arguments], check=True, capture_output=True)
    logits: np.ndarray = np.load(folder / "logits.npy")
    return logits


def test_tensorflow_gives_the_same_bits_however_inputs_are_grouped(by_tensorflow: np.ndarray) -> None:
    assert by_tensorflow.shape == (256, 3)
    assert by_tensorflow.dtype == np.float32


@pytest.mark.parametrize("name", ["litert", "openvino", "onnxruntime"])
def test_float_runtimes_flip_no_label_of_keras(
    name: str, files: dict[str, Path], by_tensorflow: np.ndarray, tiny_scene: ScenePatches
) -> None:
    pytest.importorskip("ai_edge_litert" if name == "litert" else name)
    logits = load_runtime(name, files[name])(tiny_scene.take(range(256)))
    np.testing.assert_array_equal(logits.argmax(axis=1), by_tensorflow.argmax(axis=1))
    np.testing.assert_allclose(logits, by_tensorflow, atol=1e-4)


@pytest.mark.parametrize("name", ["litert", "openvino", "onnxruntime"])
def test_logits_are_bit_identical_over_batch_sizes(name: str, files: dict[str, Path], tiny_scene: ScenePatches) -> None:
    pytest.importorskip("ai_edge_litert" if name == "litert" else name)
    x = tiny_scene.take(range(256))
    expected = load_runtime(name, files[name], 256)(x)
    assert expected.flags.c_contiguous
    for batch in (1, 7, 64):
        np.testing.assert_array_equal(load_runtime(name, files[name], batch)(x), expected)
    assert load_runtime(name, files[name])(x[:0]).shape == (0, 3)


def test_other_runtimes_load_no_training_library(files: dict[str, Path]) -> None:
    pytest.importorskip("openvino")
    code = (
        "import sys, quantrift.core.networks.layer_comparison\n"
        "from quantrift.core.networks.runtime import load_runtime\n"
        "load_runtime('openvino', sys.argv[1]), load_runtime('onnxruntime', sys.argv[2])\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    arguments = [str(files["openvino"]), str(files["onnxruntime"])]
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert not {"tensorflow", "keras", "pydantic", "pandas", "scipy", "matplotlib"} & set(run.stdout.split())


@pytest.mark.parametrize("name", ["openvino", "onnxruntime"])
def test_a_missing_file_is_refused(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    with pytest.raises(QuantriftError, match="no such file"):
        load_runtime(name, tmp_path / "none")


@pytest.mark.parametrize(("name", "suffix"), [("openvino", ".tflite"), ("onnxruntime", ".onnx")])
def test_a_file_of_another_kind_or_a_damaged_one_is_refused(
    name: str, suffix: str, files: dict[str, Path], tmp_path: Path
) -> None:
    pytest.importorskip(name)
    other, damaged = tmp_path / "model.h5", tmp_path / f"model{suffix}"
    other.touch()
    damaged.write_bytes(files[name].read_bytes()[:1000])
    with pytest.raises(QuantriftError, match=rf"runtime {name} reads {suffix} files"):
        load_runtime(name, other)
    with pytest.raises(QuantriftError, match=r"not a readable|cannot run it"):
        load_runtime(name, damaged)


def test_openvino_refuses_what_it_would_compute_otherwise(compressed: Path) -> None:
    pytest.importorskip("openvino")
    with pytest.raises(QuantriftError, match="is quantized, and OpenVINO rounds differently; run it with litert"):
        load_runtime("openvino", compressed / "model.tflite")


def test_inputs_of_another_shape_are_refused(files: dict[str, Path]) -> None:
    pytest.importorskip("openvino")
    with pytest.raises(QuantriftError, match=r"expected float32 inputs \(n, 9, 9, 13\), got float64 \(2, 9, 9, 13\)"):
        load_runtime("openvino", files["openvino"])(np.zeros((2, 9, 9, 13)))


def test_an_unknown_runtime_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(QuantriftError, match="no runtime 'openvimo'; did you mean 'openvino'"):
        load_runtime("openvimo", "model.tflite")


@pytest.mark.parametrize("name", runtime.names())
def test_every_module_of_the_folder_offers_a_runtime(name: str) -> None:
    found = runtime.module(name)
    assert all(suffix.startswith(".") for suffix in found.SUFFIXES)
    assert found.PACKAGES
    # What follows has defaults, and is between a runtime and tasks.
    assert list(signature(found.load).parameters)[:2] == ["path", "batch"]
    # Whoever runs nothing that is trained here has no need to export it.
    assert (name in runtime.names_for_trained()) == (name not in GIVEN_ALONE)
    assert found.COMPRESSED is None or runtime_of(found.COMPRESSED) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("model.tflite", "litert"),
        ("model.lite", "litert"),
        ("model.onnx", "onnxruntime"),
        ("model.keras", "tensorflow"),
        ("model.h5", "tensorflow"),
        ("model.pt2", "torch"),
        ("model.pte", "executorch"),
        ("model.xml", "openvino_ir"),
    ],
)
def test_a_file_is_for_one_runtime(file: str, name: str) -> None:
    assert [one for one in runtime.names() if Path(file).suffix in runtime.module(one).SUFFIXES] == [name]
    assert runtime_of(Path("folder") / file) == name


def test_a_file_of_no_runtime_is_refused() -> None:
    with pytest.raises(QuantriftError, match=r"model\.pt: ends in '\.pt', which no runtime reads; .*\.tflite, .*\.h5"):
        runtime_of("model.pt")


@pytest.mark.parametrize("name", runtime.names())
def test_naming_files_of_a_runtime_loads_no_library_but_litert(name: str) -> None:
    code = (
        "import sys\n"
        "from quantrift.core.networks import runtime\n"
        f"print(runtime.module({name!r}).SUFFIXES, runtime.suffixes_of_compressed(), *sys.modules, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"tensorflow", "keras", "openvino", "onnxruntime", "onnx", "torch", "executorch"} & loaded


def test_a_library_that_is_not_installed_is_named() -> None:
    with pytest.raises(QuantriftError, match=r"runtime openvino needs no_such_library; pip install no_such_library"):
        library("no_such_library", "openvino")


def onnx_file(path: Path, shape: list[Any], *last: str) -> Path:
    """Logits are the flattened input times ``WEIGHTS``; operations ``last`` follow."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper = onnx.helper
    names = ["logits", *last]
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["logits"])]
    nodes += [helper.make_node(last, [before], [last]) for before, last in zip(names, last, strict=False)]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(names[-1], onnx.TensorProto.FLOAT, [shape[0], 5])],
        [onnx.numpy_helper.from_array(WEIGHTS, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("rows", ["n", 1, 4])
def test_onnx_files_of_any_batch_size_run(rows: str | int, tmp_path: Path) -> None:
    network = load_runtime("onnxruntime", onnx_file(tmp_path / "model.onnx", [rows, 4, 4, 3]))
    np.testing.assert_allclose(network(IMAGES), IMAGES.reshape(10, 48) @ WEIGHTS, rtol=1e-4, atol=1e-5)


def test_an_onnx_file_without_spatial_operations_takes_channels_first_once_that_is_written_into_it(
    tmp_path: Path,
) -> None:
    path = onnx_file(tmp_path / "model.onnx", ["n", 3, 4, 4])
    assert load_runtime("onnxruntime", path).input_shape == (3, 4, 4)
    path.write_bytes(with_note(path.read_bytes(), ".onnx", LAYOUT, "channels_first"))
    network = load_runtime("onnxruntime", path)
    assert network.input_shape == (4, 4, 3)
    expected = IMAGES.transpose(0, 3, 1, 2).reshape(10, 48) @ WEIGHTS
    np.testing.assert_allclose(network(IMAGES), expected, rtol=1e-4, atol=1e-5)


def test_probabilities_in_onnx_files_become_logits(tmp_path: Path) -> None:
    network = load_runtime("onnxruntime", onnx_file(tmp_path / "model.onnx", ["n", 4, 4, 3], "Softmax", "Identity"))
    logits = IMAGES.reshape(10, 48) @ WEIGHTS
    np.testing.assert_allclose(network(IMAGES), logits - logits.max(axis=1, keepdims=True), rtol=1e-3, atol=1e-4)


def test_onnx_files_that_end_in_a_sigmoid_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="ends in a sigmoid"):
        load_runtime("onnxruntime", onnx_file(tmp_path / "model.onnx", ["n", 4, 4, 3], "Sigmoid"))
