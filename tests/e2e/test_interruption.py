"""A killed run leaves no process, no lock that stays, and no file that a later run takes for finished."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.factories.places import ROOT

from quantrift.cli.unlock import RUN
from quantrift.core.base.files import read_json

KILLS = int(os.environ.get("QUANTRIFT_KILLS", "2"))
"""How often each kind of kill is tried."""
SECONDS_TO_DIE = 15
"""Four on a quiet machine: half a second to notice, three to clean up."""


def command(overlay: Path, folder: Path) -> list[str]:
    return [
        sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder),
        "--cores", "2", "--configfile", str(overlay),
    ]  # fmt: skip


def finish(overlay: Path, folder: Path) -> None:
    unlocked = subprocess.run([sys.executable, "-m", "quantrift.cli.main", "unlock"], cwd=folder, check=False)
    assert unlocked.returncode == 0
    done = subprocess.run(command(overlay, folder), capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def living(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd", "status"]):
        words = " ".join(process.info["cmdline"] or [])
        if (process.info["cwd"] == str(folder) or str(folder) in words) and process.info["status"] != "zombie":
            found.append(words)
    return found


def remove(results: Path, *, all_of_it: bool) -> None:
    """Remove the results of a run: all, or from the compressed models on, where most jobs are."""
    searched = ("search", "metrics", "tables", "figures", "subjects")
    for path in results.iterdir() if all_of_it else [results / name for name in searched]:
        if path.is_dir():
            shutil.rmtree(path)


def killed(run: list[str], folder: Path, after: float, *, whole_group: bool) -> bool:
    """Start a run and kill it after so many seconds, alone or with all that it started; False if it ended before."""
    with subprocess.Popen(
        run, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(after)
        if process.poll() is not None:
            return False
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    return True


@pytest.mark.nightly
@pytest.mark.parametrize("whole_group", [False, True], ids=["snakemake-alone", "whole-group"])
def test_after_a_kill_a_rerun_makes_the_same_tables(
    whole_group: bool, pipeline: Path, made: Callable[[Path], dict[str, bytes]], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    results = folder / "results" / pipeline.stem
    seconds = {}
    for from_nothing in (True, False):
        if results.exists():
            remove(results, all_of_it=from_nothing)
        begin = time.monotonic()
        finish(pipeline, folder)
        seconds[from_nothing] = time.monotonic() - begin
    expected = made(results)
    chance = random.Random(int(whole_group))
    for kill in range(KILLS):
        # Every third time a run from nothing.
        from_nothing = kill % 3 == 1
        while True:
            remove(results, all_of_it=from_nothing)
            after = chance.uniform(1, seconds[from_nothing] * 0.9)
            if killed(command(pipeline, folder), folder, after, whole_group=whole_group):
                break
        print(f"kill {kill + 1} of {KILLS} after {after:.0f} s, {len(made(results))} results")
        deadline = time.monotonic() + SECONDS_TO_DIE
        while (left := living(folder)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert left == []
        finish(pipeline, folder)
        assert made(results) == expected
    assert [path.name for path in results.rglob(".*")] == []


@pytest.mark.parametrize("dies", ["before the job starts", "while the job imports and works"])
def test_a_job_dies_with_its_snakemake_whatever_it_is_doing(dies: str) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as snakemake:
        run = f"{snakemake.pid} {psutil.Process(snakemake.pid).create_time()}"
        if dies == "before the job starts":
            snakemake.kill()
            snakemake.wait()
        script = "import quantrift.cli.entry, time; print('imported', flush=True); time.sleep(600)"
        with subprocess.Popen(
            [sys.executable, "-c", script], env=os.environ | {RUN: run}, stdout=subprocess.PIPE, text=True
        ) as job:
            if snakemake.poll() is None:
                assert job.stdout
                assert job.stdout.readline() == "imported\n"
                assert job.poll() is None
                snakemake.kill()
            job.wait(timeout=60)


@pytest.mark.slow
def test_a_lock_is_kept_while_its_run_lives(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    process = subprocess.Popen(command(small, folder), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    locks = folder / ".snakemake" / "locks"
    try:
        while not (folder / ".snakemake" / "quantrift-run.json").is_file():
            assert process.poll() is None
            time.sleep(0.1)
        unlock = [sys.executable, "-m", "quantrift.cli.main", "unlock"]
        refused = subprocess.run(unlock, cwd=folder, capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert f"process {process.pid} is working in this folder" in refused.stderr
        assert read_json(folder / ".snakemake" / "quantrift-run.json")["locked"], "seen from other containers too"
        assert list(locks.iterdir())
    finally:
        process.kill()
        process.wait()
    removed = subprocess.run(unlock, cwd=folder, capture_output=True, text=True, check=False)
    assert removed.returncode == 0
    assert not locks.exists()
