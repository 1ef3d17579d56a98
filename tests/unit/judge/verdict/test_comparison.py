"""Two networks compared on inputs as given, from the command line and from Python."""

import json
import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from scipy.special import softmax

from quantrift.api import Function, load_pair
from quantrift.cli.main import main
from quantrift.core.base.archive import write_arrays
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.pairs.task import Task, task_of
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict.comparison import Comparisons, OutputError, compare, text
from quantrift.judge.verdict.profiles import Settings
from quantrift.study.league.planted.stored_weights import EditedTFLite

EXAMPLE = paths()


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's compressed network, whose second convolution is three times as large as it should be."""
    file = EditedTFLite(EXAMPLE.int8.read_bytes())
    file.scale(1, 3)
    path = tmp_path_factory.mktemp("broken") / "broken.tflite"
    path.write_bytes(file.content())
    return path


@pytest.fixture(scope="module")
def found(broken: Path) -> Comparisons:
    return compare(EXAMPLE.original, [EXAMPLE.int8, broken], EXAMPLE.inputs)


def test_agreement_and_errors_are_those_of_the_outputs(found: Comparisons, broken: Path) -> None:
    with np.load(EXAMPLE.inputs) as arrays:
        inputs, labels = arrays["inputs"], arrays["labels"]
    pair = load_pair(EXAMPLE.original, broken)
    said = pair(inputs)
    differs = said.original.argmax(axis=1) != said.compressed.argmax(axis=1)
    _, one = found.networks
    assert found.inputs == len(inputs)
    assert one.clean.disagreeing == differs.sum() > 0
    assert one.clean.accuracy_original == (said.original.argmax(axis=1) == labels).mean()
    noise = np.square(said.original.astype(np.float64) - said.compressed)
    assert one.error is not None
    assert one.error.sqnr_db == pytest.approx(
        10 * np.log10(np.square(said.original.astype(np.float64)).sum() / noise.sum()), rel=1e-6
    )
    assert one.error.largest == pytest.approx(np.sqrt(noise.max()), rel=1e-6)


def test_a_good_network_has_no_cause_and_a_broken_one_the_layer_that_is_broken(found: Comparisons) -> None:
    good, one = found.networks
    assert good.causes == []
    assert good.clean.disagreeing == 0
    assert len(one.causes) == 1
    assert one.causes[0].startswith("layer conv2 seems to be quantized wrongly")
    [changed, differ] = map(
        int, re.findall(r"changes (\d+) of 64 labels, and the compressed network (\d+)", one.causes[0])[0]
    )
    assert differ <= 1.5 * changed
    assert [layer.layer for layer in one.layers if layer.suspect] == ["conv2"]


def test_the_text_has_agreement_errors_cause_and_the_worst_layers_first(found: Comparisons) -> None:
    lines = [*text(found)]
    start = next(place for place, line in enumerate(lines) if line.startswith("broken: "))
    assert "another label" in lines[start]
    assert lines[start + 1].startswith("  outputs: SQNR ")
    assert lines[start + 2].startswith("  cause: layer conv2")
    assert re.match(r"  layer conv2: [-.\d]+ dB on its own input", lines[start + 3])
    assert len(lines) - start <= 3 + 5


def test_a_network_beside_itself_is_equal() -> None:
    found = compare(EXAMPLE.int8, [EXAMPLE.int8], EXAMPLE.inputs)
    [one] = found.networks
    assert one.error is not None
    assert (one.error.sqnr_db, one.error.largest, one.clean.disagreeing) == (None, 0, 0)
    assert any("equal in both" in line for line in text(found))


def test_values_are_compared_under_a_task(found: Comparisons, broken: Path, tmp_path: Path) -> None:
    with np.load(EXAMPLE.inputs) as arrays:
        write_arrays(tmp_path / "inputs.npz", {"inputs": arrays["inputs"]})
    settings = Settings(task=task_of("regress", {}))
    of_values = compare(EXAMPLE.original, [EXAMPLE.int8, broken], tmp_path / "inputs.npz", settings)
    # Its outputs are logits, so that the same layers have the same errors; no label is looked at.
    for one, on_labels in zip(of_values.networks, found.networks, strict=True):
        assert (one.error, one.layers_note) == (None, None)
        assert [(layer.layer, layer.added_sqnr_db) for layer in one.layers] == [
            (layer.layer, layer.added_sqnr_db) for layer in on_labels.layers
        ]
        assert len(one.clean.parts) == 10
    assert [layer.layer for layer in of_values.networks[1].layers if layer.suspect] == ["conv2"]
    lines = [*text(of_values)]
    assert [line for line in lines if "differs on" in line][5:10]
    assert lines.count("  and 5 outputs that differ less often; --json has all") == 2


