"""The command ``quantrift mend`` on a network in .onnx that one scale for each tensor breaks."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnxruntime import quantization
from onnxruntime.quantization.calibrate import TensorsData, save_tensors_data
from tests.factories.digit_networks import network, quantized, ran, words

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, sha256
from quantrift.judge.mend.mending import Mending, read
from quantrift.judge.verdict.assessment import read as read_assessment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def mended(pair: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The results, and the exit code."""
    out = tmp_path_factory.mktemp("mended") / "out"
    return out, main(words(pair, "tensor", out))


@pytest.fixture(scope="module")
def found(mended: tuple[Path, int]) -> Mending:
    return read(mended[0])


def test_the_layer_whose_scale_is_blown_up_goes_back_to_float_and_the_network_passes(
    mended: tuple[Path, int], found: Mending
) -> None:
    assert mended[1] == 0
    assert (found.state, found.verdict) == ("mended", "pass")
    assert (found.kept, found.units) == (["c2"], 3)
    by_name = {one.network: one for one in found.fresh}
    assert by_name["as given"].rate.low is not None
    assert by_name["as given"].rate.low > 0.10
    assert by_name["mended"].rate.high is not None
    assert by_name["mended"].rate.high < 0.10
    assert by_name["mended"].int8_mac_share == pytest.approx(1 - 12 * 16 * 72 / (8 * 64 * 9 + 12 * 16 * 72 + 192 * 10))


def test_disagreements_on_fresh_inputs_are_those_that_the_runtime_itself_gives(
    mended: tuple[Path, int], found: Mending, pair: dict[str, Path]
) -> None:
    out, _ = mended
    x = read_arrays(out / "fresh.npz")["inputs"].transpose(0, 3, 1, 2)
    said = ran(pair["original"], x)
    by_name = {one.name: one.clean.disagreeing for one in read_assessment(out / "assessment").candidates}
    assert by_name == {
        "mended": int((ran(out / "mended.onnx", x) != said).sum()),
        "tensor": int((ran(pair["tensor"], x) != said).sum()),
    }
    assert len(x) == found.split.fresh


def test_calibration_choice_and_verdict_use_inputs_of_their_own(
    mended: tuple[Path, int], found: Mending, pair: dict[str, Path]
) -> None:
    out, _ = mended
    given = read_arrays(pair["inputs"])["inputs"]
    fresh = {one.tobytes() for one in read_arrays(out / "fresh.npz")["inputs"]}
    numbers = read_json(out / "recipe.json")["calibration"]["numbers"]
    assert not fresh & {given[number].tobytes() for number in numbers}
    split = found.split
    assert split.calibration + split.selection + split.fresh == len(given)
    assert len(numbers) == split.calibration


def test_the_recipe_makes_the_same_file_again_by_the_library_alone(mended: tuple[Path, int], tmp_path: Path) -> None:
    out, _ = mended
    recipe = read_json(out / "recipe.json")
    assert sha256(out / "float.onnx") == recipe["of"]["sha256"]
    assert sha256(out / "mended.onnx") == recipe["mended"]["sha256"]
    assert sha256(out / "ranges.json") == recipe["calibration"]["ranges"]["sha256"]
    ranges = {
        name: tuple(np.array(end, np.float32) for end in ends) for name, ends in read_json(out / "ranges.json").items()
    }
    save_tensors_data(TensorsData(quantization.CalibrationMethod.MinMax, ranges), tmp_path / "cache.json")
    told: dict[str, Any] = recipe["recipe"]["quantize_static"]
    quantization.quantize_static(
        str(out / "float.onnx"),
        str(tmp_path / "again.onnx"),
        quant_format=quantization.QuantFormat[told["quant_format"]],
        activation_type=quantization.QuantType[told["activation_type"]],
        weight_type=quantization.QuantType[told["weight_type"]],
        per_channel=told["per_channel"],
        nodes_to_exclude=told["nodes_to_exclude"],
        extra_options=told["extra_options"],
        calibration_cache_path=tmp_path / "cache.json",
    )
    assert (tmp_path / "again.onnx").read_bytes() == (out / "mended.onnx").read_bytes()


