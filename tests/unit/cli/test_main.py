"""The command: help with examples, exit codes, one line for what cannot run."""

import hashlib
import json
import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest
from tools.bench import summary
from tools.benchmarks.benchmark import Result

from quantrift.cli.main import COMMANDS, main
from quantrift.core.base import process_environment
from quantrift.core.base.files import read_json
from quantrift.study.league.planted.stored_weights import EditedTFLite


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"quantrift {name}" in capsys.readouterr().out.split("example", 1)[1]


def test_an_unknown_command_could_not_run() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["asses"])
    assert stop.value.code == 2


def test_audit_lists_operations_and_checks_a_limit(
    trained: Path, compressed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--min-share", "0.95", str(compressed / "model.tflite")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^CONV_2D +INT8 +INT8 +INT8 +[\d,]+ +yes$", out, re.MULTILINE)
    assert "in 8 bits: 100.00 %" in out
    assert main(["audit", "--min-share", "0.95", str(trained / "original.tflite")]) == 1


def test_audit_writes_what_it_found_for_servers(
    compressed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "a model.tflite"
    file = EditedTFLite((compressed / "model.tflite").read_bytes())
    _, bias = file.layers[0]
    bias.quantization.scale = 2 * np.asarray(bias.quantization.scale, np.float32)
    model.write_bytes(file.content())

    assert main(["audit", str(model)]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("finding: ")]
    assert main(["audit", "--strict", "--json", "--sarif", str(tmp_path / "audit.sarif"), str(model)]) == 1
    told = json.loads(capsys.readouterr().out)
    [finding] = told["findings"]
    assert line == f"finding: {finding['rule']}: {finding['layer']}: {finding['text']}"
    assert (told["file"], told["sha256"]) == (str(model), hashlib.sha256(model.read_bytes()).hexdigest())
    assert told["int8_mac_share"] == 1
    log = read_json(tmp_path / "audit.sarif")
    [run] = log["runs"]
    [result] = run["results"]
    assert log["version"] == "2.1.0"
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert (result["level"], result["message"]["text"]) == ("error", finding["text"])
    [place] = result["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == model.as_uri()
    assert place["logicalLocations"] == [{"fullyQualifiedName": finding["layer"]}]

    assert main(["audit", "--strict", str(compressed / "model.tflite")]) == 0
    before = model.read_bytes()
    assert main(["audit", "--sarif", str(model), str(model)]) == 2
    assert model.read_bytes() == before


@pytest.mark.parametrize("suffix", [".tflite", ".onnx"])
def test_audit_of_what_is_no_model_could_not_run(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"model{suffix}"
    assert main(["audit", str(path)]) == 2
    path.write_bytes(b"nothing")
    assert main(["audit", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith("quantrift audit: ") for line in lines] == [True, True]


def test_a_command_leaves_no_variables_or_signal_handlers_to_the_process_that_ran_it(tmp_path: Path) -> None:
    before, handlers = dict(os.environ), [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    missing = [f"--{name}={tmp_path / 'none'}" for name in ("original", "compressed", "inputs", "out")]
    assert main(["assess", *missing, "--max-unpacked", "1GB"]) == 2
    # What pins libraries to their results stays.
    assert {name for name in os.environ if os.environ[name] != before.get(name)} <= process_environment.SET.keys() | {
        "TF_CPP_MIN_LOG_LEVEL"
    }
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == handlers


def test_a_benchmark_is_judged_by_its_median() -> None:
    results = [Result(value, "fraction", "models alone", 1 / value, {"wall": value}) for value in (0.9, 0.5, 0.8)]
    found = summary("efficiency", "demo", results)
    assert found["value"] == 0.8
    assert found["repeats"] == [0.9, 0.5, 0.8]
    assert found["ratio"] == 1 / 0.8
    assert found["command"] == "python -m tools.bench efficiency"
