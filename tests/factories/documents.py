"""Parts of the documents, for tests that run them."""

import re

from tests.factories.places import ROOT


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of one language on a page of ``docs``."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
