"""The whole way of the data, on the demo's data at a small size."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from quantrift.cli.main import main
from quantrift.records.tables import TIMES

Run = Callable[..., subprocess.CompletedProcess[str]]

SMALL = """
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


def records(folder: Path, suffix: str) -> pa.Table:
    """All records of a tool, without the times, as they would stand in one block."""
    tables = [pq.read_table(path).drop_columns(list(TIMES)) for path in sorted(folder.glob("seeds_*" + suffix))]
    return pa.concat_tables([table.replace_schema_metadata(None) for table in tables]).combine_chunks()


def made(folder: Path) -> dict[str, bytes]:
    """Tables, metrics and figures by name; no times, and no provenance, which names the configuration."""
    kept = [*folder.glob("tables/*"), *folder.glob("figures/*"), *folder.glob("metrics/**/*.csv")]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in kept
        if ".timing." not in path.name and ".provenance." not in path.name
    }


def test_the_main_job_runs_end_to_end_and_results_do_not_depend_on_how(snakemake: Run, tmp_path: Path) -> None:
    overlay = tmp_path / "small.yaml"
    overlay.write_text(SMALL)
    done = snakemake("--configfile", str(overlay))
    assert done.returncode == 0, done.stdout + done.stderr
    results = tmp_path / "results" / "small"

    table = pd.read_csv(results / "tables" / "diverget_table4.csv")
    ours = table[table.dataset == "sim_pavia"].set_index("tool")
    assert list(ours.index) == ["random", "random_feasible", "pso_div", "diverget"]
    assert (ours.scale == "small").all()
    assert (ours.run_seeds == 6).all()
    assert ours.vr.between(0.01, 1).all()
    assert ours.vr["pso_div"] > ours.vr["random"]
    assert 0.03125 <= ours.p["diverget"] <= 1
    printed = table[table.dataset == "pavia_university"]
    assert len(printed) > 0
    assert printed[["dir", "vr", "p"]].isna().all().all()
    assert printed.published_dir.notna().all()

    audits = pd.read_csv(results / "tables" / "compression.csv").set_index("dataset")
    assert (audits.int8_mac_share >= 0.95).all()
    assert audits.conv3d_float_share["sim_pavia"] > 0.5
    assert audits.conv3d_float_share["digits"] == 0
    provenance = json.loads((results / "tables" / "diverget_table4.provenance.json").read_text())
    assert re.fullmatch(r"[0-9a-f]{64}", provenance["config_digest"])
    page = (results / "report.html").read_text()
    assert "simulated" in page
    assert "<svg" in page

    again = snakemake("--configfile", str(overlay))
    assert "Nothing to be done" in again.stdout + again.stderr

    stored = sorted((results / "search").rglob("pso_div/rq1/seeds_*.parquet"))
    assert main(["replay", *[str(path) for path in stored if ".searches." not in path.name]]) == 0

    # Once more on one core, one run seed a job, small batches and little memory.
    first = tmp_path / "first"
    before = made(results)
    shutil.copytree(results, first)
    for name in ("search", "metrics", "tables", "figures"):
        shutil.rmtree(results / name)
    settings = "engine={block: 1, batch: 16, memory_mb: 50}"
    other = snakemake("--configfile", str(overlay), "--cores", "1", "--config", settings)
    assert other.returncode == 0, other.stdout + other.stderr
    assert made(results) == before
    for tool in ("random", "random_feasible", "pso_div"):
        place = Path("search/sim_pavia/hybridsn/ptq_int8") / tool / "rq1"
        assert len(list((results / place).glob("*.searches.parquet"))) == 6
        for suffix in ("[0-9].parquet", ".searches.parquet"):
            assert records(results / place, suffix).equals(records(first / place, suffix))


def test_a_job_that_cannot_run_says_why_in_one_line(snakemake: Run, tmp_path: Path) -> None:
    overlay = tmp_path / "small.yaml"
    overlay.write_text(SMALL.replace("dataset: [digits]", "dataset: [mnist]"))
    done = snakemake("results/small/data/mnist/source.npz", "--configfile", str(overlay))
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("quantrift: ")]
    assert len(lines) == 1
    assert "QUANTRIFT_MIRROR" in lines[0]
    assert not list((tmp_path / "results").rglob("source.npz"))
