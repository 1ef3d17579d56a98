"""From files to a verdict: what is written, the same twice, on all kinds of files, and told to the shell."""

import json
import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from math import ceil
from pathlib import Path
from xml.etree import ElementTree

import flatbuffers
import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from keras import layers

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.page.markdown import inline
from quantrift.core.search.records.replaying import replay
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_networks import original
from quantrift.judge.verdict.assessment import Assessment, Limits, read
from quantrift.judge.verdict.opened_networks import named
from quantrift.judge.verdict.profiles import SAMPLED, Settings, Size
from quantrift.judge.verdict.run import assess
from quantrift.judge.verdict.verdict import sentence

TINY = Size(seeds=6, generations=3, queries=60, vectors=3, shrunk=4, layer_inputs=8)
CUBE = (9, 9, 8)
CONNECTIONS: list[str] = []
"""What an assessment tried to reach."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example's original in float32, its 8-bit version with a wrong scale, and a few of its inputs."""
    folder = tmp_path_factory.mktemp("files")
    arrays = read_arrays(paths().inputs)
    for name, count in (("few", 8), ("some", 24)):
        write_arrays(folder / f"{name}.npz", {key: arrays[key][:count] for key in ("inputs", "labels")})
    (folder / "wrong.tflite").write_bytes(_edited(paths().int8, _wrong_scale))
    (folder / "ruined.tflite").write_bytes(_edited(paths().int8, _ruined_bias))
    with ForeignFiles() as reader:
        float32 = original(paths().original, folder, reader).path
    return {"original": float32, **{path.stem: path for path in folder.iterdir() if path.stem != "original"}}


def _edited(path: Path, change: Callable[[schema.ModelT], None]) -> bytes:
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    change(model)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _wrong_scale(model: schema.ModelT) -> None:
    """Four times what they should be, for the weights and the bias of the second convolution."""
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    graph = model.subgraphs[0]
    convolutions = [one for one in graph.operators if codes[one.opcodeIndex] == schema.BuiltinOperator.CONV_2D]
    for number in convolutions[1].inputs[1:3]:
        grid = graph.tensors[number].quantization
        grid.scale = np.asarray(grid.scale, np.float32) * np.float32(4)


def _ruined_bias(model: schema.ModelT) -> None:
    """The last layer's bias says one class, whatever the input."""
    last = [operator for operator in model.subgraphs[0].operators if len(operator.inputs) == 3][-1]
    bias = model.subgraphs[0].tensors[last.inputs[2]]
    values = np.zeros(10, np.int32)
    values[3] = 1_000_000
    model.buffers[bias.buffer].data = np.frombuffer(values.tobytes(), np.uint8)


def _unknown_operation(model: schema.ModelT) -> None:
    [code, *_] = [one for one in model.operatorCodes if one.builtinCode == schema.BuiltinOperator.CONV_2D]
    code.builtinCode, code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM, schema.BuiltinOperator.CUSTOM
    code.customCode = "Mystery"


