"""Files that are exchanged, cut off or deleted at random moments of a command: a refusal, or a verdict on what it read.

``QUANTRIFT_SWAPS=10 pytest -m nightly tests/e2e/test_changing_files.py`` does it ten times to each given file.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.files import sha256
from quantrift.judge.intake.example import paths

TIMES = int(os.environ.get("QUANTRIFT_SWAPS", "1"))
GIVEN = {"original": "original.keras", "compressed": "int8.tflite", "inputs": "inputs.npz"}
RESULT = {"assess": "assessment.json", "mend": "mend.json", "certify": "certificate.json"}
COMMANDS = {
    "assess": "--seeds 5 --generations 1",
    "mend": "--seeds 5 --generations 1 --no-compare --max-dir 30% --max-disagreement 30% --max-accuracy-drop none",
    "certify": "--neighbourhoods shift=1 --number 3",
}


def deleted(file: Path, other: Path) -> None:
    file.unlink(missing_ok=True)


def cut(file: Path, other: Path) -> None:
    os.truncate(file, random.randrange(file.stat().st_size))


def exchanged(file: Path, other: Path) -> None:
    shutil.copyfile(other, file.with_name("new"))
    file.with_name("new").replace(file)


def overwritten(file: Path, other: Path) -> None:
    shutil.copyfile(other, file)


def digests(command: str, out: Path) -> list[str]:
    """Digests of original, compressed network and inputs that a result names."""
    found = json.loads((out / RESULT[command]).read_text())
    if command == "certify":
        return [found["original"]["given"]["sha256"], found["compressed"]["given"]["sha256"], found["inputs"]["sha256"]]
    if command == "mend":
        return [found["original"]["sha256"], found["compressed"]["sha256"], found["inputs_sha256"]]
    return [found["original"]["sha256"], found["candidates"][0]["model"]["sha256"], found["inputs"]["sha256"]]


def run(command: str, folder: Path, out: Path) -> subprocess.Popen[bytes]:
    given = [word for option, name in GIVEN.items() for word in (f"--{option}", str(folder / name))]
    whole = [sys.executable, "-m", "quantrift.cli.main", command, *given, *COMMANDS[command].split(), "--out", str(out)]
    return subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


@pytest.mark.nightly
@pytest.mark.parametrize("command", COMMANDS)
def test_a_verdict_names_the_bytes_that_it_is_about(command: str, tmp_path: Path) -> None:
    example = paths()
    files = {"original": example.original, "compressed": example.int8, "inputs": example.inputs}
    with np.load(example.inputs) as arrays:
        held = dict(arrays)
    # Another file of each kind, which gives another result.
    others = {"original": example.original, "compressed": example.dynamic, "inputs": tmp_path / "fewer.npz"}
    np.savez(others["inputs"], **{name: one[:100] if len(one) == 128 else one for name, one in held.items()})
    began = time.monotonic()
    for option, name in GIVEN.items():
        shutil.copyfile(files[option], tmp_path / name)
    assert run(command, tmp_path, tmp_path / "whole").wait() in (0, 1, 3)
    seconds = time.monotonic() - began
    ends = {0: 0, 1: 0, 2: 0, 3: 0}
    for option, name in GIVEN.items():
        for number in range(TIMES):
            chance = random.Random(f"{command} {option} {number}")
            random.seed(chance.random())
            change: Callable[[Path, Path], None] = chance.choice([deleted, cut, exchanged, overwritten])
            folder, out = tmp_path / f"{option}{number}", tmp_path / f"out{option}{number}"
            folder.mkdir()
            for one, file in GIVEN.items():
                shutil.copyfile(files[one], folder / file)
            process = run(command, folder, out)
            # Files are opened early in a run.
            time.sleep(chance.uniform(0, 1) ** 2 * seconds)
            change(folder / name, others[option])
            said = process.communicate()[1].decode()
            assert process.returncode in ends, (change.__name__, process.returncode, said)
            ends[process.returncode] += 1
            if process.returncode == 2:
                assert not out.exists() or not any(
                    one.suffix == ".json" for one in out.iterdir() if command != "certify"
                )
                continue
            known = {one: {sha256(files[one]), sha256(others[one])} for one in GIVEN}
            for one, digest in zip(GIVEN, digests(command, out), strict=True):
                assert digest in known[one], (one, change.__name__)
    print(f"{command}: exit codes {ends}")
