"""A network of an image and an angle, trained here, against its 8-bit forms: verdict, report, replay and new builds."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.factories.installed import needs
from tests.factories.several_inputs import tilted_digits, write_trained
from tests.factories.shared import made_once

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays

pytestmark = [pytest.mark.slow, needs("tensorflow", "sklearn", "tf2onnx", "onnxruntime")]
SMALL = ["--change", "image", "--seeds", "12", "--generations", "3"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the files of ``write_trained``."""
    return made_once(tmp_path_factory, "two_inputs", write_trained)


def test_one_input_is_changed_and_the_other_goes_along(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, inputs = tmp_path / "out", ["--inputs", str(trained / "test.npz")]
    given = ["--original", str(trained / "net.keras"), *inputs, "--out", str(out)]
    compressed = [one for name in ("int8.tflite", "net.onnx") for one in ("--compressed", str(trained / name))]
    assert main(["assess", "--verbose", *given, *compressed, *SMALL]) in (0, 3)
    said = capsys.readouterr().out
    assert "only 'image' is changed; 'angle' of the same input goes along unchanged" in said
    whole = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    assert (whole["inputs"]["changed"], whole["inputs"]["carried"]) == ("image", ["angle"])
    assert whole["inputs"]["shape"] == [8, 8, 1]
    assert "goes along unchanged" in whole["verdict_text"]
    for one in whole["candidates"]:
        # Without its angle, a digit has a class in half of the cases.
        assert one["clean"]["accuracy_original"] > 0.85
        assert one["clean"]["disagreement"]["value"] < 0.05
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "alone: each keeps its own angle" in page
    for one in whole["candidates"]:
        for tool in one["tools"]:
            assert main(["replay", str(out / tool["records"])]) == 0
        stored = read_arrays(out / one["dii_file"])
        own = tilted_digits()["angle"][1400:][stored["seed"]]
        assert stored["carried.angle"].tobytes() == own.tobytes()
    capsys.readouterr()
    # The build that was assessed gets the verdict that it got.
    first = whole["candidates"][0]
    code = main(["replay", "--compressed", str(trained / "int8.tflite"), str(out / first["dii_file"])])
    assert code == {"pass": 0, "fail": 1, "inconclusive": 3}[first["verdict"]]
    assert f"verdict: {first['verdict']}" in capsys.readouterr().out


def test_the_other_input_counts(trained: Path, tmp_path: Path) -> None:
    data = read_arrays(trained / "test.npz")
    shuffled = np.random.default_rng(0).permutation(data["angle"])
    write_arrays(tmp_path / "wrong.npz", data | {"angle": shuffled})
    accuracies = []
    for inputs in (trained / "test.npz", tmp_path / "wrong.npz"):
        out = tmp_path / inputs.stem
        given = ["--original", str(trained / "float.tflite"), "--compressed", str(trained / "int8.tflite")]
        assert main(["assess", *given, "--inputs", str(inputs), "--out", str(out), *SMALL]) in (0, 1, 3)
        whole = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
        accuracies.append(whole["candidates"][0]["clean"]["accuracy_compressed"])
    assert accuracies[0] > 0.85 > 0.65 > accuracies[1]


def test_a_task_compares_outputs_by_name_under_one_changed_input(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    given = ["--original", str(trained / "float.tflite"), "--compressed", str(trained / "int8.tflite")]
    task = ["--task", "regress", "--tolerance", "0.3", "--labels", "none_of_these"]
    data = read_arrays(trained / "test.npz")
    write_arrays(tmp_path / "test.npz", {name: data[name] for name in ("image", "angle")})
    known = ["--inputs", str(tmp_path / "test.npz"), "--out", str(out), *SMALL]
    assert main(["assess", *given, *known, *task]) == 2
    assert "has no array 'none_of_these'" in capsys.readouterr().err
    assert main(["assess", *given, *known, *task[:-2]]) in (0, 1, 3)
    whole = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    assert whole["task"]["name"] == "regress"
    one = whole["candidates"][0]
    for tool in one["tools"]:
        assert main(["replay", str(out / tool["records"])]) == 0


def test_without_a_choice_the_inputs_are_named(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("net.keras", "float.tflite", "net.onnx"):
        given = ["--original", str(trained / name), "--compressed", str(trained / "int8.tflite")]
        assert main(["assess", *given, "--inputs", str(trained / "test.npz"), "--out", str(tmp_path / "out")]) == 2
        said = capsys.readouterr().err
        assert "has 2 inputs" in said
        assert "'image' 8 x 8 x 1" in said
        assert "'angle' 1" in said
        assert "--change NAME" in said
