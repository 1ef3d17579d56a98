"""The whole workflow on official data: accurate networks, and records that do not depend on blocks and batches."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.cli.main import main
from quantrift.core.base.merge import merged
from quantrift.core.base.seed_blocks import Block
from quantrift.core.pairs import own_pair
from quantrift.core.search.run import Budget, Files, Job, run

Run = Callable[..., subprocess.CompletedProcess[str]]
# 160 searches of one subject.
FEW = {
    "protocols": {"rq1": {"run_seeds": 2, "inputs": 80}, "sensitivity": {"skip": 160}},
    "subjects": {
        "diverget": {"dataset": ["pavia_university_crop"], "model": ["hybridsn"], "compression": ["ptq_int8"]}
    },
}
SHORT = {
    "models": {
        "hybridsn": {"blocks": None, "training": {"epochs": 5}},
        "lenet5": {"training": {"epochs": 2, "drops": [1]}},
    }
}
"""Networks that take half a minute each."""
SUBJECT = ("pavia_university_crop", "hybridsn", "ptq_int8")

pytestmark = pytest.mark.mirror


def records(folder: Path, suffix: str) -> pd.DataFrame:
    """All records of a tool, as they would stand in one block, without times and with vectors as plain tuples."""
    parts = [pd.read_parquet(path).drop(columns="seconds") for path in sorted(folder.glob("seeds_*" + suffix))]
    whole = pd.concat(parts, ignore_index=True)
    if "vector" in whole:
        whole["vector"] = [None if vector is None else vector.tobytes() for vector in whole.vector]
    return whole


@pytest.fixture
def few(tmp_path: Path) -> Callable[..., str]:
    """Writes an overlay: the sample's, with fewer searches and other changes."""

    def write(**changes: object) -> str:
        path = tmp_path / "few.yaml"
        whole = yaml.safe_load((CONFIG / "sample.yaml").read_text())
        path.write_text(yaml.safe_dump(merged(merged(whole, FEW), changes)))
        return str(path)

    return write


def of_networks(snakemake: Run, folder: Path, overlay: str) -> pd.DataFrame:
    """Make an overlay's networks; returns the table of their accuracies, by network, without a published pair."""
    done = snakemake("models", "compression", "--configfile", overlay)
    assert done.returncode == 0, done.stdout + done.stderr
    table = pd.read_csv(folder / "results" / "sample" / "tables" / "compression.csv").set_index("model")
    published = table.loc["lenet1_dflare"]
    assert (published.accuracy_original, published.accuracy, published.flips) == (0.9788, 0.9784, 9)
    table = table.drop("lenet1_dflare")
    assert (table.accuracy >= table.accuracy_original - 0.01).all()
    assert (table.int8_mac_share >= 0.95).all()
    return table


@pytest.mark.nightly
def test_the_networks_of_the_sample_are_accurate(
    few: Callable[..., str], snakemake_on_mirror: Run, tmp_path: Path
) -> None:
    accuracy = of_networks(snakemake_on_mirror, tmp_path, few()).accuracy_original
    assert accuracy["hybridsn"] >= 0.97
    assert accuracy["lenet5"] >= 0.988


@pytest.mark.slow
def test_real_data_end_to_end(few: Callable[..., str], snakemake_on_mirror: Run, tmp_path: Path) -> None:
    overlay = few(**SHORT)

    def make(*arguments: str) -> None:
        done = snakemake_on_mirror(*arguments, "--configfile", overlay)
        assert done.returncode == 0, done.stdout + done.stderr

    results = tmp_path / "results" / "sample"
    accuracy = of_networks(snakemake_on_mirror, tmp_path, overlay).accuracy_original
    assert accuracy["hybridsn"] >= 0.97
    assert accuracy["lenet5"] >= 0.97

    # Two cores and one block; then one core, a block a run seed, other batches.
    searched = results.joinpath("search", *SUBJECT, "pso_div", "rq1")
    metrics = str(results.joinpath("metrics", *SUBJECT, "pso_div", "rq1.csv").relative_to(tmp_path))
    make(metrics)
    shutil.move(searched, tmp_path / "first")
    make(metrics, "--config", "engine={block: 1}", "--set-resources", "search:batch=60", "--cores", "1")
    for suffix in ("[0-9].parquet", ".searches.parquet"):
        pd.testing.assert_frame_equal(records(searched, suffix), records(tmp_path / "first", suffix))
    assert main(["replay", *map(str, sorted(searched.glob("seeds_*[0-9].parquet")))]) == 0

    # Ten inputs alone, of the 80 that run seed 0 searched together.
    files = Files(
        opening=own_pair.__name__,
        inputs=results / "data" / SUBJECT[0] / "hybridsn.npz",
        original=results / "models" / SUBJECT[0] / "hybridsn" / "original.tflite",
        compressed=results.joinpath("compression", *SUBJECT, "model.tflite"),
        seeds=tmp_path / "ten.csv",
    )
    lines = (results / "subjects" / SUBJECT[0] / "hybridsn" / "rq1.csv").read_text().splitlines()
    files.seeds.write_text("\n".join([lines[0], *lines[11:21]]) + "\n")
    config = configurations.of_scale("sample")
    job = Job(
        subject=dict(zip(("dataset", "model", "compression"), SUBJECT, strict=True)) | {"protocol": "rq1"},
        tool="pso_div",
        tool_settings=config.tools["pso_div"].model_dump(mode="json"),
        budget=Budget(25),
        vectors={"sample": 20},
        rows=256,
        memory_mb=500,
    )
    run(job, files, Block(range(1)), tmp_path / "alone" / "seeds_000-000.parquet")
    alone = records(tmp_path / "alone", "[0-9].parquet")
    among = records(tmp_path / "first", "[0-9].parquet")
    ten = [int(line.split(",")[1]) for line in lines[11:21]]
    among = among[(among.run_seed == 0) & among.input.isin(ten)].reset_index(drop=True)
    assert len(alone) > 300
    pd.testing.assert_frame_equal(alone, among)