def test_costs_of_units_stand_beside_the_errors_of_their_layers(found: Mending, mended: tuple[Path, int]) -> None:
    by_name = {one.unit: one for one in found.sensitivities}
    worst = by_name[found.kept[0]]
    assert worst.alone == max(one.alone for one in found.sensitivities)
    assert worst.gain == max(one.gain for one in found.sensitivities)
    assert sum(one.macs for one in found.sensitivities) == 8 * 64 * 9 + 12 * 16 * 72 + 192 * 10
    assert worst.added_sqnr_db == min(one.added_sqnr_db for one in found.sensitivities if one.added_sqnr_db is not None)
    whole = next(one for one in found.calibrations if one.chosen)
    assert all(one.gain == whole.events - one.restored for one in found.sensitivities)
    assert {one.units for one in found.correlations} == {3}
    # Of what a layer inherits, the output has the most, though it adds little.
    assert min(found.sensitivities, key=lambda one: one.sqnr_db or np.inf).unit == "output"


def test_tables_hold_what_the_results_hold(found: Mending, mended: tuple[Path, int]) -> None:
    out, _ = mended
    for name, rows in (
        ("curve", found.curve),
        ("sensitivity", found.sensitivities),
        ("fresh", found.fresh),
        ("calibration", found.calibrations),
    ):
        with (out / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == len(rows)
    ends = [one for one in found.curve if one.order == "disagreement"]
    assert (ends[0].kept, ends[-1].kept) == (0, found.units)
    assert (ends[0].int8_mac_share, ends[-1].int8_mac_share, ends[-1].events) == (1, 0, 0)
    page = (out / "report.html").read_text()
    assert found.verdict_text.split("(")[0] in page
    assert "<svg" in page


def test_other_orders_of_equal_size_take_no_more_for_weights(found: Mending) -> None:
    others = [one for one in found.fresh if one.network.endswith("equal size")]
    # By SQNR, by the margin law, and five by chance.
    assert len(others) == 7
    mended = next(one for one in found.fresh if one.network == "mended")
    assert all(one.kept is not None and one.kept < 3 for one in others)
    # The margin law finds the same layer; SQNR and chance do not.
    assert {one.network for one in others if one.events <= 10 * mended.events} == {"margin law, equal size"}


def test_a_network_that_keeps_its_limits_is_left_as_it_is(pair: dict[str, Path], tmp_path: Path) -> None:
    assert main(words(pair, "channel", tmp_path / "out")) == 0
    found = read(tmp_path / "out")
    assert (found.state, found.mended, found.curve) == ("kept its limits already", None, [])
    assert not (tmp_path / "out" / "recipe.json").exists()
    assert (tmp_path / "out" / "report.html").is_file()


def test_other_scales_of_weights_leave_nothing_in_float_where_the_device_takes_them(
    pair: dict[str, Path], tmp_path: Path
) -> None:
    assert main(words(pair, "tensor", tmp_path / "out", "--weights", "channel", "--no-compare")) == 0
    found = read(tmp_path / "out")
    assert (found.state, found.kept, found.weights) == ("quantized anew", [], "channel")
    # Nothing was tried layer by layer.
    assert [one.order for one in found.curve] == ["mended"]
    assert (found.sensitivities, found.correlations, found.failed) == ([], [], [])
    assert found.tried == len(found.calibrations)
    assert any(one.chosen and one.passes for one in found.calibrations)


def test_latencies_stand_apart_from_the_results(mended: tuple[Path, int], pair: dict[str, Path]) -> None:
    out, _ = mended
    seconds = read_json(out / "mend.timing.json")["seconds"]
    assert set(seconds) == {"original", "as given", "mended"}
    assert all(0 < one < 1 for one in seconds.values())
    assert "seconds" not in (out / "mend.json").read_text()


def test_what_was_found_stays_where_the_verdict_on_it_fails(
    pair: dict[str, Path],
    found: Mending,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object) -> None:
        raise QuantriftError("no room left")

    monkeypatch.setattr("quantrift.judge.mend.fresh.assess", broken)
    out = tmp_path / "out"
    assert main(words(pair, "tensor", out, "--no-compare")) == 3
    again = read(out)
    assert (again.state, again.kept, again.verdict) == (found.state, found.kept, "inconclusive")
    assert sha256(out / "mended.onnx") == again.mended.sha256  # type: ignore[union-attr]
    assert again.failed == ["the verdict on fresh inputs: no room left"]
    assert capsys.readouterr().err.count("quantrift mend: failed: the verdict on fresh inputs: no room left") == 1
    assert (out / "recipe.json").is_file()
    assert again.failed[0] in (out / "report.html").read_text()


def test_without_costs_of_units_layers_are_tried_in_the_order_of_computation(
    pair: dict[str, Path], found: Mending, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise QuantriftError("the quantizer refuses")

    monkeypatch.setattr("quantrift.judge.mend.mixed_search.sensitivities", broken)
    assert main(words(pair, "tensor", tmp_path / "out", "--no-compare")) == 0
    again = read(tmp_path / "out")
    assert (again.state, again.kept, again.sensitivities) == (found.state, found.kept, [])
    assert again.failed == ["disagreements that each unit costs: the quantizer refuses"]


def test_python_gets_what_the_command_gets(pair: dict[str, Path], found: Mending, tmp_path: Path) -> None:
    given = read_arrays(pair["inputs"])
    again = api.mend(
        pair["original"],
        pair["tensor"].read_bytes(),
        given["inputs"],
        tmp_path / "out",
        labels=given["labels"],
        limits=api.Limits(max_disagreement=0.1, max_accuracy_drop=0.1, max_dir=0.1, max_sr=found.limits.max_sr),
        changes=4,
        seeds=40,
        generations=2,
    )
    assert again.limits == found.limits
    assert (again.state, again.kept, again.verdict) == (found.state, found.kept, found.verdict)
    assert (again.fresh, again.curve) == (found.fresh, found.curve)
    assert read(tmp_path / "out") == again


def test_a_function_has_no_file_that_could_be_mended(pair: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="original is a function, which cannot be quantized anew; give its file"):
        api.mend(lambda x: x, pair["tensor"], pair["inputs"], tmp_path / "out")


def test_the_layer_may_go_to_16_bits_in_place_of_float_which_takes_less_space(
    pair: dict[str, Path], found: Mending, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(words(pair, "tensor", out, "--rest", "16-bit")) == 0
    wide = read(out)
    assert (wide.state, wide.kept, wide.rest) == ("mended", found.kept, "16-bit")
    in_float, in_16 = (next(one for one in told.fresh if one.network == "mended") for told in (found, wide))
    assert in_16.int8_mac_share == in_float.int8_mac_share
    assert in_16.size < in_float.size
    others = [one for one in wide.fresh if one.network.endswith("equal size")]
    assert in_16.int8_mac_share is not None
    assert all(one.int8_mac_share is not None and one.int8_mac_share >= in_16.int8_mac_share for one in others)
    stored = {one.name: one.data_type for one in onnx.load(out / "mended.onnx").graph.initializer}
    assert {name for name, kind in stored.items() if kind == onnx.TensorProto.INT16 and "zero" not in name} == {
        "w2_quantized"
    }
    [told] = read_json(out / "recipe.json")["recipe"]["quantize_static"]["extra_options"]["TensorQuantOverrides"]["w2"]
    assert told == {"quant_type": "QInt16", "symmetric": True}


def test_where_only_the_float_network_would_pass_it_says_so_and_fails(
    digits: tuple[np.ndarray, np.ndarray], pair: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, labels = digits
    # One layer, with a class that nothing gets.
    flat = x.reshape(len(x), -1)
    means = np.stack([flat[labels == label].mean(axis=0) for label in range(10)])
    weights = np.concatenate([means.T, np.full((64, 1), -50.0)], axis=1)
    bias = np.append(-0.5 * np.square(means).sum(axis=1), 0)
    nodes = [
        helper.make_node("Flatten", ["x"], ["f"], name="flat"),
        helper.make_node("Gemm", ["f", "w", "b"], ["y"], name="dense"),
    ]
    one = tmp_path / "one.onnx"
    onnx.save(network(nodes, {"w": weights, "b": bias}, 11), str(one))
    files = {"original": one, "inputs": pair["inputs"], "tensor": quantized(one, tmp_path / "q.onnx", x, False)}
    assert main(words(files, "tensor", tmp_path / "out", "--layout", "channels_first")) == 1
    found = read(tmp_path / "out")
    assert (found.state, found.verdict, found.mended) == ("not mended", "fail", None)
    assert not (tmp_path / "out" / "mended.onnx").exists()
    assert "no network with a unit in 8 bits" in capsys.readouterr().out


def test_limits_that_so_few_inputs_cannot_show_are_refused_before_anything_is_built(
    pair: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = read_arrays(pair["inputs"])
    few = tmp_path / "few.npz"
    write_arrays(few, {"inputs": arrays["inputs"][:60], "labels": arrays["labels"][:60]})
    assert main(words(pair | {"inputs": few}, "tensor", tmp_path / "out")) == 2
    assert "too few to show that a limit is kept, even without any disagreement" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_original_that_is_quantized_itself_is_refused(
    pair: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(pair | {"original": pair["channel"]}, "tensor", tmp_path / "out")) == 2
    assert "has weights that are not in float32; give the network before compression" in capsys.readouterr().err


def test_a_mending_is_not_lost_by_a_diagnosis_and_says_what_comes_next(
    pair: dict[str, Path],
    found: Mending,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("math domain error")

    for name in ("trials.layer_errors", "run.correlations", "run._by_channel", "charts.curve", "page.render"):
        monkeypatch.setattr(f"quantrift.judge.mend.{name}", broken)
    out = tmp_path / "out"
    assert main(words(pair, "tensor", out)) == 0
    again = read(out)
    assert (again.state, again.kept, again.verdict) == (found.state, found.kept, found.verdict)
    assert sha256(out / "mended.onnx") == again.mended.sha256  # type: ignore[union-attr]
    whats = [line.partition(":")[0] for line in again.failed]
    assert whats[:3] == ["SQNR of units", "a scale for each output channel", "rank correlations"]
    assert whats[3:] == ["figure 'curve'", "report.html"]
    assert {one.order for one in again.curve} == {one.order for one in found.curve} - {"SQNR"}
    said = capsys.readouterr()
    assert all(f"failed       {line}" in said.out for line in again.failed)
    assert "report       " not in said.out
    steps = [line for line in said.err.splitlines() if line.startswith("next ")]
    assert "6 networks for the disagreements that each unit costs" in " ".join(steps)
    assert "fresh inputs" in steps[-2]
    assert "latency" in steps[-1]


def test_weights_in_nodes_of_the_graph_are_mended_like_stored_ones(
    pair: dict[str, Path], found: Mending, tmp_path: Path
) -> None:
    model = onnx.load(pair["original"])
    nodes = [helper.make_node("Constant", [], [one.name], value=one) for one in model.graph.initializer]
    nodes += model.graph.node
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, tmp_path / "constants.onnx")
    out = tmp_path / "out"
    assert main(words(pair | {"original": tmp_path / "constants.onnx"}, "tensor", out, "--no-compare")) == 0
    again = read(out)
    assert (again.kept, again.failed) == (found.kept, [])
