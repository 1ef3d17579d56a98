"""Screens of pages, for a reader to look at: ``python -m tests.screens FOLDER PAGE...``.

A page is HTML, or Markdown, which is set as a code host sets it. Each page has a screen 1280 pixels wide in light and
dark mode, a screen 400 pixels wide, and its first printed sheet. The widths of pages that are wider than their screen
are printed, and the number of sheets.
"""

import argparse
import base64
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from selenium.webdriver import Chrome
from tests.e2e.browser import MISSING, chromium

HEIGHT = 900
A4 = {"width": 794, "height": 1123}
"""Pixels of a sheet at 96 to the inch."""
SCREENS = {
    "wide": ({"width": 1280, "height": HEIGHT}, "screen", "light"),
    "dark": ({"width": 1280, "height": HEIGHT}, "screen", "dark"),
    "narrow": ({"width": 400, "height": HEIGHT}, "screen", "light"),
    "print": (A4, "print", "light"),
}
"""Name -> size, medium and colours."""
AS_HOSTED = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>body {{max-width: 880px; margin: 32px auto; padding: 0 16px; font: 16px/1.5 sans-serif}}
img {{max-width: 100%}} pre, :not(pre) > code {{background: #8882; font-size: 13.6px}} pre {{padding: 16px;
overflow: auto}}
td, th {{padding: 6px 13px; border: 1px solid #8884}} table {{border-collapse: collapse; display: block}}
@media (prefers-color-scheme: dark) {{body {{background: #0d1117; color: #e6edf3}} a {{color: #4493f8}}}}</style>
<base href="{base}/">{text}"""
"""Markdown as a code host sets it."""


def opened(browser: Chrome, page: Path, folder: Path) -> None:
    """Open a page, HTML or Markdown."""
    if page.suffix == ".md":
        text = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(page.read_text(encoding="utf-8"))
        page, base = folder / "page.html", page.resolve().parent.as_uri()
        page.write_text(AS_HOSTED.format(base=base, text=text), encoding="utf-8")
    browser.get(page.resolve().as_uri())


def shown(browser: Chrome, name: str, out: Path) -> str:
    """Write the screens of the page that is open; what is wrong with its widths, in words."""
    said = []
    for screen, (size, media, colours) in SCREENS.items():
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**size, "deviceScaleFactor": 1, "mobile": False})
        features = [{"name": "prefers-color-scheme", "value": colours}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
        browser.save_screenshot(str(out / f"{name}-{screen}.png"))
        width = browser.execute_script("return document.documentElement.scrollWidth")
        if width > size["width"]:
            said.append(f"{width} pixels wide on a {screen} screen of {size['width']}")
    sheet = base64.b64decode(
        browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
    )
    return ", ".join([*said, f"{sheet.count(b'/Type /Page') - sheet.count(b'/Type /Pages')} sheets"])


def main() -> int:
    """Write the screens of all pages that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.screens", description=__doc__)
    parser.add_argument("folder", type=Path, help="where screens are written")
    parser.add_argument("pages", nargs="+", metavar="NAME=PAGE", help="name of the screens, and a file")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        browser = chromium(Path(folder) / "profile")
        if browser is None:
            print(MISSING, file=sys.stderr)
            return 2
        for name, _, page in (one.partition("=") for one in given.pages):
            opened(browser, Path(page), Path(folder))
            print(f"{name}: {shown(browser, name, given.folder)}")
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
