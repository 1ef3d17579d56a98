"""Output of an assessment on the terminal, and its files for continuous integration: every line of them."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quantrift.cli.verdict_options import show
from quantrift.judge.verdict import for_ci
from quantrift.judge.verdict.assessment import REPORT, Assessment, read
from quantrift.judge.verdict.tool_result import Counted

SHARE = "disagreement on valid natural changes (pso): 12.50% (95 % interval 8.00% to 21.00%), 60 seed inputs"
CERTIFIED = (
    "brightness=2: 3 of 5 inputs certified by running all members, 60.00% (95 % interval 25.00% to 90.00%), "
    "1 with a counterexample, 1 unfinished"
)
LAYER = "dense_of_a_very_long_name_" * 3


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


def test_the_terminal(whole: Assessment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / REPORT).touch()
    show(whole, tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        "verdict  fail: broken: fail; DiR of pso is 12.50% (95 % interval 8.00% to 21.00%), limit 5.00%",
        f"broken  fail: {SHARE}, limit 5.00%: exceeded",
        "broken  finding: it never says 3",
        f"broken  layer {LAYER}: 30 dB less",
        f"sound  pass: {SHARE}, limit 50.00%: kept",
        f"sound  certified: {CERTIFIED}",
        f"open  pass: {SHARE}, limit 50.00%: kept",
        "open  inconclusive: not decided",
        "ranking  sound before broken: significant at 5 % after Holm",
        "assumed  layout: channels last, 8 x 8 x 1",
        "assumed  labels: array 'y'",
        "note     TriggerFinder was left out",
        "failed   the layers of sound",
        f"report   {tmp_path / REPORT}",
    ]


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
    assert [(end.tag, end.get("message")) for suite in suites for case in suite for end in case] == [
        ("failure", f"{SHARE}, limit 5.00%: exceeded"),
        ("skipped", "not decided"),
    ]


def test_the_markdown_summary(whole: Assessment, tmp_path: Path) -> None:
    (tmp_path / REPORT).touch()
    for_ci.markdown(whole, tmp_path, tmp_path / "summary.md")
    head = ["| limit | verdict |", "|---|---|"]
    kept = f"| {SHARE}, limit 50.00%: kept | ✅ pass |"
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").splitlines() == [
        *["## quantrift assess: ❌ fail", "", "### broken: ❌ fail", "", *head],
        f"| {SHARE}, limit 5.00%: exceeded | ❌ fail |",
        f"| layer {LAYER[:-1]}\\_ | 30 dB less |",
        *["", "### sound: ✅ pass", "", *head, kept, ""],
        f"* {CERTIFIED}",
        *["", "### open: ❔ inconclusive", "", *head, kept, "| not decided | ❔ inconclusive |", ""],
        "* not computed: the layers of sound",
        f"Report: `{tmp_path / REPORT}`",
    ]
