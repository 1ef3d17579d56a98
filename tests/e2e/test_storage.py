"""Jobs that share no folder: all that they read comes from a storage, and all that they write goes there."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from quantrift.core.page.arrangement import records

Run = Callable[..., subprocess.CompletedProcess[str]]

QUICKLY = "models={hybridsn: {width: 0.125, training: {epochs: 1}}, lenet5: {training: {epochs: 1}}}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("rsync") is None, reason="the storage plugin for a folder needs rsync")
def test_the_demos_first_table_is_made_without_a_shared_folder(snakemake: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    provider = ["--default-storage-provider", "fs", "--default-storage-prefix", str(store)]
    done = snakemake(*provider, "--shared-fs-usage", "none", "--config", QUICKLY, "--", "models")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = records(store / "results" / "demo" / "tables" / "models.csv")
    assert [(row["dataset"], row["model"]) for row in rows] == [
        ("sim_pavia", "hybridsn"), ("sim_salinas", "hybridsn"), ("digits", "lenet5")
    ]  # fmt: skip
    assert not (tmp_path / "results" / "demo" / "tables").exists()
