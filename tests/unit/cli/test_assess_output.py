"""Output of an assessment on the terminal, and its files for continuous integration: every line of them."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quantrift.cli.verdict_shown import percent, show
from quantrift.core.base.files import read_json
from quantrift.core.page.markdown import inline
from quantrift.judge.intake.scaling import OTHERWISE
from quantrift.judge.verdict import for_ci
from quantrift.judge.verdict.answer import gist
from quantrift.judge.verdict.assessment import REPORT, Assessment, read
from quantrift.judge.verdict.tool_result import Counted

SHARE = "disagreement on valid natural changes (pso): 12.50 % (95 % interval 8.00 to 21.00 %), 60 seed inputs"
CERTIFIED = (
    "brightness=2: 3 of 5 inputs certified by running all members, 60.0 % (95 % interval 25.0 to 90.0 %), "
    "1 with a counterexample, 1 unfinished"
)
LAYER = "dense_of_a_very_long_name_" * 3
GIST = (
    "Likeliest cause: it never says 3. What to do: undo that first. Calibrate it on inputs like these, give it the "
    "inputs that it was made for, or put its classes into the original's order."
)
MORE = "What to do: give more inputs. How many cannot be said."


@pytest.fixture
def whole(assessed: Path) -> Assessment:
    """An assessment that has something of everything that is said."""
    found = read(assessed)
    broken, sound = found.candidates
    [kept] = sound.judgements
    counted = Counted(
        "brightness=2", 5, 12, certified=3, counterexamples=1, unfinished=1, share=0.6, low=0.25, high=0.9
    )
    open_one = replace(kept, verdict="inconclusive", text="not decided", tool=None, figure="accuracy drop")
    three = [
        replace(broken, findings=["it never says 3"]),
        replace(sound, certified=[counted]),
        replace(sound, name="open", verdict="inconclusive", judgements=[kept, open_one]),
    ]
    return replace(found, candidates=three, failed=["the layers of sound"])


def shown(found: Assessment, out: Path, capsys: pytest.CaptureFixture[str], verbose: bool = False) -> list[str]:
    show(found, out, verbose)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_the_terminal(whole: Assessment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / REPORT).touch()
    lines = shown(whole, tmp_path, capsys)
    said = "broken exceeds a limit; open is not decided by these inputs; sound keeps every limit"
    assert lines[:3] == [f"FAIL   {said}   6 inputs, quick", "profile", ""]
    rate = "12.5 % [8.0, 21.0]"
    assert [" ".join(line.split()) for line in lines[3:7]] == [
        "95 % interval limit broken sound open",
        f"label changed, natural 5.0 % {rate} over {rate} ok {rate} ok",
        f"label changed, natural 50.0 % {rate} open",
        "",
    ]
    assert lines[7] == "  Cause      broken: it never says 3"
    assert lines[8].startswith("  Certified  sound: brightness=2: 3 of 5 inputs certified by running all members")
    assert "  Ranking    sound before broken: significant at 5 % after Holm" in lines
    assert (
        "  Next       broken: undo that first. Calibrate it on inputs like these, give it the inputs that it was made"
        in lines
    )
    assert "  Assumed    2 things about files and inputs, which the report and --verbose list" in lines
    assert lines[-3:] == [
        "  Note       TriggerFinder was left out",
        "  Failed     the layers of sound",
        f"  Report     {tmp_path / REPORT}",
    ]


def test_every_assumption_is_printed_where_that_is_asked_for_and_guesses_always(
    whole: Assessment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guess = f"scaling: bytes; {OTHERWISE}"
    found = replace(whole, assumed=[*whole.assumed, guess])
    assert f"  Assumed    {guess}" in shown(found, tmp_path, capsys)
    lines = shown(found, tmp_path, capsys, verbose=True)
    assert [line for line in lines if line.startswith("  Assumed")] == [
        f"  Assumed    {line}" for line in found.assumed
    ]


def test_an_open_limit_stands_in_the_table_and_not_among_notes_again(
    whole: Assessment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = replace(whole, notes=["open: not decided; no search changes that"])
    assert not [line for line in shown(found, tmp_path, capsys) if line.startswith("  Note")]
    assert [line for line in shown(found, tmp_path, capsys, verbose=True) if line.startswith("  Note")]


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0 %"), (0.00004, "0.004 %"), (0.0312, "3.1 %"), (1.0, "100.0 %")])
def test_a_small_share_does_not_read_as_none(share: float, text: str) -> None:
    assert percent(share) == text


def test_junit_has_a_suite_a_network_and_a_case_a_limit(whole: Assessment, tmp_path: Path) -> None:
    for_ci.junit(whole, tmp_path / "junit.xml")
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suites.attrib == {"name": "quantrift assess"}
    assert [tuple(suite.attrib.items()) for suite in suites] == [
        (("name", name), ("tests", tests), ("failures", failures), ("skipped", skipped))
        for name, tests, failures, skipped in (("broken", *"110"), ("sound", *"100"), ("open", *"201"))
    ]
    natural = "disagreement on valid natural changes (pso)"
    assert [(case.get("classname"), case.get("name")) for suite in suites for case in suite] == [
        ("broken", natural),
        ("sound", natural),
        ("open", natural),
        ("open", "accuracy drop"),
    ]
    assert [(end.tag, end.get("message"), end.text) for suite in suites for case in suite for end in case] == [
        ("failure", f"{SHARE}, limit 5.00 %: exceeded", GIST),
        ("skipped", "not decided", MORE),
    ]


def test_sarif_has_a_result_for_each_limit_that_is_not_kept(whole: Assessment, tmp_path: Path) -> None:
    for_ci.sarif(whole, tmp_path / "assess.sarif")
    [run] = read_json(tmp_path / "assess.sarif")["runs"]
    natural, drop = whole.candidates[0].judgements[0], whole.candidates[2].judgements[1]
    assert [(one["ruleId"], one["level"], one["message"]["text"]) for one in run["results"]] == [
        (natural.limit, "error", f"{SHARE}, limit 5.00 %: exceeded. {GIST}"),
        (drop.limit, "warning", f"not decided. {MORE}"),
    ]
    assert {one["ruleId"] for one in run["results"]} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    places = [one["locations"][0] for one in run["results"]]
    assert [one["logicalLocations"][0]["fullyQualifiedName"] for one in places] == ["broken", "open"]
    assert all(one["physicalLocation"]["artifactLocation"]["uri"] for one in places)


def test_without_a_known_fault_the_first_suspected_layer_is_the_likeliest_cause(assessed: Path) -> None:
    found = read(assessed)
    broken, sound = found.candidates
    assert gist(broken, found).startswith(f"Likeliest cause: layer {LAYER} seems to be quantized wrongly: 30 dB less. ")
    assert gist(sound, found).startswith("What to do: ")


def test_the_markdown_summary(whole: Assessment, tmp_path: Path) -> None:
    (tmp_path / REPORT).touch()
    for_ci.markdown(whole, tmp_path, tmp_path / "summary.md")
    head = ["| limit | verdict |", "|---|---|"]
    kept = f"| {SHARE}, limit 50.00 %: kept | ✅ pass |"
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").splitlines() == [
        *["## quantrift assess: ❌ fail", "", "### broken: ❌ fail", "", GIST, "", *head],
        f"| {SHARE}, limit 5.00 %: exceeded | ❌ fail |",
        f"| layer {LAYER[:-1]}\\_ | 30 dB less |",
        *["", "### sound: ✅ pass", "", inline(gist(whole.candidates[1], whole)), "", *head, kept, ""],
        f"* {CERTIFIED}",
        *["", "### open: ❔ inconclusive", "", MORE, "", *head, kept, "| not decided | ❔ inconclusive |", ""],
        "* not computed: the layers of sound",
        f"Report: `{tmp_path / REPORT}`",
    ]
