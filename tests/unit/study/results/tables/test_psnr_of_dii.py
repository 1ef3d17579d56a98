"""PSNR of difference-inducing inputs, from records written by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.factories import datasets, searches, targets

DATASETS = {"tiny": datasets.scene(None, "Tiny scene (simulated)", "abc")}
SUBJECT = ("tiny", "hybridsn", "ptq_int8")


def candidate(number: int, psnr: float, disagree: bool = True) -> dict[str, float]:
    return {"run_seed": 0, "input": number, "label_original": 1, "label_compressed": 1 + disagree, "psnr": psnr}


def table(folder: Path, candidates: list[dict[str, float]], found: dict[int, int]) -> pd.DataFrame:
    """The CSV of one tool that evaluated 100 candidates of each seed input, 50 of them valid."""
    rows = [searches.found(0, number, dii) for number, dii in found.items()]
    block = searches.write(rows, folder / "search").with_name("seeds_000-000.parquet")
    pd.DataFrame(candidates).to_parquet(block)
    given = targets.given({"records": {(*SUBJECT, "chaser", "rq2"): [block]}}, DATASETS)
    stem = targets.table(folder, given, kind="psnr_of_dii", **{"from": ["rq2"]}, least=20)
    return pd.read_csv(stem.with_suffix(".csv"))


def test_only_inputs_of_a_high_psnr_are_kept_whatever_the_constraint(tmp_path: Path) -> None:
    candidates = [
        *[candidate(number, psnr) for number in range(4) for psnr in (12.0, 25.0)],
        candidate(4, 10.0),
        candidate(4, 30.0, disagree=False),
    ]
    [row] = table(tmp_path, candidates, {0: 2, 1: 2, 2: 2, 3: 2, 4: 1, 5: 0}).to_dict("records")
    assert (row["inputs"], row["n_generated"], row["n_dii"], row["vr"]) == (6, 600, 9, 0.5)
    assert (row["psnr_q25"], row["psnr_median"], row["psnr_q75"]) == (12, 12, 25)
    assert row["dii_kept"] == pytest.approx(4 / 9)
    assert row["dir_kept"] == pytest.approx(4 / 600)
    assert row["sr_kept"] == pytest.approx(4 / 6)
    assert row["dir_kept_low"] < row["dir_kept"] < row["dir_kept_high"]


def test_an_input_that_equals_its_seed_input_is_kept_and_has_an_infinite_psnr(tmp_path: Path) -> None:
    [row] = table(tmp_path, [candidate(0, np.inf), candidate(1, np.inf)], {0: 1, 1: 1}).to_dict("records")
    assert (row["psnr_median"], row["dii_kept"]) == (np.inf, 1)


def test_a_tool_that_found_nothing_has_rates_of_zero_and_no_psnr(tmp_path: Path) -> None:
    [row] = table(tmp_path, [candidate(0, 30.0, disagree=False)], {0: 0, 1: 0, 2: 0}).to_dict("records")
    assert (row["n_dii"], row["dir_kept"], row["sr_kept"]) == (0, 0, 0)
    assert np.isnan(row["psnr_median"])
    assert np.isnan(row["dii_kept"])
