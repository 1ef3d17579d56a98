"""The whole workflow, on the demo's data at a small size."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.factories.places import CONFIG
from tools.documents.kept_results import add, keep

from quantrift.cli.main import main
from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.record_columns import TIMES
from quantrift.study.planning.configuration_files import load

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


def records(folder: Path, suffix: str) -> pa.Table:
    """All records of a tool, without the times, as they would stand in one block."""
    tables = [pq.read_table(path).drop_columns(list(TIMES)) for path in sorted(folder.glob("seeds_*" + suffix))]
    return pa.concat_tables([table.replace_schema_metadata(None) for table in tables]).combine_chunks()


def test_tables_hold_what_was_measured_and_nothing_else(small_run: Path) -> None:
    table = pd.read_csv(small_run / "results/small/tables/diverget_table4.csv")
    ours = table[table.dataset == "sim_pavia"].set_index("tool")
    assert list(ours.index) == ["random", "random_feasible", "pso_div", "pso_cov", "ga_div", "ga_cov", "diverget"]
    assert (ours.scale == "small").all()
    assert (ours.run_seeds == 6).all()
    assert ours.vr.between(0.01, 1).all()
    assert (ours.vr[["pso_div", "pso_cov", "ga_div", "ga_cov"]] > ours.vr["random"]).all()
    assert 0.03125 <= ours.p["diverget"] <= 1
    published = table[table.dataset == "pavia_university"]
    assert len(published) > 0
    assert published[["dir", "vr", "p"]].isna().all().all()
    assert published.published_dir.notna().all()


def test_audits_tell_what_runs_in_8_bits(small_run: Path) -> None:
    audits = pd.read_csv(small_run / "results/small/tables/compression.csv").set_index("dataset")
    assert (audits.int8_mac_share >= 0.95).all()
    assert audits.conv3d_float_share["sim_pavia"] > 0.5
    assert audits.conv3d_float_share["digits"] == 0


def test_results_say_where_they_come_from(small_run: Path) -> None:
    results = small_run / "results/small"
    provenance = json.loads((results / "tables/diverget_table4.provenance.json").read_text())
    assert re.fullmatch(r"[0-9a-f]{64}", provenance["config_digest"])
    page = (results / "report.html").read_text()
    assert "simulated" in page
    assert "<svg" in page


def test_evidence_of_a_run_is_its_tables_and_figures_with_commit_machine_and_costs(
    small_run: Path, tmp_path: Path
) -> None:
    keep(load(CONFIG, [small_run / "small.yaml"]), small_run / "results", tmp_path)
    made = small_run / "results" / "small"
    for name in ("models", "compression", "diverget_table4"):
        assert (tmp_path / f"tables/{name}.csv").read_bytes() == (made / f"tables/{name}.csv").read_bytes()
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["diverget_table4_boxes.svg"]
    assert not [*tmp_path.rglob("*.timing.csv")]
    facts = json.loads((tmp_path / "run.json").read_text())
    assert facts["by_rule"]["train"]["jobs"] == 2
    assert facts["jobs"] == sum(rule["jobs"] for rule in facts["by_rule"].values())
    assert facts["core_hours"] > 0
    assert "diverget_table7" in facts["not_made"]
    page = (tmp_path / "README.md").read_text()
    assert "(tables/diverget_table4.md)" in page
    assert f"on {facts['processor']}" in page


def test_targets_that_run_later_join_the_evidence_and_claims_are_judged_with_them(
    small_run: Path, tmp_path: Path
) -> None:
    config = load(CONFIG, [small_run / "small.yaml"])
    keep(config, small_run / "results", tmp_path)
    before = (tmp_path / "tables/diverget_table4.csv").read_bytes()
    for file in (tmp_path / "tables").glob("diverget_table4.*"):
        file.unlink()
    add(config, config, small_run / "results", ["diverget_table4"], tmp_path)
    assert (tmp_path / "tables/diverget_table4.csv").read_bytes() == before
    claims = pd.read_csv(tmp_path / "tables/claims.csv").set_index("claim")
    assert set(claims.table) <= {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert claims.loc["diverget_search_over_random", "cells_holds":"cells_undecided"].sum() == 1
    assert (
        "Run later, beside these results: `diverget_table4` (small scale, commit "
        in (tmp_path / "README.md").read_text()
    )
    assert not [*tmp_path.rglob("*.provenance.json"), *tmp_path.rglob("*.png")]
    with pytest.raises(QuantriftError, match="diverget_table7: not finished"):
        add(config, config, small_run / "results", ["diverget_table7"], tmp_path)


def test_evidence_of_nothing_is_refused(small_run: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="no finished table; run the configuration first"):
        keep(load(CONFIG, [small_run / "small.yaml"]), tmp_path / "results", tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_second_run_has_nothing_to_do(small_run: Path, snakemake_anywhere: Callable[[Path], Run]) -> None:
    again = snakemake_anywhere(small_run)("--configfile", str(small_run / "small.yaml"))
    assert "Nothing to be done" in again.stdout + again.stderr


def test_snakemakes_own_report_lists_every_target_by_its_work(
    small_run: Path, snakemake_anywhere: Callable[[Path], Run], tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    done = snakemake_anywhere(small_run)("--configfile", str(small_run / "small.yaml"), "--report", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text()
    shown = [file.stem for folder in ("tables", "figures") for file in (small_run / "results/small" / folder).glob("*")]
    assert {name.partition(".")[0] for name in shown} == set(re.findall(r'"target": "(\w+)"', text)) - {"report"}
    assert '"DiverGet"' in text


def test_every_stored_input_replays(small_run: Path) -> None:
    stored = sorted((small_run / "results/small/search").rglob("seeds_*[0-9].parquet"))
    assert len(stored) == 6
    assert main(["replay", *map(str, stored)]) == 0


def test_results_do_not_depend_on_cores_blocks_batches_or_memory(
    copy_of_run: Path,
    small_run: Path,
    snakemake_anywhere: Callable[[Path], Run],
    made: Callable[[Path], dict[str, bytes]],
) -> None:
    results, before = copy_of_run / "results/small", small_run / "results/small"
    for name in ("search", "metrics", "tables", "figures"):
        shutil.rmtree(results / name)
    settings = ["--config", "engine={block: 4}", "--set-resources", "search:batch=16", "search:batch_mb=50"]
    other = snakemake_anywhere(copy_of_run)("--configfile", str(copy_of_run / "small.yaml"), "--cores", "1", *settings)
    assert other.returncode == 0, other.stdout + other.stderr
    assert made(results) == made(before)
    for tool in ("random", "random_feasible", "pso_div", "pso_cov", "ga_div", "ga_cov"):
        place = Path("search/sim_pavia/hybridsn/ptq_int8") / tool / "rq1"
        assert len(list((results / place).glob("*.searches.parquet"))) == 2
        for suffix in ("[0-9].parquet", ".searches.parquet"):
            assert records(results / place, suffix).equals(records(before / place, suffix))


def test_jobs_do_not_get_the_variables_of_a_user(
    copy_of_run: Path, small_run: Path, snakemake_anywhere: Callable[[Path], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"KERAS_BACKEND": "jax", "TF_ENABLE_ONEDNN_OPTS": "0", "OMP_NUM_THREADS": "2"}.items():
        monkeypatch.setenv(name, value)
    network = Path("results/small/models/digits/lenet5/model.keras")
    shutil.rmtree((copy_of_run / network).parent)
    done = snakemake_anywhere(copy_of_run)("--configfile", str(copy_of_run / "small.yaml"), "--", str(network))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (copy_of_run / network).read_bytes() == (small_run / network).read_bytes()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("another", ["model.tflite", "(28, 28, 1)", "give two models for the same data"]),
        ("corrupt", ["model.tflite", "not a readable .tflite file"]),
        ("too_few", ["2000 seed inputs wanted", "lower run_seeds or inputs"]),
    ],
)
def test_models_that_do_not_fit_cost_one_line_and_leave_nothing(
    copy_of_run: Path, snakemake_anywhere: Callable[[Path], Run], damage: str, words: list[str]
) -> None:
    results = copy_of_run / "results/small"
    shutil.rmtree(results / "search")
    model = results / "compression/sim_pavia/hybridsn/ptq_int8/model.tflite"
    settings: list[str] = []
    match damage:
        case "another":
            shutil.copy(results / "compression/digits/lenet5/ptq_int8/model.tflite", model)
        case "corrupt":
            model.write_bytes(model.read_bytes()[:500])
        case "too_few":
            settings = ["--config", "protocols={rq1: {inputs: 100, run_seeds: 20}}"]
    target = "results/small/search/sim_pavia/hybridsn/ptq_int8/pso_div/rq1/seeds_000-005.parquet"
    done = snakemake_anywhere(copy_of_run)(target, "--configfile", str(copy_of_run / "small.yaml"), *settings)
    assert done.returncode != 0
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("quantrift: ")]
    for word in words:
        assert word in line
    assert [path for path in (results / "search").rglob("*") if path.is_file()] == []


def test_a_job_that_cannot_run_says_why_in_one_line(snakemake: Run, small: Path, tmp_path: Path) -> None:
    small.write_text(small.read_text().replace("dataset: [digits]", "dataset: [mnist]"))
    config = ["--configfile", str(small), "--config", "data={source: mirror}"]
    done = snakemake("results/small/data/mnist/source.npz", *config)
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("quantrift: ")]
    assert len(lines) == 1
    assert "QUANTRIFT_MIRROR" in lines[0]
    assert not list((tmp_path / "results").rglob("source.npz"))
