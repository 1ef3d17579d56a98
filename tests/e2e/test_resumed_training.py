"""A killed training job goes on, when Snakemake runs it again, after the last epoch it has kept."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.factories.places import ROOT

EPOCHS = 8
MODEL = Path("results/small/models/sim_pavia/hybridsn")
CHECKPOINT = "training.checkpoint.npz"
Run = Callable[..., subprocess.CompletedProcess[str]]


def started(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Snakemake in a session of its own, once a checkpoint newer than those before it is there."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    file, now = folder / MODEL / CHECKPOINT, time.time_ns()
    process = subprocess.Popen(
        [*command, "--cores", "2", *arguments], start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not file.is_file() or file.stat().st_mtime_ns < now:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def jobs(snakemake: int) -> list[psutil.Process]:
    """The processes below Snakemake that train."""
    below = psutil.Process(snakemake).children(recursive=True)
    return [child for child in below if child.cmdline()[-1].endswith(".train.py")]


@pytest.mark.slow
def test_a_training_killed_twice_goes_on_and_ends_like_a_whole_one(small: Path, snakemake: Run, tmp_path: Path) -> None:
    folder = tmp_path / MODEL
    overlay = ["--config", f"models={{hybridsn: {{training: {{epochs: {EPOCHS}}}}}}}"]
    arguments = [str(MODEL / "model.json"), "--configfile", str(small), *overlay]

    run = started(tmp_path, arguments)
    for job in jobs(run.pid):
        job.terminate()
    # Snakemake removes what its failed job wrote, and that is not the checkpoint.
    assert run.wait() == 1
    assert [path.name for path in folder.iterdir()] == [CHECKPOINT]

    run = started(tmp_path, arguments)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert CHECKPOINT in [path.name for path in folder.iterdir()]

    subprocess.run([sys.executable, "-m", "quantrift.cli.main", "unlock"], cwd=tmp_path, check=True)
    resumed = snakemake(*arguments)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    [epoch] = re.findall(rf"training hybridsn: resuming after epoch ([0-9]+) of {EPOCHS}", resumed.stderr)
    assert int(epoch) >= 2
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "model.keras" in kept
    assert CHECKPOINT not in kept

    whole = snakemake(*arguments, "--forcerun", "train")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert "resuming" not in whole.stderr
    again = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert again.keys() == kept.keys()
    assert {name for name in kept if kept[name] != again[name]} == {"model.timing.json"}
