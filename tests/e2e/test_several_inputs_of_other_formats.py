"""A network of an image and an angle in .pt2, .xml and .pte files: verdict, report, replay and new builds."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.factories.installed import needs
from tests.factories.new_builds import on_given
from tests.factories.several_inputs import tilted_digits, write_torch
from tests.factories.shared import made_once

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.given_networks import Ready, compressed, original
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.verdict.new_build import still

pytestmark = [pytest.mark.slow, needs("torch", "executorch", "openvino", "onnxruntime", "sklearn")]
SMALL = ["--seeds", "4", "--generations", "2"]
EXITS = {"pass": 0, "fail": 1, "inconclusive": 3}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the files of ``write_torch``."""
    return made_once(tmp_path_factory, "two_inputs_of_torch", write_torch)


def rows_of(ready: Ready, data: dict[str, np.ndarray]) -> np.ndarray:
    """Outputs of a network for tilted digits, with channels last."""
    from quantrift.judge.intake.given_inputs import rows_for

    signature = ready.network.signature
    others = {one.name: data["angle"] for one in signature.carried}
    found: np.ndarray = ready.network(rows_for(signature, data["image"], others, "test"))
    return found


@pytest.mark.parametrize("head", [(), ("logits",)], ids=["one output", "two outputs"])
def test_all_formats_give_the_same_labels_for_both_inputs(trained: Path, tmp_path: Path, head: tuple[str, ...]) -> None:
    data = {name: one[1400:] for name, one in tilted_digits().items()}
    name, form = "heads" if head else "net", InputForm(change="image", outputs=head)
    with ForeignFiles() as files:
        first = original(trained / f"{name}.pt2", tmp_path, files, form)
        said = rows_of(first, data)
        assert (said.argmax(axis=1) == data["labels"]).mean() > 0.85
        for ending in ("onnx", "onnx@openvino", "xml", "pte"):
            second = compressed(trained / f"{name}.{ending}", files, form, first.chosen)
            assert second.network.input_shape == first.network.input_shape == (1, 1, 65)
            found = rows_of(second, data)
            if ending != "pte":
                np.testing.assert_allclose(found, said, atol=1e-3)
            assert (found.argmax(axis=1) != said.argmax(axis=1)).mean() < 0.05


# Each kind of file is an original once, and a compressed network once.
PAIRS = {"net.pt2": "net.pte", "net.xml": "net.pt2", "net.pte": "net.xml", "net.onnx": "int8.onnx@openvino"}


@pytest.mark.parametrize("first", PAIRS)
def test_one_input_is_changed_and_the_other_goes_along(first: str, trained: Path, tmp_path: Path) -> None:
    out, second = tmp_path / "out", PAIRS[first]
    change = "input_1" if first.endswith(".pte") else "image"
    data = read_arrays(trained / "test.npz")
    named = {change: data["image"], "input_0" if change == "input_1" else "angle": data["angle"]}
    write_arrays(tmp_path / "test.npz", named | {"labels": data["labels"]})
    given = ["--original", str(trained / first), "--compressed", str(trained / second), "--change", change]
    code = main(["assess", *given, "--inputs", str(tmp_path / "test.npz"), "--out", str(out), *SMALL])
    whole = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    assert code == EXITS[whole["verdict"]]
    assert f"only '{change}' is changed" in whole["verdict_text"]
    assert (out / "report.html").stat().st_size > 10_000
    [one] = whole["candidates"]
    # Without its angle, a digit has a class in half of the cases.
    assert one["clean"]["accuracy_compressed"] > 0.85
    for tool in one["tools"]:
        assert main(["replay", str(out / tool["records"])]) == 0
    again = ["replay", "--compressed", str(trained / second.partition("@")[0]), str(out / one["dii_file"])]
    assert main(again) == EXITS[one["verdict"]]


WRONG = {
    "net.pt2": ([], r"has 2 inputs \('angle' 1, 'image' 1 x 8 x 8\); quantrift assess --change NAME"),
    "net.xml": ([], r"has 2 inputs \('angle' 1, 'image' 1 x 8 x 8\); quantrift assess --change NAME"),
    "net.pte": ([], r"has 2 inputs \('input_0' 1, 'input_1' 1 x 8 x 8\); quantrift assess --change NAME"),
    "net.pt2 ": (["--change", "side"], "has no input 'side' to change; name one of 'angle', 'image' with --change"),
    "net.pte ": (["--change", "image"], "has no input 'image' to change; name one of 'input_0', 'input_1'"),
    "heads.pt2": (["--change", "image"], r"has 2 outputs \('embedding' 24, 'logits' 4\); quantrift assess --output"),
    "heads.xml": (["--change", "image", "--output", "side"], "no output 'side'; name one of 'embedding', 'logits'"),
    "heads.pte": (["--change", "input_1", "--output", "logits"], "no output 'logits'; name one of 'output_0', 'output"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_was_not_named_is_listed(
    name: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options, match = WRONG[name]
    file = str(trained / name.strip())
    given = ["--original", file, "--compressed", file, "--inputs", str(trained / "test.npz"), *options]
    assert main(["assess", *given, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.search(match, said)
    assert said.startswith(f"quantrift assess: {file}")


def test_one_of_two_outputs_is_compared_and_new_builds_get_what_was_carried(trained: Path, tmp_path: Path) -> None:
    out, data = tmp_path / "out", read_arrays(trained / "test.npz")
    # Without labels, and of an output that tells much between near values, so that some inputs disagree as given.
    write_arrays(tmp_path / "test.npz", {name: data[name] for name in ("image", "angle")})
    given = ["--original", str(trained / "heads.pt2"), "--compressed", str(trained / "heads.pte")]
    chosen = ["--change", "image", "--output", "embedding", "--inputs", str(tmp_path / "test.npz")]
    main(["assess", *given, *chosen, "--out", str(out), *SMALL])
    whole = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    assert whole["task"]["outputs"] == ["embedding"]
    assert "only output 'embedding' is compared; 'logits' is not" in whole["verdict_text"]
    assert any("'output_0' is compared" in line and "by their order" in line for line in whole["assumed"])
    [one] = whole["candidates"]
    stored = read_arrays(out / one["dii_file"])
    assert len(stored["inputs"]) > 0
    assert stored["input_places"].tolist() == [1, 0]
    for tool in one["tools"]:
        assert main(["replay", str(out / tool["records"])]) == 0
    for name in ("heads.pte", "heads.onnx", "heads.xml"):
        again = still(out / one["dii_file"], trained / name, trained / "heads.pt2")
        assert (len(again.rows) == len(stored["inputs"])) == (name == "heads.pte")
        if name == "heads.pte":
            assert on_given(again.judgements) == [row["text"] for row in one["judgements"] if row["tool"] is None]
