"""Ways of running a file: named behind an ``@``, listed where the name is wrong, and other kernels on one file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.networks.test_runtimes import IMAGES, WEIGHTS, onnx_file

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtime import load_runtime, load_values
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.core.networks.ways import Asked, asked, in_words, ways_of
from quantrift.judge.intake.example import paths

TFLITE = {"xnnpack": "litert", "builtin": "litert_builtin", "reference": "litert_reference", "openvino": "openvino"}
ONNX = {"optimized": "onnxruntime", "unoptimized": "onnxruntime_unoptimized", "openvino": "openvino_onnx"}


def images(count: int) -> np.ndarray:
    found: np.ndarray = read_arrays(paths().inputs)["inputs"][:count]
    return found


def test_each_format_has_its_ways_and_the_usual_one_is_first() -> None:
    assert ways_of(".tflite") == TFLITE
    assert next(iter(ways_of(".tflite"))) == "xnnpack"
    assert ways_of(".onnx") == ONNX
    assert next(iter(ways_of(".onnx"))) == "optimized"
    assert ways_of(".keras") == {}
    assert len({in_words(name) for name in (*TFLITE.values(), *ONNX.values())} - {"OpenVINO"}) == 5


@pytest.mark.parametrize("way", TFLITE)
@pytest.mark.parametrize("name", ["model.tflite", "model.keras", "model.h5"])
def test_a_name_behind_the_file_is_a_way_of_running_it(name: str, way: str) -> None:
    assert asked(Path("folder") / f"{name}@{way}") == Asked(Path("folder") / name, TFLITE[way], way)
    assert asked(Path("folder") / name) == Asked(Path("folder") / name)


def test_a_saved_model_runs_in_the_ways_of_what_it_is_converted_to(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    assert asked(tmp_path / "net@reference") == Asked(tmp_path / "net@reference")
    (tmp_path / "net" / "saved_model.pb").touch()
    assert asked(tmp_path / "net@reference") == Asked(tmp_path / "net", "litert_reference", "reference")


@given(st.text(st.characters(exclude_characters="/\0", codec="ascii"), max_size=20))
def test_an_unknown_way_is_one_line_that_lists_those_that_the_format_knows(way: str) -> None:
    if "@" in way or way in ONNX:
        return
    with pytest.raises(QuantriftError) as caught:
        asked(Path(f"model.onnx@{way}"))
    assert "is no way of running .onnx files; name one of optimized, unoptimized, openvino" in str(caught.value)


@pytest.mark.parametrize("name", ["m@2.tflite", "m.tflite@reference", "a@b@c.onnx", "@.tflite", "m.onnx@nothing"])
def test_a_file_whose_name_holds_the_sign_is_that_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert asked(tmp_path / name) == Asked(tmp_path / name)


def test_a_way_can_be_named_of_a_file_whose_name_holds_the_sign(tmp_path: Path) -> None:
    (tmp_path / "m@2.tflite").touch()
    assert asked(tmp_path / "m@2.tflite@builtin") == Asked(tmp_path / "m@2.tflite", "litert_builtin", "builtin")


@pytest.mark.parametrize("file", [paths().int8, paths().dynamic], ids=["int8", "dynamic"])
@pytest.mark.parametrize("runtime", ["litert_builtin", "litert_reference"])
def test_other_kernels_of_litert_stay_near_and_give_the_same_bits_over_batch_sizes(runtime: str, file: Path) -> None:
    x = images(40)
    expected = load_runtime("litert", file)(x)
    found = load_runtime(runtime, file)(x)
    np.testing.assert_allclose(found, expected, atol=1)
    for batch in (1, 7):
        np.testing.assert_array_equal(load_runtime(runtime, file, batch)(x), found)
    np.testing.assert_array_equal(
        np.concatenate([load_runtime(runtime, file)(x[n : n + 1]) for n in range(5)]), found[:5]
    )


def test_other_kernels_are_run_indeed() -> None:
    x = images(40)
    each = {name: load_runtime(name, paths().dynamic)(x).tobytes() for name in TFLITE.values() if "litert" in name}
    assert each["litert_reference"] != each["litert"]
    assert each["litert_builtin"] != each["litert"]


def test_values_of_outputs_are_given_in_every_way_that_offers_them(tmp_path: Path) -> None:
    x = images(5)
    for name in ("litert", "litert_builtin", "litert_reference"):
        # The file ends in logits.
        np.testing.assert_array_equal(load_values(name, paths().int8)(x), load_runtime(name, paths().int8)(x))
    path = onnx_file(tmp_path / "model.onnx", ["n", 4, 4, 3])
    for name in ("onnxruntime", "onnxruntime_unoptimized", "openvino_onnx"):
        np.testing.assert_allclose(load_values(name, path)(IMAGES), IMAGES.reshape(10, 48) @ WEIGHTS, atol=1e-4)
    with pytest.raises(QuantriftError, match="is quantized, and OpenVINO rounds differently"):
        load_values("openvino", paths().int8)


@pytest.mark.parametrize("rows", ["n", 4])
@pytest.mark.parametrize("runtime", ["onnxruntime_unoptimized", "openvino_onnx"])
def test_other_ways_of_onnx_files_give_their_logits(runtime: str, rows: str | int, tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    path = onnx_file(tmp_path / "model.onnx", [rows, 4, 4, 3], "Softmax")
    found = load_runtime(runtime, path)
    np.testing.assert_allclose(found(IMAGES), load_runtime("onnxruntime", path)(IMAGES), atol=1e-4)
    assert isinstance(load_runtime("onnxruntime_unoptimized", path), ONNXRuntime)
    np.testing.assert_array_equal(np.concatenate([found(IMAGES[n : n + 1]) for n in range(10)]), found(IMAGES))
