"""Figures of the kept run, as a browser draws them."""

from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from tools.documents.kept_results import KEPT

pytestmark = pytest.mark.slow
OUTSIDE = """
const box = document.documentElement.getBoundingClientRect();
const leaves = (own) => own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1
  || own.bottom > box.bottom + 1;
return [...document.querySelectorAll("[id^=text_]")].filter((one) => leaves(one.getBoundingClientRect()))
  .map((one) => one.id);
"""
FIGURES = [pytest.param(one, id=one.stem) for one in sorted((KEPT / "figures").glob("*.svg"))]


@pytest.mark.parametrize("figure", FIGURES)
def test_no_text_leaves_its_figure(chromium: Chrome, figure: Path) -> None:
    chromium.get(figure.as_uri())
    assert chromium.execute_script("return document.querySelectorAll('[id^=text_]').length") > 2
    assert chromium.execute_script(OUTSIDE) == []