def test_the_command_prints_text_or_all_layers_as_json(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(EXAMPLE.original), str(EXAMPLE.int8), str(broken), str(EXAMPLE.inputs)]
    assert main(["compare", *words]) == 0
    said = capsys.readouterr().out
    assert "int8: Unchanged inputs: all 128 get the same label" in said
    assert "assumed: layout: channels last" in said
    assert main(["compare", *words, "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in whole["networks"]] == ["int8", "broken"]
    assert [layer["layer"] for layer in whole["networks"][1]["layers"]][-1] == "output"


def test_what_cannot_be_read_is_one_line_and_nothing_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(EXAMPLE.original), "nowhere.tflite", str(EXAMPLE.inputs)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "nowhere.tflite" in said.err
    assert said.err.count("\n") == 1


def test_python_says_what_the_command_says(found: Comparisons, broken: Path) -> None:
    with np.load(EXAMPLE.inputs) as arrays:
        inputs, labels = arrays["inputs"], arrays["labels"]
    pair, (_, theirs) = load_pair(EXAMPLE.original, broken), found.networks
    ours = pair.compare(inputs, labels)
    assert (ours.clean, ours.error, ours.causes) == (theirs.clean, theirs.error, theirs.causes)
    assert pair.layers(inputs) == theirs.layers
    assert pair.compare(inputs).clean.accuracy_original is None


def test_probabilities_are_compared_as_they_are_given() -> None:
    with np.load(EXAMPLE.inputs) as arrays:
        inputs = arrays["inputs"]
    network = load_runtime("litert", EXAMPLE.int8)

    def probabilities(x: np.ndarray) -> np.ndarray:
        # As of 8 bits: most are 0, whose logarithm would be far off.
        rounded: np.ndarray = np.round(softmax(network(x), axis=1) * 256) / 256
        return rounded

    found = load_pair(EXAMPLE.original, Function(probabilities, "probabilities", (28, 28, 1))).compare(inputs)
    assert found.error is not None
    assert (found.error.of, found.error.range) == ("probabilities", pytest.approx(1, abs=0.01))
    assert found.error.sqnr_db is not None
    assert found.error.sqnr_db > 20


def test_a_function_is_compared_like_a_file() -> None:
    with np.load(EXAMPLE.inputs) as arrays:
        inputs = arrays["inputs"]
    network = load_runtime("litert", EXAMPLE.int8)
    pair = load_pair(EXAMPLE.int8, lambda x: network(x), outputs="logits", input_shape=(28, 28, 1))
    found = pair.compare(inputs)
    assert found.clean.disagreeing == 0
    assert isinstance(found.error, OutputError)
    assert "unknown" in str(found.layers_note)


@pytest.mark.parametrize("task", [None, task_of("regress", {})], ids=["labels", "regress"])
def test_an_original_runs_no_more_inputs_beside_two_networks_than_beside_one(task: Task | None, tmp_path: Path) -> None:
    run: list[int] = []
    outputs: Literal["logits", "values"] = "logits" if task is None else "values"
    of_file = load_runtime("litert", EXAMPLE.dynamic)
    others = [Function(load_runtime("litert", EXAMPLE.int8), outputs, name=name) for name in "ab"]

    def counted(x: np.ndarray) -> np.ndarray:
        run[-1] += len(x)
        return of_file(x)

    with np.load(EXAMPLE.inputs) as arrays:
        inputs = arrays["inputs"]
    write_arrays(tmp_path / "inputs.npz", {"inputs": inputs})
    for compressed in (others[:1], others):
        run.append(0)
        compare(Function(counted, outputs, name="original"), compressed, tmp_path / "inputs.npz", Settings(task=task))
    # Once to be compared; some inputs again for the checks of a function, or for their scale.
    assert len(inputs) <= run[0] == run[1] < 2.5 * len(inputs)
