"""Claims of the papers are judged by the tables of a results folder, and compared with the outcomes measured before."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.cli.main import main
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.results.tables.kinds.claims import together
from quantrift.study.results.targets.claim import Bound, Test, Verdict

CLAIM = """
scale: own
targets:
  others:
    kind: claims
    title: Claims
    claims:
      more:
        work: DiverGet
        place: Table 1
        sentence: It finds more.
        target: some_table
        rows: {{tool: ours, dataset: any}}
        rule: {{kind: test, column: shift, above: 0, p: p}}
        expected: {{own: {expected}}}
"""
DEMO = ROOT / "config" / "config.yaml"
TABLE = "dataset,tool,shift,p\na,ours,0.5,0.01\nb,ours,0.5,0.02\n,ours,-1,0.001\na,theirs,-1,0.001\nc,ours,,\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / "own" / "tables").mkdir(parents=True)
    return tmp_path


def verify(folder: Path, expected: str, table: str | None = TABLE) -> int:
    claims = folder / "claims.yaml"
    claims.write_text(CLAIM.format(expected=expected))
    if table is not None:
        (folder / "results" / "own" / "tables" / "some_table.csv").write_text(table)
    return main(["verify-claims", "--configfile", str(DEMO), str(claims)])


@pytest.mark.parametrize(("expected", "code"), [("holds", 0), ("fails", 1), ("undecided", 1), ("missing", 1)])
def test_it_fails_where_an_outcome_is_not_the_expected_one(
    folder: Path, capsys: pytest.CaptureFixture[str], expected: str, code: int
) -> None:
    assert verify(folder, expected) == code
    said = capsys.readouterr().out
    assert "some_table: 2 holds; first: shift 0.5, p 0.01" in said
    assert ("not as expected: more" in said) == bool(code)


def test_an_honest_failure_that_is_expected_passes(folder: Path) -> None:
    assert verify(folder, "fails", TABLE.replace("0.5", "-0.5")) == 0


def test_a_table_that_was_not_made_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(folder, "missing", None) == 0
    assert "some_table was not made" in capsys.readouterr().out


def test_rows_without_a_measured_value_are_missing(folder: Path) -> None:
    assert verify(folder, "missing", "dataset,tool,shift,p\nc,ours,,\n") == 0


def test_a_column_that_the_table_lacks_costs_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(folder, "holds", "dataset,tool,p\na,ours,0.01\n") == 2
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith("some_table.csv has no column 'shift'; make the table again, or correct the claim")
    )


def test_a_claim_with_an_unknown_setting_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM.format(expected="holds").replace("above: 0", "over: 0"))
    assert main(["verify-claims", "--configfile", str(DEMO), str(path)]) == 2
    assert "targets.others.claims.more.rule" in capsys.readouterr().err


def test_cells_of_a_claim_are_one_family_of_tests() -> None:
    rule = Test(kind="test", column="shift", above=0, p="p")
    alone = [{"shift": "1", "p": "0.03"}]
    assert rule.decide(alone) == ["holds"]
    assert rule.decide(alone * 2) == ["undecided"] * 2


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(-5, 5), st.floats(0, 3))
def test_an_interval_decides_only_where_it_lies_wholly_inside_or_outside(
    low: float, length: float, least: float, room: float
) -> None:
    high, most = low + length, least + room
    rule = Bound(kind="bound", column="x", at_least=least, at_most=most)
    [decision] = rule.decide([{"x": "0", "x_low": repr(low), "x_high": repr(high)}])
    assert (decision == "holds") == (least <= low and high <= most)
    assert (decision == "fails") == (high < least or low > most)


def test_a_quantity_without_an_interval_decides_nothing() -> None:
    assert Bound(kind="bound", column="x", at_least=0).decide([{"x": "5"}]) == ["undecided"]


def test_a_verdict_of_the_table_is_taken_as_it_is() -> None:
    rows = [{"verdict": said} for said in ("holds", "fails", "undecided", "mixed")]
    assert Verdict(kind="verdict").decide(rows) == ["holds", "fails", "undecided", "undecided"]


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ({"holds": 2, "undecided": 5}, "holds"),
        ({"fails": 1, "undecided": 5}, "fails"),
        ({"holds": 1, "fails": 1}, "undecided"),
        ({"undecided": 3}, "undecided"),
        ({}, "missing"),
    ],
)
def test_cells_that_contradict_each_other_leave_a_claim_undecided(cells: dict[str, int], outcome: str) -> None:
    assert together(cells) == outcome


def test_every_claim_of_the_papers_names_a_table_and_says_why_it_does_not_hold() -> None:
    scales = [load(ROOT / "config", [ROOT / "config" / f"{name}.yaml"]) for name in ("sample", "paper")]
    targets = {name for config in scales for name in config.targets}
    claims = scales[0].targets["claims"].claims
    assert {claim.work for claim in claims.values()} == {
        "DiverGet",
        "DiffChaser",
        "TriggerFinder",
        "Thesis",
        "Quantrift",
    }
    for name, claim in claims.items():
        assert claim.target in targets, name
        assert set(claim.expected) <= {"demo", "sample", "paper"}, name
        open_or_failed = {scale for scale, outcome in claim.expected.items() if outcome in ("fails", "undecided")}
        assert set(claim.why) == open_or_failed, name


def test_kept_tables_of_the_sample_give_the_expected_outcomes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables that were measured at sample scale and are kept beside the documents."""
    tables = folder / "results" / "sample" / "tables"
    tables.mkdir(parents=True)
    for path in (ROOT / "docs" / "measured").glob("*.csv"):
        # `python -m tools.bench checkers` wrote those of checkers, which are of no scale.
        if not path.name.startswith("checkers"):
            (tables / path.name).write_bytes(path.read_bytes())
    main(["verify-claims", "--configfile", str(ROOT / "config" / "sample.yaml")])
    said = capsys.readouterr().out
    assert "holds      thesis_one_bit_withstands_fgsm" in said
    assert "fails      thesis_one_bit_is_robust" in said
    assert "fails      diverget_finding_7_pso" in said
