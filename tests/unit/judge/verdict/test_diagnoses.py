"""A diagnosis never destroys a verdict: it fails alone, and the results say which did, and why."""

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import layer_comparison
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.search.records import layers_on_dii
from quantrift.core.search.records.replaying import replay
from quantrift.judge.verdict import assessment_page, candidate, candidate_searches, charts, ranking
from quantrift.judge.verdict.assessment import REPORT, Limits, read
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

TINY = Size(seeds=4, generations=2, queries=20, vectors=2, shrunk=2, layer_inputs=8)
IMAGES = np.random.default_rng(0).random((40, 6, 5, 3), np.float32)


def broken(*given: object, **options: object) -> NoReturn:
    """Stands for a diagnosis with a mistake."""
    raise KeyError("conv2_se_1_weights")


def written(path: Path, nodes: list[Any], constants: dict[str, np.ndarray], classes: int, stored: bool = True) -> Path:
    """A network from ``x`` (n, 3, 6, 5) to ``y`` (n, classes); its numbers are initializers, or ``Constant`` nodes."""
    tensors = [numpy_helper.from_array(one.astype(np.float32), name) for name, one in constants.items()]
    if not stored:
        nodes = [*(helper.make_node("Constant", [], [one.name], value=one) for one in tensors), *nodes]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 6, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", classes])],
        tensors if stored else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


