"""The page of formats lists the layers of Keras that are read without Keras."""

import re

from quantrift.core.networks.foreign.plain_keras import ALONE, MAKERS
from quantrift.study.planning.configuration_files import ROOT


def test_the_page_lists_exactly_the_layers_that_are_read() -> None:
    text = (ROOT / "docs" / "formats.md").read_text()
    section = text.split("## Keras files", 1)[1].split("\n## ", 1)[0]
    listed = re.search(r"these layers alone: (.*?)\.\s", section, re.DOTALL)
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed[1]) == sorted(MAKERS)
    assert all(name in section for name in ALONE)
