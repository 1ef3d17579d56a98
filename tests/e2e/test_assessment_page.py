"""The report of an assessment in a real browser, opened from disk."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from quantrift.assess.page import write

pytestmark = pytest.mark.slow

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")


@pytest.fixture(scope="module")
def page(assessed: Path) -> Path:
    """The page."""
    return write(assessed)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A headless Chromium that notes what it complains of and what it asks for."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium chromium-driver)")
    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


@pytest.mark.parametrize("width", [1280, 400])
def test_it_is_quiet_asks_for_nothing_and_never_scrolls_sideways(browser: Chrome, page: Path, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    assert browser.execute_script(
        "return document.scrollingElement.scrollWidth <= innerWidth && innerWidth === arguments[0]", width
    )
    lead = browser.find_element(By.CSS_SELECTOR, ".lead.alarm")
    assert lead.rect["x"] >= 0
    assert lead.rect["x"] + lead.rect["width"] <= width
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    asked = {one["request"]["url"] for one in sent if one["documentURL"] == page.as_uri()}
    assert {url for url in asked if urlsplit(url).scheme != "data"} == {page.as_uri()}


def test_tables_sort_and_pictures_are_there(browser: Chrome, page: Path) -> None:
    browser.get(page.as_uri())
    cells = "return [...document.querySelectorAll('#rates tbody tr')].map((row) => row.cells[3].innerText)"
    browser.find_element(By.XPATH, "//section[@id='rates']//button[starts-with(., 'DiR')]").click()
    assert browser.execute_script(cells) == ["40.00", "40.00", "12.50", "12.50"]
    for section in ("rates", "margins", "model0_layers", "model0_gallery", "model1_gallery"):
        figure = browser.find_element(By.CSS_SELECTOR, f"#{section} figure svg")
        assert figure.rect["height"] > 50
    assert browser.execute_script("return document.querySelectorAll('#model0_gallery image').length") == 12