def two_classes(path: Path, step: float | None = None) -> Path:
    """A convolution with two outputs, so that its weights have as many rows as the inputs of a probe."""
    weights = np.random.default_rng(1).normal(size=(2, 3, 3, 3))
    nodes = [
        helper.make_node("Conv", ["x", "weights"], ["features"]),
        helper.make_node("GlobalAveragePool", ["features"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["y"]),
    ]
    return written(path, nodes, {"weights": weights if step is None else np.rint(weights / step) * step}, 2, False)


def rooted(path: Path, operation: str, shift: float, hidden: bool = True) -> Path:
    """A layer ``root`` of what ``shift`` is added to, whose NaN and infinities later ones take away if ``hidden``."""
    weights = np.random.default_rng(1).normal(size=(4, 3, 3, 3))
    nodes = [
        helper.make_node("Conv", ["x", "weights"], ["features"]),
        helper.make_node("Relu", ["features"], ["positive"]),
        helper.make_node("Add", ["positive", "shift"], ["shifted"]),
        helper.make_node(operation, ["shifted"], ["root"]),
        helper.make_node("IsNaN", ["root"], ["wrong"]),
        helper.make_node("Where", ["wrong", "zero", "root"], ["numbers"]),
        helper.make_node("Clip", ["numbers", "zero", "most"], ["clipped"]),
        helper.make_node("GlobalAveragePool", ["clipped" if hidden else "root"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["y"]),
    ]
    constants = {"weights": weights, "shift": np.array(shift), "zero": np.array(0.0), "most": np.array(10.0)}
    return written(path, nodes, constants, 4)


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A file with inputs."""
    write_arrays(tmp_path / "x.npz", {"x": IMAGES})
    return tmp_path / "x.npz"


@pytest.mark.slow
def test_weights_in_nodes_of_the_graph_are_no_layers(tmp_path: Path, inputs: Path) -> None:
    files = two_classes(tmp_path / "net.onnx"), two_classes(tmp_path / "coarse.onnx", 0.5)
    # The logits are what a layer before them gives in another shape.
    assert [one.layer for one in layer_errors(*files, [IMAGES[:7]])] == ["features", "mean"]
    found = assess(files[0], [files[1]], inputs, tmp_path / "out", Settings(size=TINY))
    assert found.failed == []
    assert [one.layer for one in found.candidates[0].layers] == ["features", "mean"]


@pytest.mark.parametrize(("operation", "shift"), [("Sqrt", -1e-6), ("Reciprocal", 0.0)])
@pytest.mark.slow
def test_the_first_layer_that_gives_nan_or_infinity_is_the_suspect(
    tmp_path: Path, inputs: Path, operation: str, shift: float
) -> None:
    sound, wrong = rooted(tmp_path / "net.onnx", operation, 1e-6), rooted(tmp_path / "wrong.onnx", operation, shift)
    found = assess(sound, [wrong], inputs, tmp_path / "out", Settings(size=TINY))
    assert found.failed == []
    [suspect] = found.candidates[0].suspects
    assert suspect.layer == "root"
    assert str(suspect.suspect).startswith("gives NaN or infinity on 8 of 8 inputs where the original gives numbers")
    assert found.candidates[0].findings == []
    assert "gives NaN or infinity" in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    # The other way round it is the original's.
    found = assess(wrong, [sound], inputs, tmp_path / "turned", Settings(size=TINY))
    assert "layer root of the original gives NaN or infinity on 8 of 8 inputs" in found.candidates[0].findings[0]


@pytest.mark.parametrize("turned", [False, True])
def test_nan_that_reaches_the_output_is_refused_with_the_layer_that_gives_it_first(
    tmp_path: Path, inputs: Path, turned: bool
) -> None:
    files = [rooted(tmp_path / f"{shift}.onnx", "Sqrt", shift, hidden=False) for shift in (1e-6, -1e-6)]
    first, second = reversed(files) if turned else files
    with pytest.raises(QuantriftError, match=r"-1e-06.onnx: gives NaN .* layer root is the first that does"):
        assess(first, [second], inputs, tmp_path / "out", Settings(size=TINY))


def test_figures_are_those_of_the_finite_values(tmp_path: Path) -> None:
    whole, half = (rooted(tmp_path / f"{shift}.onnx", "Sqrt", shift) for shift in (0.25, -0.5))
    by_layer = {one.layer: one for one in layer_errors(whole, half, [IMAGES])}
    assert by_layer["root"].sqnr_db is not None
    assert by_layer["root"].not_finite == len(IMAGES)
    assert {one.not_finite for name, one in by_layer.items() if name != "root"} == {0}


@pytest.mark.slow
def test_a_diagnosis_that_crashes_leaves_the_verdict_and_says_so(
    measured: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = measured
    words = ["assess", "--original", str(folder / "net.onnx"), "--compressed", str(folder / "coarse.onnx")]
    words += ["--compressed", str(folder / "net.onnx"), "--inputs", str(folder / "x.npz")]
    words += ["--seeds", "4", "--generations", "2", "--markdown", str(tmp_path / "ci.md")]
    code = main([*words, "--out", str(tmp_path / "whole")])
    whole = read(tmp_path / "whole")
    assert whole.failed == []
    for room, name in (
        (layer_comparison, "on_test_inputs"),
        (layers_on_dii, "compare"),
        (candidate_searches, "shrink"),
        (candidate, "margins"),
        (ranking, "rank"),
        (charts, "rates"),
        (charts, "gallery"),
    ):
        monkeypatch.setattr(room, name, broken)
    capsys.readouterr()
    assert main([*words, "--out", str(tmp_path / "out")]) == code
    found = read(tmp_path / "out")
    assert found.verdict == whole.verdict
    assert [one.judgements for one in found.candidates] == [one.judgements for one in whole.candidates]
    said, page = " ".join(capsys.readouterr().out.split()), (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    summary = (tmp_path / "ci.md").read_text(encoding="utf-8")
    for what in ("coarse: layers", "changes that suffice", "coarse: margins", "ranking", "figure 'rates'", "gallery'"):
        [line, *_] = [one for one in found.failed if what in one]
        assert line.endswith("a mistake of Quantrift (KeyError: 'conv2_se_1_weights'); please report it")
        assert f"Failed {line}" in said
        assert what.replace("'", "&#39;") in page
        assert what in summary
    one = found.candidates[0]
    assert (one.layers, one.shrunk, one.clean.margins, found.ranking) == ([], [], [], None)
    assert len(read_arrays(tmp_path / "out" / one.dii_file)["inputs"])
    assert all(replay(tmp_path / "out" / tool.records).complete for tool in one.tools)


def test_a_page_that_cannot_be_written_is_not_named(
    measured: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = measured
    monkeypatch.setattr(assessment_page, "render", broken)
    words = ["assess", "--original", str(folder / "net.onnx"), "--compressed", str(folder / "net.onnx")]
    words += ["--inputs", str(folder / "x.npz"), "--seeds", "4", "--generations", "2", "--max-dir", "none"]
    assert main([*words, "--max-disagreement", "20%", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Failed     report.html: a mistake of Quantrift" in said
    assert "Report   " not in said
    assert not (tmp_path / "out" / REPORT).exists()
    assert read(tmp_path / "out").failed


def test_assessments_of_earlier_versions_name_no_failure(measured: tuple[str, Path], tmp_path: Path) -> None:
    _, folder = measured
    out = tmp_path / "out"
    assess(folder / "net.onnx", [folder / "net.onnx"], folder / "x.npz", out, Settings(size=TINY, limits=Limits()))
    text = (out / "assessment.json").read_text(encoding="utf-8")
    (out / "assessment.json").write_text(text.replace(',\n "failed": []', ""), encoding="utf-8")
    assert "failed" not in (out / "assessment.json").read_text(encoding="utf-8")
    assert read(out).failed == []


def raised(error: BaseException) -> NoReturn:
    raise error


def test_what_is_said_of_a_failure_depends_on_whose_mistake_it_is() -> None:
    diagnoses = Diagnoses()
    assert diagnoses("sum", 0, sum, [1, 2]) == 3
    for error in (QuantriftError("net.onnx: damaged; export it again"), MemoryError(), ValueError("math\ndomain")):
        assert diagnoses("layers", None, raised, error) is None
    assert diagnoses.failed == [
        "layers: net.onnx: damaged; export it again",
        "layers: not enough memory",
        "layers: a mistake of Quantrift (ValueError: math domain); please report it",
    ]
    with pytest.raises(KeyboardInterrupt):
        diagnoses("layers", None, raised, KeyboardInterrupt())
