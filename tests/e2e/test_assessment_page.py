"""The report of an assessment in a real browser, opened from disk."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from tests.e2e.browser import ASSESSMENT, WIDTHS, steps

from quantrift.judge.python.assessments import report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(assessed: Path) -> Path:
    """The page."""
    return report(assessed)


@pytest.mark.parametrize("width", [1280, 400])
def test_it_is_quiet_asks_for_nothing_and_never_scrolls_sideways(
    chromium: Chrome,
    page: Path,
    width: int,
    resize: Callable[[Chrome, int], None],
    requests: Callable[[Chrome, Path], set[str]],
) -> None:
    resize(chromium, width)
    chromium.get(page.as_uri())
    chromium.execute_script("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    assert chromium.execute_script(
        "return document.scrollingElement.scrollWidth <= innerWidth && innerWidth === arguments[0]", width
    )
    lead = chromium.find_element(By.CSS_SELECTOR, ".lead.fail")
    assert lead.rect["x"] >= 0
    assert lead.rect["x"] + lead.rect["width"] <= width
    assert chromium.get_log("browser") == []
    asked = requests(chromium, page)
    assert page.as_uri() in asked, "the log would be empty if nothing were logged"
    assert {url for url in asked if urlsplit(url).scheme != "data"} == {page.as_uri()}


def test_tables_sort_and_pictures_are_there(chromium: Chrome, page: Path) -> None:
    chromium.get(page.as_uri())
    cells = "return [...document.querySelectorAll('#rates tbody tr')].map((row) => row.cells[3].innerText)"
    chromium.find_element(By.XPATH, "//section[@id='rates']//button[starts-with(., 'DiR')]").click()
    assert chromium.execute_script(cells) == [
        *2 * ["40.00 [30.00, 50.00]"],
        *2 * ["12.50 [8.00, 21.00]"],
    ]
    for section in ("rates", "margins", "model0_layers", "model0_gallery", "model1_gallery"):
        figure = chromium.find_element(By.CSS_SELECTOR, f"#{section} figure svg")
        assert figure.rect["height"] > 50
    assert chromium.execute_script("return document.querySelectorAll('#model0_gallery image').length") == 12


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("question", ASSESSMENT)
def test_a_newcomers_question_is_answered_within_two_steps(
    chromium: Chrome, page: Path, width: int, question: str, resize: Callable[[Chrome, int], None]
) -> None:
    resize(chromium, width)
    chromium.get(page.as_uri())
    taken = steps(chromium, ASSESSMENT[question])
    assert taken is not None
    assert taken <= 2


def test_no_text_leaves_its_figure(chromium: Chrome, page: Path) -> None:
    chromium.get(page.as_uri())
    outside = """
const parts = [...document.querySelectorAll("figure svg text")];
const leaves = (part) => part.getBoundingClientRect().top < part.closest("svg").getBoundingClientRect().top - 1;
return [parts.length, parts.filter(leaves).map((part) => part.id)];
"""
    count, left = chromium.execute_script(outside)
    assert count > 20
    assert left == []
