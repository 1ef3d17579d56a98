"""One of several outputs is compared: named by the user, on both sides, and kept with the results."""

import json
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.installed import needs
from tests.factories.new_builds import on_given
from tests.factories.several_outputs import SHAPE, expected, graph

from quantrift import api
from quantrift.api import Function, InputForm, task_of
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.given_networks import compressed, original
from quantrift.judge.verdict import bundle
from quantrift.judge.verdict.new_build import still

pytestmark = needs("onnx", "onnxruntime")
FORM = InputForm(range=(0, 255), outputs=("logits",))
SIZE: dict[str, Any] = {"seeds": 6, "generations": 3}
STEP = 3


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``net.onnx``, versions of it with rounded weights, and inputs with their labels."""
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "net.onnx").write_bytes(graph())
    (folder / "rounded.onnx").write_bytes(graph(("logits", "shares"), STEP))
    (folder / "renamed.onnx").write_bytes(graph(step=STEP, called=("a", "b")))
    (folder / "alone.onnx").write_bytes(graph(("logits",), STEP, ("last",)))
    images = np.random.default_rng(0).integers(0, 256, (60, *SHAPE)).astype(np.float32)
    write_arrays(folder / "test.npz", {"inputs": images, "labels": expected(images).argmax(axis=1)})
    return folder


@pytest.mark.parametrize(
    ("name", "how"),
    [("rounded", "by name"), ("renamed", "by their order, as names differ"), ("alone", "as it has no other")],
)
def test_the_output_of_either_network_is_compared(name: str, how: str, saved: Path, tmp_path: Path) -> None:
    images = read_arrays(saved / "test.npz")["inputs"]
    with ForeignFiles() as files:
        first = original(saved / "net.onnx", tmp_path, files, FORM)
        second = compressed(saved / f"{name}.onnx", files, FORM, first.chosen)
    assert first.network(images).tobytes() == expected(images).tobytes()
    assert second.network(images).tobytes() == expected(images, STEP).tobytes()
    assert "net.onnx: only output 'logits' is compared; 'shares' is not" in first.assumed
    assert any(line.endswith(f"matched to the original's {how}") for line in second.assumed)


def test_the_ending_is_that_of_the_chosen_output(saved: Path, tmp_path: Path) -> None:
    form = InputForm(range=(0, 255), outputs=("shares",))
    with ForeignFiles() as files:
        assert original(saved / "net.onnx", tmp_path, files, form).network.signature.probabilities
        assert not original(saved / "net.onnx", tmp_path, files, FORM).network.signature.probabilities


@pytest.mark.slow
def test_a_verdict_names_the_output_and_new_builds_and_replays_compare_it(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = api.assess(saved / "net.onnx", saved / "rounded.onnx", saved / "test.npz", out, form=FORM, **SIZE)
    data = read_arrays(saved / "test.npz")
    differ = expected(data["inputs"]).argmax(axis=1) != expected(data["inputs"], STEP).argmax(axis=1)
    [one] = found.candidates
    assert one.clean.disagreeing == differ.sum() > 0
    assert "only output 'logits' is compared; 'shares' is not" in found.verdict_text
    assert api.read(out).task.outputs == ["logits"]
    page = unescape((out / "report.html").read_text("utf-8"))
    assert "of the outputs of both models, 'logits' alone is compared" in page
    assert all(again.complete for again in api.replay(out).values())
    stored = out / one.dii_file
    for name in ("rounded", "renamed", "alone"):
        again = still(stored, saved / f"{name}.onnx", saved / "net.onnx")
        assert on_given(again.judgements) == on_given(one.judgements)
        assert len(again.rows) == len(again.original)
    assert not len(still(stored, saved / "net.onnx").rows), "the original has no output that disagrees with itself"


@pytest.mark.slow
def test_layers_of_the_chosen_output_are_compared(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = api.assess(saved / "net.onnx", saved / "rounded.onnx", saved / "test.npz", out, form=FORM, **SIZE)
    [one] = found.candidates
    assert one.layers[-1].layer == "output"
    images = read_arrays(saved / "test.npz")["inputs"]
    before, after = expected(images), expected(images, STEP)
    sqnr = 10 * np.log10((before**2).sum() / ((before - after) ** 2).sum())
    assert one.layers[-1].sqnr_db == pytest.approx(sqnr, abs=0.5)


def test_assessments_of_one_output_hold_nothing_on_others(saved: Path, tmp_path: Path) -> None:
    form = InputForm(range=(0, 255))
    api.assess(saved / "alone.onnx", saved / "alone.onnx", saved / "test.npz", tmp_path / "out", form=form, **SIZE)
    assert "outputs" not in json.loads((tmp_path / "out" / "assessment.json").read_text("utf-8"))["task"]


@pytest.mark.slow
def test_a_task_compares_the_chosen_outputs_alone(saved: Path, tmp_path: Path) -> None:
    out, task = tmp_path / "out", task_of("regress", {"tolerance": (500.0,), "share": False})
    data = {"inputs": read_arrays(saved / "test.npz")["inputs"]}
    write_arrays(tmp_path / "test.npz", data)
    files = saved / "net.onnx", saved / "rounded.onnx", tmp_path / "test.npz"
    found = api.assess(*files, out, form=FORM, task=task, **SIZE)
    [one] = found.candidates
    assert [part.name for part in one.clean.parts] == [f"logits {place}" for place in range(3)]
    gap = np.abs(expected(data["inputs"]) - expected(data["inputs"], STEP)).max(axis=1)
    assert one.clean.disagreeing == (gap > 500).sum() > 0
    assert all(again.complete for again in api.replay(out).values())


@pytest.mark.slow
def test_a_function_gives_the_output_that_is_compared(saved: Path, tmp_path: Path) -> None:
    second = Function(lambda images: expected(images, STEP), "logits", SHAPE)
    found = api.assess(saved / "net.onnx", second, saved / "test.npz", tmp_path / "out", form=FORM, **SIZE)
    assert found.candidates[0].clean.disagreeing > 0


@pytest.mark.slow
def test_a_bundle_keeps_the_choice(saved: Path, tmp_path: Path) -> None:
    given = ["--original", str(saved / "net.onnx"), "--inputs", str(saved / "test.npz"), "--output", "logits"]
    drawn = ["--range", "0", "255", "--seeds", "4", "--number", "20"]
    assert main(["export-inputs", *given, *drawn, "--out", str(tmp_path / "bundle")]) == 0
    made_of = bundle.read(tmp_path / "bundle", GivenFiles())[0]
    assert (made_of.compared, made_of.outputs) == (["logits"], ["shares", "logits"])
    images = np.load(tmp_path / "bundle" / "inputs.npy")
    np.savez(tmp_path / "said.npz", logits=expected(images, STEP), shares=np.zeros((len(images), 6)))
    words = [str(tmp_path / "bundle"), str(tmp_path / "said.npz"), "--values", "logits"]
    assert main(["judge-outputs", *words, "--out", str(tmp_path / "out")]) in (0, 1, 3)
    [one] = api.read(tmp_path / "out").candidates
    assert "only output 'logits' is compared" in api.read(tmp_path / "out").verdict_text
    assert len(still(tmp_path / "out" / one.dii_file, saved / "rounded.onnx").rows)


REFUSED: dict[str, tuple[list[str], str]] = {
    "none": ([], "has 2 outputs ('shares' 6, 'logits' 3); quantrift assess --output NAME says which one holds the"),
    "unknown": (["--output", "side"], "has no output 'side'; name one of 'shares', 'logits' with --output"),
    "two for labels": (["--output", "shares", "--output", "logits"], "is given 2 times, but labels come from one"),
    "a function": (["--output", "logits", "--agree", "m:f"], "the function of --agree gets all outputs by name"),
    "certified": (["--output", "logits", "--certify", "linf=1"], "certifies networks of one input and one output"),
    "a role": (
        ["--task", "detect", "--output", "logits"],
        "--output is 'logits'; give boxes, scores, classes or",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_choice_that_does_not_fit_is_one_line(
    name: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options, said = REFUSED[name]
    given = ["--original", str(saved / "net.onnx"), "--compressed", str(saved / "rounded.onnx"), "--range", "0", "255"]
    given += ["--inputs", str(saved / "test.npz"), "--out", str(tmp_path / "out"), *options]
    assert main(["assess", *given]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_networks_of_several_outputs_are_not_mended(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="networks of one input and one output are mended"):
        api.mend(saved / "net.onnx", saved / "rounded.onnx", saved / "test.npz", tmp_path / "out", form=FORM)
