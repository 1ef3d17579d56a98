"""Docstrings of modules begin with their subject."""

import ast
import re

import pytest
from tests.factories.places import ROOT

FILES = [
    *ROOT.glob("workflow/lib/**/*.py"),
    *ROOT.glob("workflow/scripts/*.py"),
    *ROOT.glob("workflow/rules/*.smk"),
    ROOT / "Snakefile",
    *ROOT.glob("tests/**/*.py"),
]
RIDDLE = re.compile(r"(What|Which|Whether|How)\b")


def docstring(text: str, suffix: str) -> str:
    """The docstring of a module, or of a file of rules, which Python cannot parse; empty without one."""
    if suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    begins = re.match(r'"""(.*?)"""', text, re.DOTALL)
    return begins[1] if begins else ""


def test_no_docstring_of_a_module_begins_with_a_question_word() -> None:
    assert len(FILES) > 500
    assert [str(file) for file in FILES if RIDDLE.match(docstring(file.read_text(), file.suffix))] == []


@pytest.mark.parametrize("suffix", [".py", ".smk"])
def test_a_question_word_is_found(suffix: str) -> None:
    assert RIDDLE.match(docstring('"""How far\n\nmore."""\n', suffix))
    assert not RIDDLE.match(docstring('"""However far."""\n', suffix))
