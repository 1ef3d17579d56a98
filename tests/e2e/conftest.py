"""The demo's data at a size that runs in a minute, and what a run of it makes."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

_SMALL = """
scale: small
models:
  hybridsn: {width: 0.125, training: {epochs: 4, batch: 64}}
  lenet5: {training: {epochs: 2, batch: 64}}
compressions: {ptq_int8: {max_accuracy_loss: 0.2}}
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
  digits: {dataset: [digits], model: [lenet5], compression: [ptq_int8]}
protocols: {rq1: {run_seeds: 6, inputs: 4, generations: 8}}
targets: {models: {subjects: [diverget, digits]}, compression: {subjects: [diverget, digits]}}
all: [models, compression, diverget_table4, diverget_table4_boxes, report]
"""


def _made(folder: Path) -> dict[str, bytes]:
    """Tables, metrics and figures by name; no times, and no provenance, which names the configuration."""
    kept = [*folder.glob("tables/*"), *folder.glob("figures/*"), *folder.glob("metrics/**/*.csv")]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in kept
        if ".timing." not in path.name and ".provenance." not in path.name
    }


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """An overlay of scale ``small``."""
    path = tmp_path / "small.yaml"
    path.write_text(_SMALL)
    return path


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory, snakemake_anywhere: Callable[[Path], Run]) -> Path:
    """A folder with ``small.yaml`` in which everything of it was made; tests change copies of it."""
    folder = tmp_path_factory.mktemp("small_run")
    (folder / "small.yaml").write_text(_SMALL)
    done = snakemake_anywhere(folder)("--configfile", str(folder / "small.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def copy_of_run(small_run: Path, tmp_path: Path) -> Path:
    """A copy of ``small_run`` that a test may change."""
    return Path(shutil.copytree(small_run, tmp_path / "copy"))


@pytest.fixture
def made() -> Callable[[Path], dict[str, bytes]]:
    """What a results folder holds that must be equal from run to run, by name."""
    return _made
