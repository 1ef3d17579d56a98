"""Runs with the generic profile, whose commands are Grid Engine's; stand-ins for these start jobs on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from tests.factories.places import ROOT

from quantrift.core.search.record_columns import TIMES
from quantrift.study.planning import job_resources

COMMANDS = ("qsub", "qstat", "qacct", "qdel")
QUICKER = ["--seconds-between-status-checks", "1", "--latency-wait", "5"]
Through = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def through(tmp_path: Path) -> Through:
    """Runs Snakemake in a folder with the profile."""
    pytest.importorskip(
        "snakemake_executor_plugin_cluster_generic", reason="the plugin is not installed; see docs/cluster.md"
    )

    def run(folder: Path, *arguments: str, fails_once: str = "") -> subprocess.CompletedProcess[str]:
        commands, state = tmp_path / "bin", tmp_path / "scheduler"
        for made in (commands, state, folder):
            made.mkdir(exist_ok=True)
        for name in COMMANDS:
            command = commands / name
            command.write_text(f"#!{sys.executable}\n{(ROOT / 'tests' / 'e2e' / 'scheduler.py').read_text()}")
            command.chmod(0o755)
        environment = os.environ | {
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "SCHEDULER": str(state),
            "FAILS_ONCE": fails_once,
        }
        environment.pop("QUANTRIFT_MIRROR", None)
        place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
        profile = ["--profile", str(ROOT / "profiles" / "generic"), *QUICKER]
        return subprocess.run(
            [sys.executable, "-m", "snakemake", *place, *profile, *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def submitted(tmp_path: Path) -> list[dict[str, Any]]:
    """What each job asked for, in the order in which they were submitted."""
    files = sorted((tmp_path / "scheduler").glob("*.json"), key=lambda file: int(file.stem))
    return [json.loads(file.read_text()) for file in files]


def records(results: Path) -> dict[str, pa.Table]:
    """All records by name, without times and metadata."""
    files = sorted((results / "search").rglob("*.parquet"))
    return {
        str(file.relative_to(results)): pq.read_table(file).drop_columns(list(TIMES)).replace_schema_metadata(None)
        for file in files
    }


@pytest.mark.slow
def test_a_killed_job_is_noticed_and_submitted_again_with_more_memory(
    through: Through, small: Path, tmp_path: Path
) -> None:
    wanted = "results/small/data/digits/lenet5.npz"
    done = through(tmp_path / "run", wanted, "--configfile", str(small), fails_once="inputs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "run" / wanted).is_file()
    source, first, second = submitted(tmp_path)
    assert [job["rule"] for job in (source, first, second)] == ["source", "inputs", "inputs"]
    assert source["cores"] == 1
    for asked in ("mb", "minutes"):
        assert second[asked] == 2 * first[asked] > 0


@pytest.mark.slow
def test_what_a_failed_job_said_is_said_where_it_was_submitted(through: Through, small: Path, tmp_path: Path) -> None:
    whole = yaml.safe_load(small.read_text())
    whole["data"] = {"source": "mirror", "mirror": str(tmp_path)}
    whole["subjects"]["digits"]["dataset"] = ["mnist"]
    small.write_text(yaml.safe_dump(whole))
    wanted = "results/small/data/mnist/source.npz"
    done = through(tmp_path / "run", wanted, "--configfile", str(small), "--retries", "0")
    assert done.returncode != 0
    log = "results/small/logs/source/mnist.log"
    [line] = [line for line in done.stderr.splitlines() if line.startswith("  failed  source mnist: ")]
    assert "no such file" in line
    assert line.endswith(f"(log: {log})")
    assert "no such file" in (tmp_path / "run" / log).read_text().splitlines()[-1]


# Slurm's tests make whole runs by day.
@pytest.mark.nightly
def test_a_run_through_a_scheduler_equals_a_local_one(
    through: Through, pipeline: Path, made: Callable[[Path], dict[str, bytes]], tmp_path: Path
) -> None:
    scale = pipeline.stem
    # A submitted job costs seconds in start-up alone, so few searches.
    fewer = yaml.safe_load(pipeline.read_text())
    fewer["experiments"] = {**fewer.get("experiments", {}), "rq1": {"tools": ["random", "pso_div"]}}
    pipeline.write_text(yaml.safe_dump(fewer))
    asked = ["diverget_table4", "--configfile", str(pipeline)]
    local, cluster = tmp_path / "local", tmp_path / "cluster"
    local.mkdir()
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(local)]
    done = subprocess.run([*command, "--cores", "2", *asked], cwd=local, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    done = through(cluster, *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = records(local / "results" / scale)
    found = records(cluster / "results" / scale)
    assert expected
    assert found.keys() == expected.keys()
    assert [name for name, table in found.items() if not table.equals(expected[name])] == []
    assert made(cluster / "results" / scale) == made(local / "results" / scale)
    jobs = {name: [job for job in submitted(tmp_path) if name in job["rule"]] for name in ("train", "search", "seeds")}
    assert [job["cores"] for job in jobs["train"]] == [2]
    assert jobs["seeds"] == []
    # Both tools' searches, and one after the other: on one core, in the time of both.
    [group] = jobs["search"]
    assert group["rule"] == "short_search_sim_pavia_hybridsn"
    assert group["cores"] == 1
    assert group["minutes"] > 2 * job_resources.START_S / 60
