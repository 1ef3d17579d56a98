"""Claims of the papers are judged by the tables of a results folder, and compared with the outcomes measured before."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.cli.main import main
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.result_files import Results
from quantrift.study.results.tables.kinds.claims import together
from quantrift.study.results.targets.claim import Bound, Claim, Test, Verdict

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
        rule: {{kind: test, column: shift, above: 0, p: p_holm}}
        expected: {{own: {expected}}}
"""
DEMO = ROOT / "config" / "config.yaml"
TABLE = "dataset,tool,shift,p_holm\na,ours,0.5,0.01\nb,ours,0.5,0.02\n,ours,-1,0.001\na,theirs,-1,0.001\nc,ours,,\n"


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
    assert verify(folder, "missing", "dataset,tool,shift,p_holm\nc,ours,,\n") == 0


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


def test_a_claim_reads_the_adjusted_p_of_its_table_and_adjusts_nothing() -> None:
    rule = Test(kind="test", column="shift", above=0, p="p_holm")
    alone = [{"shift": "1", "p": "0.001", "p_holm": "0.03"}]
    assert rule.decide(alone) == ["holds"]
    assert rule.decide(alone * 2) == ["holds"] * 2
    assert rule.decide([{"shift": "1", "p": "0.001", "p_holm": "0.06"}]) == ["undecided"]


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
    ("full", "smaller"),
    [
        ({"protocols.rq1.inputs": 8}, []),
        ({"protocols.rq1.inputs": 80}, ["protocols.rq1.inputs is 8 of 80"]),
        ({"protocols.triggerfinder_full.inputs": 10_000}, []),
        ({"subjects.digits.dataset": ["digits"]}, []),
        ({"subjects.digits.dataset": ["digits", "mnist"]}, ["subjects.digits.dataset is digits of digits, mnist"]),
        ({"models.trained.vgg16.width": 1}, ["models.trained.vgg16.width is 0.125 of 1"]),
        # The width of a bit study's own networks, and all inputs where it states no number.
        ({"bit_studies.bits_3_6.digits.vgg16.width": 1}, ["bit_studies.bits_3_6.digits.vgg16.width is 0.0625 of 1"]),
        ({"bit_studies.bits_3_6.digits.mlp.inputs": 60_000}, []),
        ({"bit_studies.bits_3_6.digits.mlp.training.epochs": 10}, []),
    ],
)
def test_settings_below_the_published_size_are_named(full: dict[str, Any], smaller: list[str]) -> None:
    results = Results(load(ROOT / "config", [DEMO]), Paths(Path("results")))
    assert some_claim(full).smaller(results) == smaller


def test_at_paper_scale_every_setting_has_the_published_size() -> None:
    for scale, none in (("paper", True), ("config", False)):
        config = load(ROOT / "config", [ROOT / "config" / f"{scale}.yaml"])
        results = Results(config, Paths(Path("results")))
        found = [claim.smaller(results) for claim in config.targets["claims"].claims.values()]
        assert any(found) != none


def test_a_setting_that_the_configuration_lacks_is_refused() -> None:
    results = Results(load(ROOT / "config", [DEMO]), Paths(Path("results")))
    with pytest.raises(QuantriftError, match="the configuration has no protocols.rq9.inputs; correct the claim"):
        some_claim({"protocols.rq9.inputs": 8}).smaller(results)


def some_claim(full: dict[str, Any]) -> Claim:
    rule = {"kind": "bound", "column": "sr", "at_least": 0.5}
    stated = {"work": "Thesis", "place": "here", "sentence": "It is so.", "target": "models", "rows": {}, "rule": rule}
    return Claim.model_validate(stated | {"full": full})


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ({"holds": 3, "undecided": 2}, "holds"),
        ({"holds": 2, "undecided": 2}, "holds in part"),
        ({"holds": 1, "undecided": 5}, "holds in part"),
        ({"fails": 1}, "fails"),
        ({"fails": 3, "undecided": 3}, "fails in part"),
        ({"holds": 1, "fails": 1}, "mixed"),
        ({"holds": 9, "fails": 1, "undecided": 2}, "mixed"),
        ({"undecided": 3}, "undecided"),
        ({}, "missing"),
    ],
)
def test_a_claim_needs_most_of_its_cells_and_none_against_it(cells: dict[str, int], outcome: str) -> None:
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
        assert set(claim.expected) <= {"demo", "sample", "thorough", "paper"}, name
        reasoned = {"fails", "fails in part", "holds in part", "mixed", "undecided"}
        open_or_failed = {scale for scale, outcome in claim.expected.items() if outcome in reasoned}
        assert set(claim.why) == open_or_failed, name


def test_kept_tables_of_the_sample_give_the_expected_outcomes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables that were measured at sample scale and are kept beside the documents."""
    tables = folder / "results" / "sample" / "tables"
    tables.mkdir(parents=True)
    for path in (ROOT / "docs" / "measured").glob("*.csv"):
        (tables / path.name).write_bytes(path.read_bytes())
    main(["verify-claims", "--configfile", str(ROOT / "config" / "sample.yaml")])
    said = capsys.readouterr().out
    assert "holds          thesis_one_bit_withstands_fgsm" in said
    assert "fails          thesis_one_bit_is_robust" in said
    assert "fails          diverget_finding_7_pso" in said


def packed(folder: Path, *, scale: str = "own", twice: bool = False) -> Path:
    """Somebody's tables in a .zip, below a folder of theirs."""
    rows = TABLE.replace("p_holm\n", "p_holm,scale\n", 1).splitlines()
    table = "\n".join([rows[0], *(f"{row},{scale}" for row in rows[1:])])
    with zipfile.ZipFile(folder / "theirs.zip", "w") as archive:
        for below in ("theirs", "others") if twice else ("theirs",):
            archive.writestr(f"{below}/tables/some_table.csv", table)
        facts = {"commit": "abc", "dirty": True, "cpu": {"model": "A processor"}}
        archive.writestr("theirs/tables/some_table.provenance.json", json.dumps(facts))
        archive.writestr("../outside.csv", "a\n1\n")
    return folder / "theirs.zip"


def verify_theirs(folder: Path, results: Path) -> int:
    (folder / "claims.yaml").write_text(CLAIM.format(expected="holds"))
    given = ["--configfile", str(DEMO), str(folder / "claims.yaml"), "--results", str(results)]
    return main(["verify-claims", *given])


def test_results_of_somebody_else_are_judged_from_a_zip_file_or_a_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = packed(folder)
    assert verify_theirs(folder, results) == 0
    said = capsys.readouterr().out
    assert "some_table: 2 holds; first: shift 0.5, p 0.01" in said
    assert (
        "commits that the tables name: abc\nprocessors that the tables name: A processor\nsome were made with" in said
    )
    assert not (folder.parent / "outside.csv").exists()
    with zipfile.ZipFile(results) as archive:
        archive.extract("theirs/tables/some_table.csv", folder)
    assert verify_theirs(folder, folder / "theirs") == 0
    assert "commits that the tables name: unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "words"),
    [({"scale": "paper"}, "its tables are of scale paper, and"), ({"twice": True}, "holds some_table.csv twice")],
)
def test_results_that_do_not_fit_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], more: dict[str, Any], words: str
) -> None:
    assert verify_theirs(folder, packed(folder, **more)) == 2
    assert f"theirs.zip: {words}" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_a_file_that_is_no_zip_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    if content:
        (folder / "theirs.zip").write_bytes(content)
    assert verify_theirs(folder, folder / "theirs.zip") == 2
    assert "theirs.zip: neither a folder nor a .zip file" in capsys.readouterr().err
