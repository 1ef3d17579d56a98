"""Grouping of the page by work and question, and claims beside the tables that test them."""

from pathlib import Path

import pytest

from quantrift.core.page.results_page import ClaimMark, Section, grouped, marks, render

CLAIMS = {
    "more": {"work": "DiverGet", "place": "Table 4", "sentence": "It finds more.", "target": "table4"},
    "other": {"work": "Thesis", "place": "Table 5", "sentence": "It is robust.", "target": "table5"},
    "rows": {"work": "DiverGet", "place": "Table 4", "sentence": "It is fast.", "target": "table4"},
}
OUTCOMES = "claim,outcome,why\nmore,fails,Few seeds.\n"


def section(name: str, work: str, question: str = "") -> Section:
    return Section(name, name.title(), work=work, question=question)


def test_neighbours_of_one_question_stand_together_and_works_keep_their_order() -> None:
    sections = [section("a", "X", "Why?"), section("b", "Y"), section("c", "X", "Why?"), section("d", "Y")]
    works = grouped(sections, {"a": ["So."], "c": ["And so."]}, [])
    assert [work.title for work in works] == ["X", "Y"]
    [why] = works[0].questions.values()
    assert ([one.id for one in why.sections], why.answer) == (["a", "c"], ["So.", "And so."])
    assert [[one.id for one in question.sections] for question in works[1].questions.values()] == [["b"], ["d"]]


def test_a_claim_stands_beside_the_answer_of_its_table_and_one_without_table_with_its_work(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text(OUTCOMES)
    found = marks(CLAIMS, tmp_path / "claims.csv", {"table4": "DiverGet", "table5": "Thesis on bits"})
    assert [one.outcome for one in found] == ["fails", "missing", "missing"]
    works = grouped([section("table4", "DiverGet", "Does it?")], {}, found)
    assert [one.sentence for one in works[0].questions["Does it?"].claims] == ["It finds more.", "It is fast."]
    assert [(work.title, [one.sentence for one in work.untested]) for work in works[1:]] == [
        ("Thesis on bits", ["It is robust."])
    ]


@pytest.mark.parametrize("work", ["DiverGet", ""])
def test_only_a_page_of_works_begins_with_answers(tmp_path: Path, work: str) -> None:
    claims = [ClaimMark("DiverGet", "Table 4", "<b>It finds more.</b>", "a", "holds")] if work else []
    sections = [section("a", work, "Does <it>?" if work else ""), section("b", work)]
    render("T", "demo", ["Intro."], sections, {}, tmp_path / "page.html", claims=claims)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ('<section id="answers">' in text) == bool(work)
    assert ("1 <span" in text) == bool(work)
    assert text.count("Does &lt;it&gt;?") == (2 if work else 0)
    assert text.count("Intro.") == 1
    assert "<b>" not in text
    assert f'<h{3 if work else 2} id="heading-b">B</h' in text
