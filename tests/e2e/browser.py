"""A headless Chromium, and what a newcomer does with a page: the five first questions, and the steps to their answers.

``python -m tests.e2e.browser FOLDER PAGE...`` prints the size of pages, how long they load, and these steps at both
widths; it saves screenshots to the folder.
"""

import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from axe_selenium_python import Axe
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = "needs chromium and chromedriver (Debian: chromium chromium-driver)"
HEIGHT = 800
WIDTHS = (1280, 400)
_SEARCHES = "#answers .told:has(a[href='#about-diverget_table4']) .answer"
RESULTS: Mapping[str, str] = {
    "Does search beat random sampling?": _SEARCHES,
    "In which layers does it arise?": "#layer_errors",
    "How sure is that?": _SEARCHES,
    "What do I do now?": "#next",
    "How do I get this for my model?": "#next .command",
}
"""Question -> where the report of results answers it."""
ASSESSMENT: Mapping[str, str] = {
    "Does search beat random sampling?": "#rates",
    "In which layers does it arise?": "#model0_layers",
    "How sure is that?": ".lead",
    "What do I do now?": ".lead",
    "How do I get this for my model?": "#repeat",
}
"""The same of the report of an assessment."""


def chromium(profile: Path) -> Chrome | None:
    """A browser that notes what it complains of and what it asks for; None where there is none."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        return None
    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Chrome(options=options, service=ChromeService(driver))


def resize(browser: Chrome, width: int) -> None:
    """Make the page so many pixels wide; a window is never narrower than 500, an emulated screen may be."""
    size: dict[str, Any] = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def serious(browser: Chrome) -> list[str]:
    """Reports of axe-core on serious and critical violations in the current page, after every <details> is opened."""
    browser.execute_script("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    axe = Axe(browser)
    axe.inject()
    return [axe.report([one]) for one in axe.run()["violations"] if one["impact"] in ("serious", "critical")]


_TOP = "return document.querySelector(arguments[0])?.getBoundingClientRect().top ?? null"
_LINK = """
const section = document.querySelector(arguments[0]).closest("section");
return [...document.querySelectorAll("nav a")].find((one) => one.hash === "#" + section?.id) ?? null;
"""
_IN_SIGHT = """
const [own, list] = [arguments[0].getBoundingClientRect(), arguments[0].closest("nav").getBoundingClientRect()];
return own.height > 0 && own.bottom <= Math.min(innerHeight, list.bottom);
"""


def steps(browser: Chrome, answer: str) -> int | None:
    """Count the clicks, and screens to scroll, from the top of a page until an answer is in sight.

    A link of the contents counts as two where these must be opened or scrolled first. None where the page has no such
    answer, or where it takes more than two screens after the link.
    """
    browser.execute_script("scrollTo(0, 0)")
    top = browser.execute_script(_TOP, answer)
    if top is None:
        return None
    taken = int(top // HEIGHT)
    link = browser.execute_script(_LINK, answer)
    if taken <= 2 or link is None:
        return taken
    seen = browser.execute_script(_IN_SIGHT, link)
    # A script may select a link that is folded away; the step that unfolds it is counted.
    browser.execute_script("arguments[0].click()", link)
    for scrolled in range(3):
        if 0 <= browser.execute_script(_TOP, answer) < HEIGHT:
            return (1 if seen else 2) + scrolled
        browser.execute_script("scrollBy(0, innerHeight)")
    return None


def _main(folder: Path, pages: list[Path]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = chromium(Path(profile))
        if browser is None:
            print(MISSING, file=sys.stderr)
            return 2
        for page in pages:
            times = []
            for _ in range(5):
                browser.get(page.resolve().as_uri())
                times.append(browser.execute_script("return performance.getEntriesByType('navigation')[0].duration"))
            size = page.stat().st_size / 1e6
            print(f"{page}: {size:.1f} MB, loads in {statistics.median(times):.0f} ms (median of 5)")
            questions = ASSESSMENT if browser.execute_script(_TOP, "#repeat") is not None else RESULTS
            for width in WIDTHS:
                resize(browser, width)
                browser.get(page.resolve().as_uri())
                picture = folder / f"{page.parent.name}_{page.stem}_{width}.png"
                browser.save_screenshot(str(picture))
                told = ", ".join(f"{question} {steps(browser, answer)}" for question, answer in questions.items())
                print(f"  {width} px: {told} ({picture})")
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), [Path(page) for page in sys.argv[2:]]))
