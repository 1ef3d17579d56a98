"""Pages of the site: the overview names every document, and reference names every command, setting and part."""

import re

from tests.factories.places import ROOT
from tools.documents import commands_page, settings_page
from tools.documents.schema import complete

from quantrift.cli.main import COMMANDS
from quantrift.core.base import search_parts


def test_the_overview_names_every_document_in_one_of_four_groups() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Tutorials", "How-to guides", "Reference", "Explanation"]
    named = re.findall(r"\]\((\S+\.md)\)", text.partition("## ")[2])
    assert len(named) == len(set(named))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages | {f"../{path.name}" for path in ROOT.glob("*.md")} <= set(named)


def test_the_reference_of_the_command_line_has_every_command_and_option() -> None:
    text = commands_page.text()
    assert re.findall(r"^## (\S+)$", text, re.MULTILINE) == list(COMMANDS)
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \|$", text, re.MULTILINE)
    assert all(meaning for _, meaning, _ in rows)
    assert ("--max-accuracy-drop SHARE", "3%") in {(words, default.strip("`")) for words, _, default in rows}
    assert {"[TARGET ...]", "records [records ...]", "tool", "-h, --help"} <= {words for words, *_ in rows}


def test_the_reference_of_the_configuration_has_every_key_once() -> None:
    text = settings_page.text()
    whole = complete()
    sections = re.findall(r"^## (\w+)$", text, re.MULTILINE)
    assert sections == list(whole["properties"])
    labels = re.findall(r"^\((settings-\S+)\)=$", text, re.MULTILINE)
    assert len(labels) == len(set(labels)) == len(whole["$defs"])
    assert set(re.findall(r"\]\(#(settings-[^)]+)\)", text)) <= set(labels)
    assert "| `per_run_seed` | integer, ≥ 1 | `50` | " in text


def test_every_part_of_a_tool_is_there_with_its_settings_and_their_meaning() -> None:
    text = settings_page.text()
    for kind in search_parts.FOLDERS:
        for name in search_parts.available(kind):
            own = text.partition(f"\n### {kind}: {name}\n")[2].partition("\n### ")[0]
            fields = search_parts.load(kind, name).Params.__dataclass_fields__
            assert re.findall(r"^\| `(\w+)`", own, re.MULTILINE)[: len(fields)] == list(fields)
    assert "| `swarm` | integer, ≥ 2 | `10` | Particles (DiverGet §5.4). |" in text
