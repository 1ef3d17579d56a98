"""The table and the figure of claims show what the rules decide in the tables that are given."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_json
from quantrift.core.base.paths import Paths
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.result_files import Results
from quantrift.study.results.targets.kinds import load as kind

DIGITS = "dataset,tool,shift,p\ndigits,ours,0.5,0.01\nscene,ours,0.4,0.6\ndigits,theirs,-1,0.001\n"
COLUMNS = [{"name": name, "label": name, "group": "key"} for name in ("dataset", "tool")]


def claim(target: str, **more: Any) -> dict[str, Any]:
    return {
        "work": "DiverGet",
        "place": "Table 1",
        "sentence": "It finds more.",
        "target": target,
        "rows": {"tool": "ours"},
        "rule": {"kind": "test", "column": "shift", "above": 0, "p": "p"},
        **more,
    }


@pytest.fixture
def tested(tmp_path: Path) -> Path:
    path = tmp_path / "tables" / "digits.csv"
    path.parent.mkdir()
    path.write_text(DIGITS)
    write_json(path.with_suffix(".columns.json"), {"columns": COLUMNS, "names": {}})
    return path


def made(folder: Path, table: Path, **claims: Any) -> Path:
    return targets.table(folder, targets.given({"tables": {("digits",): table}}, {}), kind="claims", claims=claims)


def test_cells_are_counted_and_named_by_what_tells_them_apart(tmp_path: Path, tested: Path) -> None:
    stem = made(tmp_path, tested, more=claim("digits"))
    row = pd.read_csv(f"{stem}.csv").iloc[0]
    assert (row["outcome"], row["cells_holds"], row["cells_fails"], row["cells_undecided"]) == ("holds", 1, 0, 1)
    cells = pd.read_csv(f"{stem}.cells.csv")
    assert list(cells["cell"]) == ["digits", "scene"]
    assert list(cells["decision"]) == ["holds", "undecided"]
    assert cells["values"][0] == "shift 0.5, p 0.01"


def test_a_reason_stands_where_a_claim_does_not_hold_alone(tmp_path: Path, tested: Path) -> None:
    failing = claim("digits", rule={"kind": "test", "column": "shift", "below": 0, "p": "p"})
    why = {"demo": "It finds less.", "paper": "Another reason."}
    stem = made(tmp_path, tested, more=claim("digits", why=why), less=failing | {"why": why})
    assert list(pd.read_csv(f"{stem}.csv")["why"].fillna("")) == ["", "It finds less."]


def test_a_claim_may_be_tested_by_the_rows_behind_a_table_in_the_words_of_that_table(
    tmp_path: Path, tested: Path
) -> None:
    rows = "dataset,strength,verdict\ndigits,0.1,agrees\ndigits,0.2,undecided\nscene,0.1,differs\n"
    tested.with_suffix(".more.csv").write_text(rows)
    rule = {"kind": "verdict", "holds": "agrees", "fails": "differs"}
    behind = claim("digits", rule=rule, detail="more") | {"rows": {"dataset": "digits"}}
    stem = made(tmp_path, tested, more=behind)
    [row] = pd.read_csv(f"{stem}.csv").to_dict("records")
    assert (row["outcome"], row["cells_holds"], row["cells_undecided"]) == ("holds", 1, 1)


def test_claims_without_a_table_are_counted_and_others_than_expected_named(tmp_path: Path, tested: Path) -> None:
    stem = made(tmp_path, tested, more=claim("digits", expected={"demo": "fails"}), other=claim("scenes"))
    assert list(pd.read_csv(f"{stem}.csv")["claim"]) == ["more"]
    text = stem.with_suffix(".md").read_text()
    assert "Claims: 1 holds." in text
    assert "Not as expected: more." in text
    assert "1 more claims are tested by tables that a plain run at this scale does not make." in text


def test_the_figure_has_a_bar_for_each_claim_with_its_numbers_of_cells(tmp_path: Path, tested: Path) -> None:
    table = made(tmp_path, tested, more=claim("digits")).with_suffix(".csv")
    given = targets.given({"claims": {("claims",): table}}, {})
    drawn = targets.figure(tmp_path, given, kind="claim_outcomes", claims="claims")
    texts = targets.texts(drawn.with_suffix(".svg"))
    assert "DiverGet, Table 1: holds" in texts
    assert texts.count("1") == 2


def test_a_figure_without_claims_is_refused(tmp_path: Path, tested: Path) -> None:
    table = made(tmp_path, tested).with_suffix(".csv")
    given = targets.given({"claims": {("claims",): table}}, {})
    with pytest.raises(QuantriftError, match="no claim is tested"):
        targets.figure(tmp_path, given, kind="claim_outcomes", claims="claims")


@pytest.mark.parametrize(("scale", "tables"), [("config", 5), ("sample", 21)])
def test_a_plain_run_makes_no_table_for_the_sake_of_claims(scale: str, tables: int) -> None:
    config = load(ROOT / "config", [ROOT / "config" / f"{scale}.yaml"])
    needed = kind("claims").needs(config.targets["claims"], Results(config, Paths(Path("results"))))["tables"]
    assert {name for (name,) in needed} <= set(config.shown)
    assert len(needed) == tables
