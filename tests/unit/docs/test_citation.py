"""Licence and citation are complete."""

import tomllib

import yaml
from tests.factories.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_is_of_this_version_and_licence() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert {"message", "title", "authors", "type"} <= set(CITATION)


def test_four_works_are_cited_with_title_and_people() -> None:
    works = CITATION["references"]
    assert len({work["title"] for work in works}) == len(works) == 4
    for work in works:
        assert work["type"]
        assert all({"given-names", "family-names"} == set(author) for author in work["authors"])
    assert [len(work["authors"]) for work in works] == [5, 6, 7, 1]


def test_the_licence_is_the_whole_apache_licence() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert all(f"   {number}. " in text for number in range(1, 10))
