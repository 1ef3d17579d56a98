"""A headless Chromium, and what a newcomer does with a page: the five first questions, and the steps to their answers.

``python -m tests.e2e.browser FOLDER PAGE...`` prints the size of pages, how long they load, where they are wider than
their screen, how many sheets they print on, and the steps at both widths. It saves screens to the folder: wide in light
and dark mode, narrow, and the first sheet. A page may be Markdown, which is set as a code host sets it.
"""

import base64
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from axe_selenium_python import Axe
from markdown_it import MarkdownIt
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
A4 = (794, 1123)
"""Pixels of a sheet at 96 to the inch."""
SCREENS: Mapping[str, tuple[int, int, str, str]] = {
    "wide": (WIDTHS[0], HEIGHT, "screen", "light"),
    "dark": (WIDTHS[0], HEIGHT, "screen", "dark"),
    "narrow": (WIDTHS[1], HEIGHT, "screen", "light"),
    "print": (*A4, "print", "light"),
}
"""Name -> width, height, medium and colours."""
STEPPED = ("wide", "narrow")
"""Screens on which steps are counted."""
AS_HOSTED = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>body {{max-width: 880px; margin: 32px auto; padding: 0 16px; font: 16px/1.5 sans-serif}}
img {{max-width: 100%}} pre, :not(pre) > code {{background: #8882; font-size: 13.6px}} pre {{padding: 16px;
overflow: auto}}
td, th {{padding: 6px 13px; border: 1px solid #8884}} table {{border-collapse: collapse; display: block}}
@media (prefers-color-scheme: dark) {{body {{background: #0d1117; color: #e6edf3}} a {{color: #4493f8}}}}</style>
<base href="{base}/">{text}"""
"""Markdown as a code host sets it."""
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


def resize(browser: Chrome, width: int, height: int = HEIGHT) -> None:
    """Make the page so many pixels wide; a window is never narrower than 500, an emulated screen may be."""
    size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
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


def _hosted(page: Path, folder: Path) -> Path:
    """A page of HTML as it is; Markdown as a page of HTML in the folder."""
    if page.suffix != ".md":
        return page
    text = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(page.read_text(encoding="utf-8"))
    hosted = folder / "page.html"
    hosted.write_text(AS_HOSTED.format(base=page.resolve().parent.as_uri(), text=text), encoding="utf-8")
    return hosted


def _show(browser: Chrome, address: str, screen: str, picture: Path) -> str:
    """Open a page on a screen and save it there; its width in words, where it is too large."""
    width, height, media, colours = SCREENS[screen]
    resize(browser, width, height)
    features = [{"name": "prefers-color-scheme", "value": colours}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.get(address)
    browser.save_screenshot(str(picture))
    found = browser.execute_script("return document.documentElement.scrollWidth")
    return f", {found} pixels wide" if found > width else ""


def _main(folder: Path, pages: list[Path]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room:
        browser = chromium(Path(room) / "profile")
        if browser is None:
            print(MISSING, file=sys.stderr)
            return 2
        for page in pages:
            address = _hosted(page, Path(room)).resolve().as_uri()
            times = []
            for _ in range(5):
                browser.get(address)
                times.append(browser.execute_script("return performance.getEntriesByType('navigation')[0].duration"))
            pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
            sheets = pdf.count(b"/Type /Page") - pdf.count(b"/Type /Pages")
            loads = f"loads in {statistics.median(times):.0f} ms (median of 5)"
            print(f"{page}: {page.stat().st_size / 1e6:.1f} MB, {loads}, {sheets} sheets")
            questions = ASSESSMENT if browser.execute_script(_TOP, "#repeat") is not None else RESULTS
            for screen in SCREENS:
                picture = folder / f"{page.resolve().parent.name}_{page.stem}_{screen}.png"
                wide = _show(browser, address, screen, picture)
                print(f"  {screen}{wide} ({picture})")
                if screen in STEPPED and page.suffix != ".md":
                    told = ", ".join(f"{question} {steps(browser, answer)}" for question, answer in questions.items())
                    print(f"    {told}")
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), [Path(page) for page in sys.argv[2:]]))
