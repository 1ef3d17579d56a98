"""Limits at the ends of intervals, the order of candidates, and layers that are quantized wrongly."""

from dataclasses import replace
from pathlib import Path

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from quantrift.assess.assessment import Limits
from quantrift.assess.example import paths
from quantrift.assess.networks import original
from quantrift.assess.suspects import suspects
from quantrift.assess.tool_result import Rate, ToolResult
from quantrift.assess.verdict import judged, sentence
from quantrift.cli.assess import share
from quantrift.compression.layer_errors import LayerError, layer_errors
from quantrift.config.errors import QuantriftError
from quantrift.data.arrays import read_arrays
from quantrift.models.foreign.reader import ForeignFiles

RATE = Rate(0.04, 0.02, 0.06)
TOOL = ToolResult(
    tool="image_pso",
    title="PSO",
    kind="natural",
    judged=True,
    searches=10,
    evaluations=100,
    valid=100,
    dii=4,
    seconds=1.0,
    first_attack=False,
    dir=RATE,
    dir_unique=RATE,
    dir_valid=RATE,
    vr=RATE,
    sr=Rate(0.5, 0.3, 0.7),
    net={},
    classes=[],
    confusions=[],
    odds=[],
    queries=None,
    records="",
    shrunk=None,
    layers=None,
)


@pytest.mark.parametrize(
    ("max_dir", "verdict", "said"),
    [
        (0.0199, "above", "even the lower end"),
        (0.02, "pass", "not shown to be above"),
        (0.0399, "pass", "not shown to be above"),
        (0.04, "pass", "kept"),
        (None, "pass", None),
    ],
)
def test_a_candidate_is_above_only_if_the_lower_end_of_the_interval_is(
    max_dir: float | None, verdict: str, said: str | None
) -> None:
    found, reasons = judged([TOOL], Limits(max_dir, None))
    assert found == verdict
    assert len(reasons) == (said is not None)
    assert said is None or said in reasons[0]


def test_success_rates_are_held_against_their_own_limit() -> None:
    assert judged([TOOL], Limits(None, 0.29))[0] == "above"
    assert judged([TOOL], Limits(0.05, 0.3))[0] == "pass"


def test_noise_is_not_judged() -> None:
    noise = replace(TOOL, judged=False, kind="noise")
    assert judged([noise], Limits(0.0, 0.0)) == ("pass", [])


def test_the_sentence_names_the_figure_that_decides() -> None:
    limits = Limits(0.05, 0.2)
    assert "SR of PSO is 50.00% (95 % interval 30.00% to 70.00%), whose lower end exceeds the limit of 20.00%" in (
        sentence("int8", "above", [TOOL], limits)
    )


def test_shares_are_percent_or_fractions() -> None:
    assert (share("5%", "--max-dir"), share("0.05", "--max-dir"), share("none", "--max-dir")) == (0.05, 0.05, None)
    for wrong in ("5", "-1%", "much"):
        with pytest.raises(QuantriftError, match=f"--max-dir is '{wrong}'"):
            share(wrong, "--max-dir")


def layer(name: str, sqnr: float | None) -> LayerError:
    return LayerError(name, "int8", 10, 10, sqnr, 1.0, 0.0, None)


def test_layers_that_lose_little_each_are_not_suspected() -> None:
    assert suspects([layer("a", 33), layer("b", 28), layer("c", 19), layer("d", 12), layer("e", 5)]) == {}
    assert suspects([layer("a", 50), layer("b", 21), layer("c", None)]) == {}


def test_the_first_layer_of_a_fall_is_suspected_alone() -> None:
    found = suspects([layer("a", 40), layer("b", 8), layer("c", 7)], {"other": [layer("b", 39)]})
    assert list(found) == ["b"]
    assert "the same layer in other 39.0 dB" in found["b"]


def test_a_first_layer_is_held_against_sound_ones_and_outputs_may_be_skipped() -> None:
    assert list(suspects([layer("a", 9), layer("b", 8)])) == ["a"]
    assert suspects([layer("a", 40), layer("output", 2)], skipped=["output"]) == {}


@pytest.fixture(scope="module")
def float_original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's original as float32 .tflite."""
    with ForeignFiles() as reader:
        return original(paths().original, tmp_path_factory.mktemp("original"), reader).path


def with_wrong_scale(path: Path, layer: int, factor: float) -> bytes:
    """The network with the scales of the weights of one of its layers that multiply, times a factor."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    graph = model.subgraphs[0]
    kinds = {schema.BuiltinOperator.CONV_2D, schema.BuiltinOperator.FULLY_CONNECTED}
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    chosen = [operator for operator in graph.operators if codes[operator.opcodeIndex] in kinds][layer]
    # The bias is held in the product of the scales of input and weights.
    for number in chosen.inputs[1:3]:
        grid = graph.tensors[number].quantization
        grid.scale = np.asarray(grid.scale, np.float32) * np.float32(factor)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@pytest.mark.parametrize(("number", "name"), [(0, "conv1"), (1, "conv2"), (2, "output")])
@pytest.mark.parametrize("factor", [0.5, 1.25])
def test_a_wrong_scale_is_told_with_the_name_of_its_layer(
    number: int, name: str, factor: float, float_original: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.tflite"
    wrong.write_bytes(with_wrong_scale(paths().int8, number, factor))
    x = read_arrays(paths().inputs)["inputs"][:32]
    assert suspects(layer_errors(float_original, paths().int8, [x])) == {}
    assert list(suspects(layer_errors(float_original, wrong, [x]))) == [name]
