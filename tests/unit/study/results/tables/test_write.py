"""Names of any kind in the files of a table: columns, cells and text stay what they are."""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from quantrift.core.page import markdown
from quantrift.core.page.arrangement import Names
from quantrift.core.page.made_table import meaning_of
from quantrift.core.statistics.column import Column, end, frame, key
from quantrift.study.results.tables.finished_table import Table, write

NAMES = st.text(
    st.one_of(st.sampled_from("\\|`*_~$<>&[](){}#+-=!:.\"' \n\r;@0a"), st.characters(exclude_categories=["Cs", "Cc"])),
    max_size=14,
)
HOSTILE = [
    "$x_{",
    "<script>alert(1)</script>",
    "=cmd()",
    "a|b",
    r"a\|b\\",
    "line\nend",
    "line\rend",
    "`code` **bold** _words_ ~~gone~~",
    "[a](http://b) ![c](d)",
    "[a]: http://b",
    "&lt; &#35;",
    "C #",
    "- item",
    "1. item",
    "---",
    "\u202eright to left",
    "",
]
GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def flat(text: str) -> str:
    """The text in one line, without blanks that Markdown takes away."""
    return " ".join(text.split())


def words(token: Token) -> str:
    """What a reader sees of a heading, paragraph or cell; its parts must be plain text and nothing else."""
    parts = token.children or []
    assert {part.type for part in parts} <= {"text", "text_special"}, [part.type for part in parts]
    return flat("".join(part.content for part in parts))


def shown(text: str) -> list[tuple[str, str]]:
    """Each piece of text of a Markdown file with the element that it stands in."""
    tokens = GFM.parse(text)
    return [(tokens[place - 1].tag, words(one)) for place, one in enumerate(tokens) if one.type == "inline"]


@given(NAMES, NAMES)
@example("a\\", "b|")
@settings(deadline=None)
def test_markdown_shows_any_name_as_it_is_in_its_own_cell(first: str, second: str) -> None:
    written = [markdown.inline(first), markdown.inline(second)]
    table = markdown.table(written, [written[::-1]])
    cells = [flat(first), flat(second), flat(second), flat(first)]
    assert shown(table) == list(zip(["th", "th", "td", "td"], cells, strict=True))


@given(NAMES)
@example("[a]: http://b")
@example("1.")
@example("*")
@example("#")
@settings(deadline=None)
def test_markdown_shows_any_name_as_it_is_in_a_paragraph_and_a_heading(name: str) -> None:
    assert shown(markdown.line(name)) == ([("p", flat(name))] if flat(name) else [])
    assert shown(f"# {markdown.inline(name)}") == [("h1", flat(name))]


@pytest.mark.parametrize(
    "text", ["ptq_int8", "1.07 [0.90, 1.20]", "2.0*", "p < 0.05, a & b", "(* corrected)", "-0.5", "8-bit, in training"]
)
def test_what_needs_no_backslash_gets_none(text: str) -> None:
    assert markdown.inline(text) == text


@pytest.mark.parametrize("name", HOSTILE)
def test_every_form_of_a_table_keeps_a_name(name: str, tmp_path: Path) -> None:
    columns = (key("group", "Group", kind="text"), Column("dir", name or "DiR", "fraction"))
    data = frame([{"group": name, "dir": 0.25}, {"group": "other"}], columns)
    write(Table(data, columns, [name]), name, name, tmp_path / "t", Names(), {}, {})
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert [words for _, words in shown(text)].count(flat(name)) >= 3 + (name != "")
    assert sum(kind in ("th", "td") for kind, _ in shown(text)) == 6
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["group", "dir"], [name, "0.25"], ["other", ""]]
    assert pd.read_csv(io.BytesIO((tmp_path / "t.csv").read_bytes()), keep_default_na=False)["group"][0] == name
    assert meaning_of(tmp_path / "t.csv").columns == columns


def test_a_column_that_nobody_would_see_is_refused(tmp_path: Path) -> None:
    rate = Column("dir", "DiR", "fraction", low="dir_low", high="dir_high")
    columns = (rate, end("dir_low", rate), end("dir_high", rate), end("dir_middle", rate))
    data = frame([{"dir": 0.5}], columns)
    with pytest.raises(ValueError, match="dir_middle: stands in no cell"):
        write(Table(data, columns), "T", "", tmp_path / "t", Names(), {}, {})
    with pytest.raises(ValueError, match="other columns than those that are declared"):
        write(Table(data, columns[:3]), "T", "", tmp_path / "t", Names(), {}, {})
    assert not list(tmp_path.iterdir())
