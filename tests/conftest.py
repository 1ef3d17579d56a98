"""Snakemake on this checkout; hand-made searches tables and what is written of them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from quantrift.metrics import run_seeds

ROOT = Path(__file__).parents[1]
MIRROR = "QUANTRIFT_MIRROR"
Run = Callable[..., subprocess.CompletedProcess[str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what reads official files where there are none."""
    if not os.environ.get(MIRROR):
        for item in items:
            if item.get_closest_marker("mirror"):
                item.add_marker(pytest.mark.skip(reason=f"reads official files; {MIRROR} is not set"))


@pytest.fixture(scope="session", autouse=True)
def _threads_of_tensorflow() -> None:
    """Fix the number of threads before any test starts TensorFlow, as it cannot be changed afterwards."""
    if "tensorflow" in sys.modules:
        from quantrift.config.networks import Training
        from quantrift.models.training import reproducible

        reproducible(Training(epochs=1, batch=1, learning_rate=0.001))


def snakemake_in(folder: Path, *, mirror: bool = False) -> Run:
    """Snakemake with the given arguments and results below ``folder``; the demo's configuration by default."""
    environment = {key: value for key, value in os.environ.items() if mirror or key != MIRROR}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        if "--configfile" not in arguments:
            arguments = ("--configfile", str(ROOT / "config" / "config.yaml"), *arguments)
        if "--cores" not in arguments:
            arguments = ("--cores", "2", *arguments)
        place = ["--directory", str(folder)]
        return subprocess.run(
            [*command, *place, *arguments], capture_output=True, text=True, env=environment, check=False
        )

    return run


@pytest.fixture
def snakemake(tmp_path: Path) -> Run:
    """Snakemake with the given arguments, results below ``tmp_path``, no official files; the demo by default."""
    return snakemake_in(tmp_path)


@pytest.fixture
def snakemake_on_mirror(tmp_path: Path) -> Run:
    """The same with official files."""
    return snakemake_in(tmp_path, mirror=True)


@pytest.fixture(scope="session")
def snakemake_anywhere() -> Callable[[Path], Run]:
    """Makes ``snakemake`` for another folder."""
    return snakemake_in


def _search(run_seed: int, number: int, **counts: object) -> dict[str, object]:
    row: dict[str, object] = {
        "run_seed": run_seed,
        "input": number,
        "target": -1,
        "true_label": 1,
        "seed_disagrees": False,
        "generated": 100,
        "distinct": 100,
        "valid": 50,
        "dii": 0,
        "dii_distinct": 0,
        "memberships": 100,
        "dii_memberships": 0,
        "generations": 10,
        "first_dii": 0,
        "reached": 0,
        "reached_distinct": 0,
        "first_reached": 0,
        "seconds": 0.5,
    }
    return row | counts


def _found(run_seed: int, number: int, dii: int) -> dict[str, object]:
    first = 10 if dii else 0
    return _search(run_seed, number, dii=dii, dii_distinct=dii, dii_memberships=dii, first_dii=first)


@pytest.fixture
def search() -> Callable[..., dict[str, Any]]:
    """Row of a search, by run seed and input: 100 candidates, 50 valid, none found, but for what is given by name."""
    return _search


@pytest.fixture
def found() -> Callable[..., dict[str, Any]]:
    """Row of a search, by run seed, input and number of distinct difference-inducing inputs."""
    return _found


@pytest.fixture
def keys() -> dict[str, str]:
    """What the metrics of ``write_metrics`` belong to."""
    return {
        "dataset": "sim_pavia",
        "model": "hybridsn",
        "compression": "ptq_int8",
        "tool": "random",
        "protocol": "rq1",
    }


@pytest.fixture
def write_metrics(tmp_path: Path, keys: dict[str, str]) -> Callable[..., Path]:
    """Writes metrics of a tool with two inputs a run seed, the first yielding ``dii[run seed]``; returns the CSV."""

    def written(tool: str, dii: list[int], **other: str) -> Path:
        of = keys | {"tool": tool} | other
        rows = [_found(seed, 2 * seed + n, count * (1 - n)) for seed, count in enumerate(dii) for n in (0, 1)]
        block = tmp_path / "blocks" / of["dataset"] / tool / "seeds.searches.parquet"
        block.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_parquet(block)
        out = tmp_path / "metrics" / of["dataset"] / tool / f"{of['protocol']}.csv"
        run_seeds.write([block], of, out)
        return out

    return written
