"""The table of calibrations."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
from tests.factories import datasets, targets
from tests.factories.places import PUBLISHED

from quantrift.core.search.calibrated import Calibrated, Fit, Point, write
from quantrift.study.results.tables.kinds.calibration import COMPOUND

DATASETS = {"sim_pavia": datasets.scene("pavia_university", "Simulated city")}
PAPERS = PUBLISHED / "diverget_table4.csv"
SETTINGS: dict[str, Any] = {"constraint": {"params": {"min_db": 20.0}}, "draws": 10, "compounds": 50}
FULL = Point(strength=1.0, median_psnr=16.5, valid=0.2, identical=0.01, reached=False)
HALF = Point(strength=0.5, median_psnr=21.25, valid=0.6, identical=0.05, reached=True)
NOTHING = Point(strength=1.0, median_psnr=math.inf, valid=0.9, identical=0.625, reached=True)


def table(folder: Path, calibrated: Calibrated, published: Path | None = PAPERS) -> pd.DataFrame:
    """The CSV of one calibration of a simulated scene."""
    file = folder / "psnr.json"
    write(calibrated, file)
    files = {"calibrations": {("sim_pavia", "ssrn", "psnr"): file}}
    papers = [published] if published else []
    given = targets.given(files, DATASETS, published=papers, titles={"psnr": "Median PSNR"})
    stem = targets.table(folder, given, kind="calibration", calibrations=["psnr"])
    return pd.read_csv(stem.with_suffix(".csv")).set_index("distortion")


def calibrated(**changes: Any) -> Calibrated:
    given: dict[str, Any] = {
        "settings": SETTINGS,
        "inputs": 100,
        "curves": {"zoom": [FULL, HALF], "stripping": [NOTHING]},
        "chosen": {"zoom": HALF, "stripping": NOTHING},
        "vr_full": 0.0468,
        "vr": 0.1854,
    }
    return Calibrated(**given | changes)


def test_a_row_is_a_distortion_and_the_last_all_together_beside_the_published_rates(tmp_path: Path) -> None:
    rows = table(tmp_path, calibrated())
    assert rows.index.tolist() == ["zoom", "stripping", COMPOUND]
    shown = ["strength", "median_psnr_full", "median_psnr", "vr_full", "vr"]
    assert rows[shown].to_numpy()[0].tolist() == [0.5, 16.5, 21.25, 0.2, 0.6]
    assert rows.loc["stripping", "median_psnr"] == math.inf
    assert rows.loc["stripping", "identical_share"] == 0.625
    compound = rows.loc[COMPOUND]
    assert (compound.vr_full, compound.vr) == (0.0468, 0.1854)
    assert (compound["published_low_vr"], compound["published_high_vr"]) == (0.0375, 0.0389)
    assert pd.isna(compound.strength)
    assert pd.isna(compound.reached)
    assert not rows["fitted"].any()
    text = targets.markdown(tmp_path / "tables" / "calibration")
    assert "| Simulated city | ssrn | Median PSNR | zoom | 0.500 | yes | 16.5 | 21.2 | 20.00 | 60.00 | 5.00 |" in text
    assert "| stripping | 1 | yes | ∞ | ∞ |" in text
    assert "| Simulated city | ssrn | Median PSNR | compound |  |  |  |  | 4.68 | 18.54 |  | no | 3.75 | 3.89 |" in text
    assert "Scale: demo" in text
    assert "100 training inputs x 10 candidates alone" in text
    assert "published/diverget_table4.csv" in (tmp_path / "tables" / "calibration.provenance.json").read_text()


def test_a_fitted_rate_is_marked_and_says_whether_the_anchor_was_met(tmp_path: Path) -> None:
    rows = table(tmp_path, calibrated(fit=Fit(anchor=0.03, factor=1.25, reached=False), vr=0.05), published=None)
    assert rows["fitted"].all()
    assert not rows.loc[COMPOUND, "reached"]
    assert rows.loc[COMPOUND, "factor"] == 1.25
    assert rows.published_low_vr.isna().all()
    text = targets.markdown(tmp_path / "tables" / "calibration")
    assert "| compound |  | no |  |  | 4.68 | 5.00 |  | yes | 1.25 |" in text
