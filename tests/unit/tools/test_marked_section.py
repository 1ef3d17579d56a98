"""Sections of documents that a command writes."""

from pathlib import Path

import pytest
from tools.documents.marked_section import Section

from quantrift.core.base.errors import QuantriftError

PAGE = "before\n<!-- rows -->\n\nold\n\n<!-- to here -->\nafter\n"


def test_a_section_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    section = Section(tmp_path / "page.md", "<!-- rows -->")
    section.page.write_text(PAGE)
    section.write("new\n")
    assert section.page.read_text() == PAGE.replace("old", "new")
    assert section.with_part("new") == section.page.read_text()


@pytest.mark.parametrize("mark", ["<!-- rows -->", "<!-- to here -->"])
def test_a_page_without_marks_is_not_overwritten(tmp_path: Path, mark: str) -> None:
    section = Section(tmp_path / "page.md", "<!-- rows -->")
    section.page.write_text(PAGE.replace(mark, ""))
    with pytest.raises(QuantriftError, match=f"page.md: lacks the line '{mark}'; put it back"):
        section.write("new")
    assert "old" in section.page.read_text()