@pytest.fixture(scope="module")
def ranked(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Assessment]:
    """An assessment of the wrong network beside the two sound ones."""
    out = tmp_path_factory.mktemp("out") / "assessment"
    compressed = [files["wrong"], paths().int8, paths().dynamic]
    settings = Settings(size=TINY, limits=Limits(max_sr=0.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", lambda *_: CONNECTIONS.append("a name is looked up"))
        patch.setattr(socket.socket, "connect", lambda *_: CONNECTIONS.append("a connection is opened"))
        return out, assess(files["original"], compressed, files["some"], out, settings)


def test_an_assessment_downloads_nothing(ranked: tuple[Path, Assessment]) -> None:
    assert ranked
    assert not CONNECTIONS


def test_everything_that_is_named_is_written(ranked: tuple[Path, Assessment]) -> None:
    out, found = ranked
    assert read(out) == found
    assert (out / "report.html").is_file()
    assert [one.name for one in found.candidates] == ["wrong", "int8", "dynamic"]
    for candidate in found.candidates:
        stored = read_arrays(out / candidate.dii_file)
        assert len(stored["inputs"]) == len(stored["seed"]) == len(stored["tool"])
        assert (stored["label_original"] != stored["label_compressed"]).all()
        for tool in candidate.tools:
            assert replay(out / tool.records).complete
            assert all((out / file).is_file() for file in (tool.shrunk, tool.layers) if file)
            assert sum(one.seeds for one in tool.classes) == tool.searches
            assert tool.searches == (ceil(SAMPLED * TINY.seeds) if tool.samples else found.seeds)
        for one in candidate.shrunk:
            assert one.dii is None or stored["seed"][one.dii] == one.seed
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_the_wrong_layer_is_named_and_its_network_ranks_last_and_does_not_pass(ranked: tuple[Path, Assessment]) -> None:
    _, found = ranked
    assert found.ranking is not None
    assert found.ranking.order[-1] == "wrong"
    assert [layer.layer for layer in found.candidates[0].suspects] == ["conv2"]
    assert not any(one.suspects for one in found.candidates[1:])
    assert "pass" not in (found.verdict, found.candidates[0].verdict)
    assert all(one.p_holm is None or one.p is None or one.p_holm >= one.p for one in found.ranking.comparisons)


def test_disagreements_are_foretold_beside_the_count_and_no_verdict_follows(
    ranked: tuple[Path, Assessment],
) -> None:
    _, found = ranked
    for one in found.candidates:
        share = one.clean.foretold
        assert (share.value is None) == (one.clean.foretold_note is not None)
        if share.value is not None:
            assert 0 <= (share.low or 0) <= share.value <= (share.high or 1) <= 1
        assert "margin law" not in "\n".join(line.text for line in one.judgements)


def test_what_was_assumed_is_said(ranked: tuple[Path, Assessment]) -> None:
    _, found = ranked
    text = "\n".join(found.assumed)
    for said in ("ends in logits", "array 'inputs'", "array 'labels'", "channels last, 28 x 28 x 1", "scaling: "):
        assert said in text


def _without_times(found: Assessment) -> list[object]:
    return [
        [replace(one, tools=[replace(tool, seconds=0.0) for tool in one.tools]) for one in found.candidates],
        found.assumed,
        found.verdict_text,
    ]


@pytest.mark.slow
def test_the_same_files_give_the_same_twice(files: dict[str, Path], tmp_path: Path) -> None:
    found = [
        assess(files["original"], [files["wrong"]], files["few"], tmp_path / name, Settings(size=TINY))
        for name in ("one", "two")
    ]
    assert _without_times(found[0]) == _without_times(found[1])
    first, second = (read_arrays(tmp_path / name / "wrong" / "dii.npz") for name in ("one", "two"))
    for name in first:
        # A limit that is not set is NaN in both files, which this counts as equal.
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def run(*arguments: object) -> int:
    return main([str(one) for one in arguments])


def test_exit_codes_and_the_gate(files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("assess", "--original", files["original"], "--inputs", files["few"])
    out = tmp_path / "out"
    assert run(*given, "--compressed", files["wrong"], "--max-sr", "1%", "--out", out) == 3
    said = capsys.readouterr().out
    assert "INCONCLUSIVE" in said
    assert "give about" in said
    assert "Cause      layer conv2 seems to be quantized wrongly" in said
    for folded, code in (("pass", 0), ("fail", 1)):
        options = ("--inconclusive", folded, "--seeds", 3, "--generations", 2)
        assert run(*given, "--compressed", files["wrong"], *options, "--out", tmp_path / "again") == code
    assert run(*given, "--compressed", files["ruined"], "--out", out) == 1
    assert "FAIL   ruined exceeds a limit" in capsys.readouterr().out
    dii = out / "ruined" / "dii.npz"
    # The build that was assessed gets the verdict that it got; the original itself keeps every limit.
    assert run("replay", "--compressed", files["ruined"], dii) == 1
    assert run("replay", "--original", files["original"], "--compressed", files["ruined"], dii) == 1
    assert run("replay", "--compressed", files["original"], "--inconclusive", "pass", dii) == 0
    assert run("replay", "--fail-on-disagreement", "--compressed", files["original"], dii) in (0, 3)
    assert run("replay", "--fail-on-disagreement", "--compressed", files["ruined"], dii) == 1
    assert run("replay", "--fail-on-disagreement", dii) == 2
    assert run("replay", "--original", files["original"], dii) == 2


@pytest.mark.slow
def test_verdicts_of_all_networks_are_told_before_causes_are_looked_for(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(size=replace(TINY, noise=2))
    found = assess(files["original"], [paths().int8, paths().dynamic], files["few"], tmp_path / "out", settings)
    told = capsys.readouterr().err
    causes = told.index(": TriggerFinder")
    sentences = [sentence(one.name, one.judgements) for one in found.candidates]
    assert all(0 <= told.find(f"{line}\n") < causes for line in sentences)
    assert [tool.searches for one in found.candidates for tool in one.tools if not tool.judged] == [2, 2]


def test_the_verdict_is_written_for_servers_too(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("assess", "--original", files["original"], "--compressed", files["wrong"], "--inputs", files["few"])
    more = ("--seeds", 5, "--generations", 2, "--inconclusive", "pass", "--max-disagreement", "0", "--json")
    xml, text, log = tmp_path / "v.xml", tmp_path / "v.md", tmp_path / "v.sarif"
    code = run(*given, *more, "--junit", xml, "--markdown", text, "--sarif", log, "--out", tmp_path / "out")
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "out" / "assessment.json").read_text())
    assert code == {"pass": 0, "inconclusive": 0, "fail": 1}[told["verdict"]]
    [suite] = ElementTree.parse(xml).getroot()
    judgements = told["candidates"][0]["judgements"]
    assert len(suite) == int(suite.get("tests", 0)) == len(judgements)
    verdicts = [{"failure": "fail", "skipped": "inconclusive"}[case[0].tag] if len(case) else "pass" for case in suite]
    assert verdicts == [one["verdict"] for one in judgements]
    assert all(one["text"].split(":")[0] in text.read_text() for one in judgements)
    [made] = json.loads(log.read_text())["runs"]
    assert [one["ruleId"] for one in made["results"]] == [
        one["limit"] for one in judgements if one["verdict"] != "pass"
    ]
    # The same words on what to do stand in all of them.
    [advice] = {case[0].text for case in suite if len(case)}
    assert advice is not None
    assert all(one["message"]["text"].endswith(advice) for one in made["results"])
    assert inline(advice) in text.read_text()


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--sarif"])
@pytest.mark.parametrize("read", ["inputs", "original", "compressed"])
def test_a_file_for_servers_never_replaces_one_that_is_read(
    option: str, read: str, files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"original": files["original"], "compressed": files["wrong"], "inputs": files["few"]}
    copies = {name: Path(shutil.copy(file, tmp_path)) for name, file in named.items()}
    before = copies[read].read_bytes()
    link = tmp_path / "link"
    link.symlink_to(copies[read])
    words = [word for name, file in copies.items() for word in (f"--{name}", file)]
    for place in (copies[read], link):
        assert run("assess", *words, option, place, "--out", tmp_path / "out") == 2
        assert "is read by this command, and would be replaced" in capsys.readouterr().err
    assert copies[read].read_bytes() == before


@pytest.mark.slow
def test_a_time_budget_is_told_as_numbers_that_repeat_it(files: dict[str, Path], tmp_path: Path) -> None:
    settings = Settings(time_budget=1.0)
    paced = assess(files["original"], [files["wrong"]], files["few"], tmp_path / "paced", settings)
    [line] = [line for line in paced.assumed if "time budget" in line]
    found = re.search(r"--seeds (\d+) --generations (\d+)", line)
    assert found is not None
    numbers = Settings(seeds=int(found[1]), generations=int(found[2]))
    again = assess(files["original"], [files["wrong"]], files["few"], tmp_path / "again", numbers)
    assert _without_times(again)[0] == _without_times(paced)[0]


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Networks that do not fit the example."""
    folder = tmp_path_factory.mktemp("others")
    image = keras.Input((28, 28, 1))
    two = keras.Model([image, other := keras.Input((28, 28, 1))], layers.Dense(10)(layers.Flatten()(image + other)))
    found = {
        "three": keras.Model(image, layers.Dense(3)(layers.Flatten()(image))),
        "small": keras.Model(small := keras.Input((8, 8, 1)), layers.Dense(10)(layers.Flatten()(small))),
        "two": two,
    }
    for name, model in found.items():
        (folder / f"{name}.tflite").write_bytes(to_tflite(model))
    both = {name: layers.Dense(10, name=name)(layers.Flatten()(image)) for name in ("digit", "style")}
    keras.Model(image, both).save(folder / "outputs.keras")
    (folder / "mystery.tflite").write_bytes(_edited(paths().int8, _unknown_operation))
    (folder / "empty.tflite").touch()
    (folder / "text.tflite").write_text("hello")
    return {path.stem: path for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("int8", "original", "exchange --original and --compressed"),
        ("original", "keras", "were --original and --compressed exchanged?"),
        ("original", "three", "tells 3 classes, original.tflite tells 10"),
        ("original", "small", "takes inputs (8, 8, 1)"),
        ("original", "two", "has 2 inputs"),
        ("two", "int8", "has 2 inputs"),
        ("outputs", "int8", "2 outputs"),
        ("original", "mystery", "operations that are not among TensorFlow Lite's own (Mystery)"),
        ("original", "empty", "is empty"),
        ("original", "text", "not a readable .tflite file"),
        ("original", "nowhere", "no such file"),
        ("folder", "int8", "a folder without saved_model.pb"),
    ],
)
def test_networks_that_cannot_be_compared_are_one_line_and_leave_nothing(
    first: str,
    second: str,
    said: str,
    files: dict[str, Path],
    others: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = {"int8": paths().int8, "keras": paths().original, "nowhere": Path("nowhere.tflite"), "folder": tmp_path}
    known |= {"original": files["original"]} | others
    given = ("--original", known[first], "--compressed", known[second], "--inputs", files["few"])
    assert run("assess", *given, "--out", tmp_path / "new" / "out") == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("quantrift assess: ")
    assert said in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (lambda x: x * 255, (), "inputs out of range"),
        (lambda x: x[:, :20], (), "wrong layout"),
        (lambda x: np.where(x > 0.9, np.nan, x), (), "NaN"),
        (lambda x: x, ("--labels", "truth"), "no array 'truth'"),
        (lambda x: x, ("--array", "pictures"), "no array 'pictures'"),
        (lambda x: x, ("--max-dir", "7"), "--max-dir is '7'"),
    ],
)
def test_inputs_that_do_not_fit_are_one_line_and_leave_nothing(
    change: Callable[[np.ndarray], np.ndarray],
    options: tuple[str, ...],
    said: str,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrays = read_arrays(files["few"])
    write_arrays(tmp_path / "x.npz", {"inputs": change(arrays["inputs"]), "labels": arrays["labels"]})
    given = ("--original", files["original"], "--compressed", paths().int8, "--inputs", tmp_path / "x.npz")
    assert run("assess", *given, *options, "--out", tmp_path / "out") == 2
    assert said in capsys.readouterr().err.strip().splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["x.npz"]


def test_a_folder_with_other_files_is_left_alone(files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(QuantriftError, match="holds other files"):
        assess(files["original"], [paths().int8], files["few"], tmp_path, Settings(size=TINY))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.fixture(scope="module")
def cubes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A network for cubes of eight bands in all forms that an original may have, and inputs without labels."""
    folder = tmp_path_factory.mktemp("cubes")
    keras.utils.set_random_seed(3)
    x = given = keras.Input(CUBE, name="cube")
    x = layers.Conv2D(8, 3, activation="relu", name="first")(x)
    x = layers.Flatten(name="flat")(x)
    model = keras.Model(given, layers.Dense(4, activation="softmax", name="last")(x))

    def dynamic(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]

    save(model, folder / "net.keras")
    (folder / "dynamic.tflite").write_bytes(to_tflite(model, dynamic))
    model.export(folder / "saved", format="tf_saved_model", verbose=False)
    write_arrays(folder / "x.npz", {"cubes": np.random.default_rng(4).normal(size=(8, *CUBE)).astype(np.float32)})
    found = {"keras": folder / "net.keras", "saved": folder / "saved", "dynamic": folder / "dynamic.tflite"}
    found["x"] = folder / "x.npz"
    pytest.importorskip("tf2onnx")
    found["onnx"] = folder / "net.onnx"
    found["onnx"].write_bytes(to_onnx(model))
    return found


@pytest.mark.parametrize("form", ["keras", "saved", "onnx"])
@pytest.mark.slow
def test_cubes_are_distorted_as_diverget_does_whatever_the_form_of_the_original(
    form: str, cubes: dict[str, Path], tmp_path: Path
) -> None:
    settings = Settings(size=TINY, limits=Limits())
    found = assess(cubes[form], [cubes["dynamic"]], cubes["x"], tmp_path / "out", settings)
    [candidate] = found.candidates
    assert [tool.tool for tool in candidate.tools] == ["random", "pso_div"]
    assert "TriggerFinder was left out" in found.notes[0]
    assert (found.inputs.labelled, candidate.clean.accuracy_original) == (False, None)
    assert "dynamic.tflite: ends in a softmax" in found.assumed
    assert (candidate.layers == []) == (form == "onnx")
    assert ("layers cannot be matched between" in (candidate.layers_note or "")) == (form == "onnx")
    assert all(replay(tmp_path / "out" / tool.records).complete for tool in candidate.tools)


def test_onnx_files_are_compressed_networks_too(cubes: dict[str, Path], tmp_path: Path) -> None:
    found = assess(cubes["onnx"], [cubes["onnx"]], cubes["x"], tmp_path / "out", Settings(size=TINY))
    [candidate] = found.candidates
    assert (candidate.audit, candidate.layers_note) == (None, None)
    assert [layer.sqnr_db for layer in candidate.layers] == [None] * len(candidate.layers)
    assert [tool.dii for tool in candidate.tools] == [0, 0]
    assert found.verdict != "fail"


def test_names_are_fit_for_folders_and_unique() -> None:
    given = [Path("Net-8bit.tflite"), Path("b/net_8bit.tflite"), Path("8.tflite"), Path("_.onnx")]
    assert named(given) == ["net_8bit", "net_8bit_2", "model_8", "model"]


def test_files_with_the_short_name_of_old_converters_are_assessed(files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "net.lite").write_bytes(paths().int8.read_bytes())
    settings = Settings(size=TINY)
    found = assess(files["original"], [tmp_path / "net.lite"], files["few"], tmp_path / "out", settings)
    assert found.candidates[0].layers


@pytest.mark.parametrize("name", ["tool", "seed", "limit_values", "label_original", "given.label_original"])
def test_damaged_findings_are_refused_in_one_line(
    name: str,
    ranked: tuple[Path, Assessment],
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrays = read_arrays(ranked[0] / "wrong" / "dii.npz")
    write_arrays(tmp_path / "dii.npz", arrays | {name: arrays[name].reshape(1, -1)})
    assert run("replay", "--compressed", files["wrong"], tmp_path / "dii.npz") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert f"{tmp_path / 'dii.npz'}: " in line
    assert line.endswith("; make the assessment again")
