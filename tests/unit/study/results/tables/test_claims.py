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

DIGITS = "dataset,tool,shift,p_holm\ndigits,ours,0.5,0.01\nscene,ours,0.4,0.6\ndigits,theirs,-1,0.001\n"
COLUMNS = [{"name": name, "label": name, "group": "key"} for name in ("dataset", "tool")]


def claim(target: str, **more: Any) -> dict[str, Any]:
    return {
        "work": "DiverGet",
        "place": "Table 1",
        "sentence": "It finds more.",
        "target": target,
        "rows": {"tool": "ours"},
        "rule": {"kind": "test", "column": "shift", "above": 0, "p": "p_holm"},
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
    assert (row["outcome"], row["cells_holds"], row["cells_fails"], row["cells_undecided"]) == (
        "holds in part",
        1,
        0,
        1,
    )
    cells = pd.read_csv(f"{stem}.cells.csv")
    assert list(cells["cell"]) == ["digits", "scene"]
    assert list(cells["decision"]) == ["holds", "undecided"]
    assert cells["values"][0] == "shift 0.5, p 0.01"


def test_a_p_value_that_was_not_adjusted_decides_no_claim(tmp_path: Path, tested: Path) -> None:
    rule = {"kind": "test", "column": "shift", "above": 0, "p": "p"}
    with pytest.raises(ValueError, match="p: 'p' is not adjusted; name the column of p after Holm's correction"):
        made(tmp_path, tested, more=claim("digits", rule=rule))


def test_a_reason_stands_where_a_claim_does_not_hold_alone(tmp_path: Path, tested: Path) -> None:
    failing = claim("digits", rule={"kind": "test", "column": "shift", "below": 0, "p": "p_holm"})
    why = {"demo": "It finds less.", "paper": "Another reason."}
    of_digits = {"rows": {"tool": "ours", "dataset": "digits"}}
    stem = made(tmp_path, tested, more=claim("digits", why=why, **of_digits), less=failing | {"why": why})
    assert list(pd.read_csv(f"{stem}.csv")["why"].fillna("")) == ["", "It finds less."]


def test_below_a_published_size_nothing_is_decided_and_the_setting_is_named(tmp_path: Path, tested: Path) -> None:
    smaller = {
        "smaller": {"more": ["protocols.rq1.generations is 5 of 25"], "unrun": ["protocols.rq1.inputs is 1 of 2"]}
    }
    given = targets.given({"tables": {("digits",): tested}}, {}, stated=smaller)
    unrun = claim("digits") | {"rows": {"tool": "nobody"}}
    stem = targets.table(tmp_path, given, kind="claims", claims={"more": claim("digits"), "unrun": unrun})
    more, without = pd.read_csv(f"{stem}.csv", keep_default_na=False).to_dict("records")
    assert (more["outcome"], more["cells_holds"]) == ("not testable", 1)
    assert more["why"] == "Below the published size: protocols.rq1.generations is 5 of 25."
    assert without["outcome"] == "missing"


def test_a_quantity_of_one_tool_beside_several_rivals_is_one_cell(tmp_path: Path, tested: Path) -> None:
    tested.write_text(
        "dataset,tool,against,sr,sr_low,sr_high\n"
        "digits,ours,theirs,0.9,0.8,1\ndigits,ours,others,0.9,0.8,1\nscene,ours,theirs,0.9,0.8,1\n"
    )
    keys = [{"name": name, "label": name, "group": "key"} for name in ("dataset", "tool", "against")]
    write_json(tested.with_suffix(".columns.json"), {"columns": keys, "names": {}})
    bound = {"kind": "bound", "column": "sr", "at_least": 0.5}
    stem = made(tmp_path, tested, more=claim("digits", rule=bound))
    assert pd.read_csv(f"{stem}.csv")["cells_holds"].item() == 2
    assert list(pd.read_csv(f"{stem}.cells.csv")["cell"]) == ["digits", "scene"]


def test_controls_stand_last_and_are_counted_apart_as_are_our_own(tmp_path: Path, tested: Path) -> None:
    of_digits = claim("digits") | {"rows": {"tool": "ours", "dataset": "digits"}}
    stem = made(
        tmp_path, tested, control=of_digits | {"control": True}, own=of_digits | {"work": "Quantrift"}, paper=of_digits
    )
    table = pd.read_csv(f"{stem}.csv")
    assert list(table["claim"]) == ["own", "paper", "control"]
    assert list(table["work"]) == ["Quantrift", "DiverGet", "Controls"]
    rows = table.astype(str).to_dict("records")
    assert list(kind("claims").answer(None, rows, None)) == [
        "Of the papers' claims that tables of this run test, 1 holds.",
        "Of our own claims that tables of this run test, 1 holds.",
        "Of the controls that tables of this run test, 1 holds.",
    ]


def test_a_claim_may_be_tested_by_the_rows_behind_a_table_in_the_words_of_that_table(
    tmp_path: Path, tested: Path
) -> None:
    rows = "dataset,strength,verdict\ndigits,0.1,agrees\ndigits,0.2,undecided\nscene,0.1,differs\n"
    tested.with_suffix(".more.csv").write_text(rows)
    rule = {"kind": "verdict", "holds": "agrees", "fails": "differs"}
    behind = claim("digits", rule=rule, detail="more") | {"rows": {"dataset": "digits"}}
    stem = made(tmp_path, tested, more=behind)
    [row] = pd.read_csv(f"{stem}.csv").to_dict("records")
    assert (row["outcome"], row["cells_holds"], row["cells_undecided"]) == ("holds in part", 1, 1)


def test_claims_without_a_table_are_counted_and_others_than_expected_named(tmp_path: Path, tested: Path) -> None:
    stem = made(tmp_path, tested, more=claim("digits", expected={"demo": "fails"}), other=claim("scenes"))
    assert list(pd.read_csv(f"{stem}.csv")["claim"]) == ["more"]
    text = stem.with_suffix(".md").read_text()
    assert "Claims: 1 holds in part." in text
    assert "Not as expected: more." in text
    assert "1 more claims are tested by tables that this run does not have." in text


def test_the_figure_has_a_bar_for_each_claim_with_its_numbers_of_cells(tmp_path: Path, tested: Path) -> None:
    table = made(tmp_path, tested, more=claim("digits")).with_suffix(".csv")
    given = targets.given({"claims": {("claims",): table}}, {})
    drawn = targets.figure(tmp_path, given, kind="claim_outcomes", claims="claims")
    texts = targets.texts(drawn.with_suffix(".svg"))
    assert "DiverGet, Table 1: holds in part" in texts
    assert texts.count("1") == 2


def test_a_figure_without_claims_is_refused(tmp_path: Path, tested: Path) -> None:
    table = made(tmp_path, tested).with_suffix(".csv")
    given = targets.given({"claims": {("claims",): table}}, {})
    with pytest.raises(QuantriftError, match="no claim is tested"):
        targets.figure(tmp_path, given, kind="claim_outcomes", claims="claims")


@pytest.mark.parametrize(("scale", "tables"), [("config", 5), ("sample", 26)])
def test_a_plain_run_makes_no_table_for_the_sake_of_claims(scale: str, tables: int) -> None:
    config = load(ROOT / "config", [ROOT / "config" / f"{scale}.yaml"])
    needed = kind("claims").needs(config.targets["claims"], Results(config, Paths(Path("results"))))["tables"]
    assert {name for (name,) in needed} <= set(config.shown)
    assert len(needed) == tables
