"""Networks in float16 run in float32 here: values that float16 cannot hold keep them from a pass."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from onnx import TensorProto, helper, numpy_helper

from quantrift.core.base.archive import write_arrays
from quantrift.core.networks.foreign.onnx_graph import check_graph
from quantrift.judge.verdict.answer import answer
from quantrift.judge.verdict.assessment import Assessment, Limits
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess
from quantrift.study.league.planted.conversion import dynamic, float16

SIZE = Size(seeds=2, generations=1, queries=20, vectors=1, shrunk=1, layer_inputs=2)
RNG = np.random.default_rng(0)
X = RNG.random((20, 8, 8, 1), np.float32)
WEIGHTS = RNG.random((64, 4), np.float32) + np.arange(4, dtype=np.float32) / 50
HALF, FLOAT, BRAIN = TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.BFLOAT16


def in_onnx(path: Path, kind: int, times: float, limit: float = 1e38) -> Path:
    """Two layers in .onnx, the first ``times`` as large as the second is small; a Clip between has a large limit."""
    numbers = np.float16 if kind == HALF else np.float32
    weights = {"first": WEIGHTS * times, "last": np.eye(4) / times}
    held = [numpy_helper.from_array(one.astype(numbers), name) for name, one in weights.items()]
    held.append(numpy_helper.from_array(np.array(min(limit, 6e4) if kind == HALF else limit, numbers), "most"))
    nodes = [
        helper.make_node("Flatten", ["x"], ["flat"]),
        helper.make_node("MatMul", ["flat", "first"], ["large"]),
        helper.make_node("Min", ["large", "most"] if limit > times else ["large", "large"], ["kept"]),
        helper.make_node("MatMul", ["kept", "last"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", kind, ["n", 1, 8, 8])
    found = helper.make_tensor_value_info("y", kind, ["n", 4])
    graph = helper.make_graph(nodes, "network", [given], [found], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def in_keras(times: float) -> keras.Model:
    """The same in Keras."""
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Flatten(),
            layers.Dense(4, use_bias=False, name="large"),
            layers.Dense(4, use_bias=False, name="last"),
        ]
    )
    model.set_weights([WEIGHTS * times, np.eye(4, dtype=np.float32) / times])
    return model


def assessed(original: Path, compressed: Path, folder: Path) -> Assessment:
    """Both, held to no limit, so that nothing else keeps them from a pass."""
    write_arrays(folder / "x.npz", {"x": X})
    settings = Settings(size=SIZE, limits=Limits())
    return assess(original, [compressed], folder / "x.npz", folder / "out", settings)


@pytest.mark.parametrize("suffix", [".tflite", ".onnx"])
@pytest.mark.parametrize(("times", "passes"), [(1e4, False), (1.0, True)])
@pytest.mark.slow
def test_activations_beyond_float16_are_no_pass(tmp_path: Path, suffix: str, times: float, passes: bool) -> None:
    compressed = tmp_path / f"half{suffix}"
    if suffix == ".onnx":
        original, _ = in_onnx(tmp_path / "net.onnx", FLOAT, times), in_onnx(compressed, HALF, times, limit=times / 2)
    else:
        in_keras(times).save(original := tmp_path / "net.keras")
        compressed.write_bytes(float16(in_keras(times)))
    found = assessed(original, compressed, tmp_path)
    [one] = found.candidates
    assert any("states float16, which" in line and "computes in float32" in line for line in found.assumed)
    within = [line for line in found.assumed if "within the range of float16 on the inputs as given" in line]
    if passes:
        assert (found.verdict, one.judgements, len(within)) == ("pass", [], 1)
        assert "Changed inputs were not looked at" in within[0]
        return
    assert (found.verdict, within) == ("inconclusive", [])
    [judgement] = one.judgements
    assert (judgement.limit, judgement.rate.value) == ("float16_range", 1)
    assert "overflows on a device that computes in float16" in judgement.text
    assert "beyond 65,504" in judgement.text
    assert "on 20 of 20 inputs" in judgement.text
    assert "judge the outputs of the device itself" in answer(one, found)[-1]
    assert judgement.text[1:].partition("'")[0] in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("original", ["given", "stored"])
@pytest.mark.parametrize(("times", "verdict"), [(1e4, "inconclusive"), (1.0, "pass")])
def test_the_gate_looks_at_the_range_of_a_new_build_in_float16(
    tmp_path: Path, original: str, times: float, verdict: str
) -> None:
    before, new = in_onnx(tmp_path / "net.onnx", FLOAT, times), in_onnx(tmp_path / "half.onnx", HALF, times, times / 2)
    dii = tmp_path / "out" / assessed(before, before, tmp_path).candidates[0].dii_file
    found = still(dii, new, before if original == "given" else None)
    assert found.verdict == verdict
    assert [one.limit for one in found.judgements] == (["float16_range"] if verdict == "inconclusive" else [])
    assert any("within the range of float16" in note for note in found.notes) == (verdict == "pass")


def test_only_the_inputs_on_which_a_value_is_too_large_are_counted(tmp_path: Path) -> None:
    sums = np.sort((X.reshape(20, 64) @ WEIGHTS).max(axis=1))
    times = 65504 / float(sums[14:16].mean())
    files = in_onnx(tmp_path / "net.onnx", FLOAT, times), in_onnx(tmp_path / "half.onnx", HALF, times, limit=times / 2)
    [judgement] = assessed(*files, tmp_path).candidates[0].judgements
    assert "on 5 of 20 inputs" in judgement.text
    assert judgement.rate.value == 0.25


def test_limits_that_nothing_reaches_are_no_values(tmp_path: Path) -> None:
    files = in_onnx(tmp_path / "net.onnx", FLOAT, 1.0), in_onnx(tmp_path / "half.onnx", HALF, 1.0)
    assert assessed(*files, tmp_path).verdict == "pass"


def test_a_weight_beyond_float16_overflows_whatever_the_input_is(tmp_path: Path) -> None:
    files = in_onnx(tmp_path / "net.onnx", FLOAT, 1e-5), in_onnx(tmp_path / "half.onnx", HALF, 1.0)
    [judgement] = assessed(*files, tmp_path).candidates[0].judgements
    assert "tensor 'last' of net.onnx reaches 1e+05, beyond 65,504, on 20 of 20 inputs" in judgement.text


@pytest.mark.slow
def test_other_types_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("quantrift.judge.verdict.float16_range.magnitudes", never)
    in_keras(1e4).save(tmp_path / "net.keras")
    (tmp_path / "dynamic.tflite").write_bytes(dynamic(in_keras(1e4)))
    found = assessed(tmp_path / "net.keras", tmp_path / "dynamic.tflite", tmp_path)
    assert (found.verdict, found.failed) == ("pass", [])
    # It has the range of float32.
    assert check_graph(in_onnx(tmp_path / "brain.onnx", BRAIN, 1.0)).floats_of_16_bits() == ["bfloat16"]


def test_a_range_that_cannot_be_measured_is_said_to_be_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quantrift.judge.verdict.float16_range.SEEN", {})
    files = in_onnx(tmp_path / "net.onnx", FLOAT, 1.0), in_onnx(tmp_path / "half.onnx", HALF, 1.0)
    found = assessed(*files, tmp_path)
    [line] = [one for one in found.assumed if "unknown whether its values stay within the 65,504 of float16" in one]
    assert line.startswith("half.onnx: ")
