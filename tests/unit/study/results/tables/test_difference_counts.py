"""Inputs that differ before any search beside what a tool finds."""

from pathlib import Path

import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.metrics import SEARCHED
from tests.factories.searches import found

from quantrift.core.statistics import run_seeds
from quantrift.core.statistics.intervals import wilson

DATASETS = {"sim_pavia": datasets.scene("pavia_university")}
PUBLISHED = """dataset,model,compression,original_n_dii,random_n_dii
pavia_university,hybridsn,ptq_int8,136,1609
pavia_university,ssrn,ptq_int8,1,763
salinas,hybridsn,ptq_int8,0,132
"""


@pytest.fixture
def metrics(tmp_path: Path) -> Path:
    """Two run seeds of five inputs with 100 candidates each: three inputs differ, four yield 3 DIIs each."""
    rows = [found(n // 5, n, 3 * (n < 4)) | {"seed_disagrees": n in (0, 6, 7)} for n in range(10)]
    run_seeds.write([searches.write(rows, tmp_path / "search")], SEARCHED, tmp_path / "rq1.csv")
    return tmp_path / "rq1.csv"


def make(folder: Path, metrics: Path, published: str = "") -> pd.DataFrame:
    """The CSV of the table."""
    files = {("sim_pavia", "hybridsn", "ptq_int8", "random", "rq1"): metrics}
    given = targets.given({"metrics": files}, DATASETS, published=targets.published(folder, published))
    stem = targets.table(folder, given, kind="difference_counts", **{"from": ["rq1"], "tools": ["random"]})
    return pd.read_csv(f"{stem}.csv")


def test_counts_have_a_rate_of_inputs_and_one_of_candidates(tmp_path: Path, metrics: Path) -> None:
    row = make(tmp_path, metrics).iloc[0]
    counts = ["run_seeds", "inputs", "all_inputs", "differing_inputs", "n_generated", "n_dii", "n_success"]
    assert row[counts].tolist() == [2, 5, 10, 3, 1000, 12, 4]
    assert row[["differing_share", "sr", "dir_real"]].tolist() == [0.3, 0.4, 0.012]
    assert row[["differing_share_low", "differing_share_high"]].tolist() == pytest.approx(wilson(3, 10))
    assert row[["sr_low", "sr_high"]].tolist() == pytest.approx(wilson(4, 10))
    assert row["dir_real_low"] < 0.012 < row["dir_real_high"]


def test_inputs_that_run_seeds_share_widen_the_interval(tmp_path: Path) -> None:
    rows = [found(run_seed, n, 0) | {"seed_disagrees": n < 3} for run_seed in (0, 1) for n in range(10)]
    run_seeds.write([searches.write(rows, tmp_path / "search")], SEARCHED, tmp_path / "rq1.csv")
    row = make(tmp_path, tmp_path / "rq1.csv").iloc[0]
    assert row["differing_share"] == 0.3
    # Twenty searches say as much as ten inputs, or a little less, as how alike they are is an estimate.
    low, high = row[["differing_share_low", "differing_share_high"]]
    assert (low, high) == pytest.approx(wilson(3, 10), abs=0.04)
    assert low < wilson(3, 10)[0]


def test_the_papers_counts_stand_beside_ours_and_alone_where_nothing_was_run(tmp_path: Path, metrics: Path) -> None:
    table = make(tmp_path, metrics, PUBLISHED)
    assert table[["published_differing_inputs", "published_n_dii"]].to_numpy().tolist() == [[136, 1609], [1, 763]]
    # What the paper has of another dataset is no row here.
    assert table["dataset"].tolist() == ["sim_pavia", "pavia_university"]
    assert table.loc[1, ["differing_inputs", "n_dii", "dir_real", "scale"]].isna().all()
    text = targets.markdown(tmp_path / "tables" / "difference_counts")
    assert "Scale: demo. Run seeds: 2. Inputs of each run seed: 5." in text
    assert "| 30.00 [" in text
