"""The runtime of searches: refusals, and what it needs to start."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.runtimes.litert import LiteRT


def test_shapes_are_those_of_the_network(trained: Path) -> None:
    network = LiteRT(trained / "original.tflite")
    assert network.input_shape == (9, 9, 13)
    assert network.classes == 3


def test_no_inputs_give_no_logits(trained: Path) -> None:
    outputs = LiteRT(trained / "original.tflite")(np.empty((0, 9, 9, 13), np.float32))
    assert outputs.shape == (0, 3)
    assert outputs.dtype == np.float32


def test_views_are_read_like_copies_and_logits_are_contiguous(trained: Path, tiny_scene: ScenePatches) -> None:
    network = LiteRT(trained / "original.tflite", batch=4)
    mirrored = tiny_scene.take(tiny_scene.test[:7])[:, ::-1]
    outputs = network(mirrored)
    assert outputs.flags.c_contiguous
    np.testing.assert_array_equal(outputs, network(mirrored.copy()))


def test_a_network_that_gave_back_its_memory_runs_as_before(trained: Path, tiny_scene: ScenePatches) -> None:
    network = LiteRT(trained / "original.tflite")
    inputs = tiny_scene.take(tiny_scene.test[:7])
    expected = network(inputs)
    network.release()
    assert network(inputs).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("shape", "dtype"), [((2, 9, 9, 12), np.float32), ((9, 9, 13), np.float32), ((2, 9, 9, 13), np.float64)]
)
def test_other_inputs_are_refused(trained: Path, shape: tuple[int, ...], dtype: type) -> None:
    with pytest.raises(QuantriftError, match=r"expected float32 inputs \(n, 9, 9, 13\), got"):
        LiteRT(trained / "original.tflite")(np.zeros(shape, dtype))


@pytest.mark.parametrize("keep", [0, 100, 0.5, -50])
def test_a_damaged_file_is_refused(trained: Path, tmp_path: Path, keep: float) -> None:
    content = (trained / "original.tflite").read_bytes()
    path = tmp_path / "damaged.tflite"
    path.write_bytes(content[: int(keep * len(content)) if keep == 0.5 else int(keep)])
    with pytest.raises(QuantriftError, match=r"damaged\.tflite: not a readable \.tflite file .*; build it again"):
        LiteRT(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="no such file"):
        LiteRT(tmp_path / "none.tflite")


def test_loading_the_runtime_imports_no_training_library() -> None:
    code = "import sys, quantrift.core.networks.runtimes.litert; print(*{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"tensorflow", "keras", "pydantic", "pandas", "scipy", "matplotlib"} & set(run.stdout.split())
