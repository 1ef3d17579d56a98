"""Settings of a tool compared in first and total disagreements, by hand and drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.searches import reached, search

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.page.made_table import meaning_of

Write = Callable[..., Path]
DATASETS = {"digits": datasets.digits()}
FOUND = ["dii", "dii_distinct", "dii_memberships", "reached", "reached_distinct"]
SETTINGS = {"1-UF": "diffchaser", "2-UF": "diffchaser_2", "3-UF": "diffchaser_3"}
STATED: dict[str, Any] = {"title": "Uncertainty", "from": ["q1"], "settings": SETTINGS}


@pytest.fixture
def searched(tmp_path: Path) -> Write:
    """Writes searches of 900 candidates: candidates to the first and distinct disagreements of each input."""

    def write(tool: str, *found: tuple[int, int], model: str = "lenet5") -> Path:
        size = {"generated": 900, "distinct": 900, "valid": 900, "memberships": 900, "seconds": 9.0}
        rows = [search(0, number, **size, **reached(total, first)) for number, (first, total) in enumerate(found)]
        return searches.write(rows, Paths(tmp_path).searches("digits", model, "float16_truncation_100", tool, "q1"))

    return write


@pytest.fixture
def files(searched: Write) -> list[Path]:
    """Eight inputs; 2-UF needs 100 more and finds half; 3-UF finds nothing at all on two of them."""
    first = [(100 + 10 * n, 200 - 2 * n) for n in range(8)]
    second = [(candidates + 100, total // 2) for candidates, total in first]
    third = [(0, 0), (0, 0), *second[2:]]
    return [searched("diffchaser", *first), searched("diffchaser_2", *second), searched("diffchaser_3", *third)]


def table(folder: Path, files: list[Path]) -> Any:
    """The CSV by tool, and the timing CSV by tool."""
    given = targets.given({"searches": targets.of_searches(files)}, DATASETS)
    stem = targets.table(folder, given, kind="uncertainty_tests", **STATED)
    return [pd.read_csv(f"{stem}{end}").set_index("tool") for end in (".csv", ".timing.csv")]


def test_failures_stand_at_the_limit_and_are_counted(tmp_path: Path, files: list[Path]) -> None:
    found, _ = table(tmp_path, files)
    assert found["n_success"].tolist() == [8, 8, 6]
    # 220 ... 270 where it succeeds, 900 twice.
    assert found.loc["diffchaser_3", ["fdi_q1", "fdi_median", "fdi_q3"]].tolist() == [237.5, 255, 427.5]
    assert found.loc["diffchaser_3", "tdi_q1"] == pd.Series([0, 0, 98, 97, 96, 95, 94, 93]).quantile(0.25)


def test_seconds_to_the_first_disagreement_are_exact_where_searches_by_themselves_end_with_it(
    tmp_path: Path, files: list[Path]
) -> None:
    alone = []
    for file in files:
        rows = pd.read_parquet(file).iloc[:3]
        spent = rows["first_reached"].where(rows["first_reached"] > 0, rows["generated"])
        key = ("digits", "lenet5", "float16_truncation_100", file.parts[-3], "q1_isolated")
        ended = rows.assign(generated=spent, seconds=spent / 10)
        ended = ended.assign(**{name: spent for name in ("distinct", "valid", "memberships")})
        # Found with the last generation.
        ended = ended.assign(**{name: ended[name].clip(upper=5) for name in FOUND})
        alone.append(searches.write(ended, Paths(tmp_path).searches(*key)))
    needed = {"searches": targets.of_searches(files), "isolated": targets.of_searches(alone)}
    stem = targets.table(tmp_path, targets.given(needed, DATASETS), kind="uncertainty_tests", isolated=True, **STATED)
    times = pd.read_csv(f"{stem}.timing.csv").set_index("tool")
    assert list(times)[-4:] == ["seconds", "fdi_seconds_median", "isolated_inputs", "isolated_fdi_seconds_median"]
    # Of 100, 110 and 120 candidates, 200, 210 and 220, and of 900 twice, as nothing was found.
    assert times["isolated_fdi_seconds_median"].tolist() == pytest.approx([11, 21, 90])
    assert times["isolated_inputs"].tolist() == [3, 3, 3]
    # Charged ones are of all eight inputs: 9 s for 900 candidates.
    assert times.loc["diffchaser", "fdi_seconds_median"] == pytest.approx(1.35)


def test_each_setting_is_tested_against_the_first_after_one_test_of_all(tmp_path: Path, files: list[Path]) -> None:
    found, _ = table(tmp_path, files)
    row = found.loc["diffchaser_2"]
    # All eight differences have one sign: the smallest p of an exact signed-rank test.
    assert (row["fdi_p"], row["fdi_shift"], row["fdi_rank_biserial"]) == (2 / 2**8, 100, 1)
    assert (row["tdi_p"], row["tdi_rank_biserial"], row["against"]) == (2 / 2**8, -1, "diffchaser")
    assert found.loc["diffchaser", ["fdi_p", "fdi_shift", "against"]].isna().all()
    assert found["fdi_friedman"].notna().tolist() == [True, False, False]
    # Six tests: Friedman's and two pairs, of both measures.
    assert row["fdi_p_holm"] == pytest.approx(4 * 2 / 2**8)
    text = targets.markdown(tmp_path / "tables" / "uncertainty_tests")
    assert "Holm over the 6 tests of this table" in text
    assert meaning_of(tmp_path / "tables" / "uncertainty_tests.csv").answer == (
        "Digits \u00b7 lenet5 \u00b7 float16_truncation_100: first disagreement after 135 [117.5, 152.5] candidates "
        "(median and quartiles) with 1-UF, 235 [217.5, 252.5] with 2-UF, 255 [237.5, 427.5] with 3-UF.",
        "Against 1-UF: significantly later in 2 and sooner in 0 of 2 tests after Holm's correction.",
    )
    # Settings go by their short names, a median stands with its quartiles.
    assert "| lenet5 | float16_truncation_100 | 2-UF | 1-UF | 8 | 235 [217.5, 252.5] |" in text


def test_time_to_the_first_is_in_proportion_and_in_the_timing_file(tmp_path: Path, files: list[Path]) -> None:
    found, times = table(tmp_path, files)
    assert times.loc["diffchaser", ["seconds", "fdi_seconds_median"]].tolist() == pytest.approx([72, 1.35])
    assert not [name for name in found if "second" in name]


def test_settings_must_start_from_the_same_inputs(tmp_path: Path, searched: Write) -> None:
    files = [searched("diffchaser", (1, 1), (2, 1)), searched("diffchaser_2", (1, 1))]
    with pytest.raises(QuantriftError, match="started from different inputs"):
        table(tmp_path, files)
    with pytest.raises(QuantriftError, match="no searches of these tools"):
        table(tmp_path, [])


def test_the_figure_has_a_column_a_network_and_says_how_many_found_nothing(
    tmp_path: Path, files: list[Path], searched: Write
) -> None:
    files = [*files, searched("diffchaser", (300, 4), (0, 0), model="lenet1")]
    given = targets.given({"searches": targets.of_searches(files)}, DATASETS)
    path = targets.figure(tmp_path, given, kind="uncertainty_boxes", **STATED).with_suffix(".svg")
    texts = targets.texts(path)
    assert {
        "lenet5 \u00b7 float16_truncation_100",
        "lenet1 \u00b7 float16_truncation_100",
        "2, 8 seed inputs; scale: demo",
    } <= {*texts}
    # Below each name of the upper panels: failures of lenet5, then of lenet1, whose other settings were not run.
    assert [text for text in texts if text in ("0", "1", "2")][:3] == ["0", "0", "2"]
    assert texts.count("not run") == 4
    before = path.read_bytes()
    targets.figure(tmp_path, given, kind="uncertainty_boxes", **STATED)
    assert path.read_bytes() == before
