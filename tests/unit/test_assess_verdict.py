"""Limits at the ends of intervals, the order of candidates, and layers that are quantized wrongly."""

from pathlib import Path

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from hypothesis import given
from hypothesis import strategies as st

from quantrift.assess.assessment import LIMITS, ClassFlips, Limits
from quantrift.assess.example import paths
from quantrift.assess.found import rate as of_numbers
from quantrift.assess.networks import original
from quantrift.assess.suspects import suspects
from quantrift.assess.tool_result import Rate
from quantrift.assess.verdict import OfTool, OnGiven, judged, sentence, worst
from quantrift.cli.assess import share
from quantrift.compression.layer_errors import LayerError, layer_errors
from quantrift.config.errors import QuantriftError
from quantrift.data.arrays import read_arrays
from quantrift.metrics.clustered import clopper_pearson, clustered
from quantrift.metrics.intervals import wilson
from quantrift.metrics.paired_shares import drop
from quantrift.models.foreign.reader import ForeignFiles

NONE = ClassFlips("a", 250, 250, 0)


def on_given(lost: int = 0, gained: int = 0, count: int = 500, classes: list[ClassFlips] | None = None) -> OnGiven:
    """Inputs as given, of which some are wrong now and some right."""
    share = (lost + gained) / count
    interval = Rate(share, *clopper_pearson(share, count))
    return OnGiven(interval, lost + gained, lost, Rate(*drop(lost, gained, count)), classes or [NONE, NONE])


def of_tool(hits: int, searches: int = 200, *, samples: bool = True, each: int = 40) -> OfTool:
    """A tool that found one disagreement among 40 valid changes of some seed inputs."""
    found = np.zeros(searches)
    found[:hits] = 1
    rate = of_numbers(*clustered(found, np.full(searches, each)))
    return OfTool("Sampling", samples, searches, hits, rate, Rate(hits / searches, *wilson(hits, searches)))


@pytest.mark.parametrize(
    ("lost", "verdict"),
    [(0, "pass"), (10, "pass"), (14, "pass"), (20, "inconclusive"), (30, "inconclusive"), (40, "fail"), (50, "fail")],
)
def test_a_limit_is_decided_by_the_end_of_the_interval_that_is_nearer(lost: int, verdict: str) -> None:
    [found] = judged(on_given(lost), [], Limits(max_disagreement=0.05))
    assert found.verdict == verdict
    assert found.rate.low is not None
    assert found.rate.high is not None
    assert (found.rate.low > 0.05) == (verdict == "fail")
    assert (found.rate.high < 0.05) == (verdict == "pass")
    assert (found.needed is None) == (verdict != "inconclusive")


def test_a_tenth_of_unchanged_inputs_never_passes() -> None:
    assert judged(on_given(50), [], LIMITS)[0].verdict == "fail"
    assert judged(on_given(5, count=50), [], LIMITS)[0].verdict == "inconclusive"


def test_accuracy_may_stay_while_labels_change_and_both_are_judged() -> None:
    disagreement, accuracy = judged(on_given(60, 60), [], LIMITS)
    assert (disagreement.verdict, accuracy.verdict) == ("fail", "inconclusive")
    assert accuracy.rate.value == 0
    lost, dropped = judged(on_given(60), [], LIMITS)
    assert (lost.verdict, dropped.verdict) == ("fail", "fail")


def test_changes_are_judged_among_the_valid_ones_of_random_sampling_and_searches_by_their_success() -> None:
    tools = [of_tool(60), of_tool(60, samples=False)]
    assert [one.limit for one in judged(on_given(), tools, Limits(max_dir=0.05, max_sr=0.2))] == [
        "max_dir",
        "max_sr",
        "max_sr",
    ]
    sampled, *searched = judged(on_given(), tools, Limits(max_dir=0.05, max_sr=0.2))
    assert (sampled.verdict, sampled.rate.value) == ("pass", 60 / 8000)
    assert [one.verdict for one in searched] == ["fail", "fail"]


def test_one_or_two_seed_inputs_decide_nothing() -> None:
    for hits, verdict in ((1, "inconclusive"), (2, "inconclusive"), (3, "fail")):
        [found] = judged(on_given(), [of_tool(hits, 3, samples=False)], Limits(max_sr=0.0))
        assert found.verdict == verdict
    [alone] = judged(on_given(), [of_tool(1, 1)], Limits(max_dir=0.9))
    assert alone.verdict == "inconclusive"
    assert "no interval from so few" in alone.text


def test_a_class_that_is_never_given_is_lost_even_among_many() -> None:
    rare = [*[ClassFlips(str(one), 25, 25, 0) for one in range(19)], ClassFlips("19", 25, 0, 25)]
    found = judged(on_given(25, count=2000, classes=rare), [], LIMITS)
    assert [one.verdict for one in found[:2]] == ["pass", "pass"]
    assert found[2].limit == "lost_class"
    assert "class '19': 25 of the 25 inputs" in found[2].text
    few = [*rare[:19], ClassFlips("19", 4, 1, 3)]
    assert all(one.limit != "lost_class" for one in judged(on_given(3, classes=few), [], LIMITS))


@given(st.integers(0, 100), st.integers(101, 400), st.floats(0.01, 0.5))
def test_as_many_inputs_as_are_said_to_be_needed_decide(events: int, count: int, allowed: float) -> None:
    [found] = judged(on_given(events, count=count), [], Limits(max_disagreement=allowed))
    if found.needed is not None:
        share = events / count
        low, high = clopper_pearson(share, 1.5 * found.needed)
        assert low > allowed or high < allowed
        assert found.needed > count


def test_the_worst_limit_is_the_verdict_and_the_sentence_names_it() -> None:
    found = judged(on_given(50), [of_tool(100, samples=False)], LIMITS)
    assert worst(one.verdict for one in found) == "fail"
    assert sentence("int8", found).startswith("int8: fail; disagreement on the inputs as given: 10.00% (95 % interval")
    kept = judged(on_given(), [], LIMITS)
    assert "int8: pass; every limit is kept, nearest drop in accuracy" in sentence("int8", kept)
    assert worst([]) == "pass"


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
