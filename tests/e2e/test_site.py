"""The site of the documents builds without a warning, is whole, and asks no other host for anything."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.support.ui import WebDriverWait
from tests.e2e.browser import serious
from tests.factories.places import ROOT

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """What a page links to, what a browser would load for it, and the ids that may be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        stated = {name: value for name, value in attrs if value}
        self.ids |= {stated[name] for name in ("id", "name") if name in stated}
        if tag == "a" and "href" in stated:
            self.links.append(stated["href"])
        elif tag == "link" and "href" in stated:
            self.loads.append(stated["href"])
        self.loads += [stated[name] for name in ("src", "srcset", "data", "poster") if name in stated]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = ["make", "--old-file=env", f"BIN={Path(sys.executable).parent}", f"SITE={folder / 'html'}", "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_no_link_is_broken(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            file, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", file):
                continue
            to = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].ids):
                broken.append(f"{path.name}: {link}")
    assert len(pages) > 30
    assert broken == []


def test_every_page_of_the_documents_is_in_the_navigation(pages: dict[Path, Page], site: Path) -> None:
    start = site / "docs" / "index.html"
    linked = {(start.parent / link).resolve() for link in pages[start].links if "://" not in link}
    pages_of_docs = {page.stem for page in (ROOT / "docs").glob("*.md")} - {start.stem}
    assert {site / "docs" / f"{name}.html" for name in pages_of_docs} <= linked
    text = start.read_text(encoding="utf-8")
    assert re.findall(r'class="caption"[^>]*><span[^>]*>([^<]+)', text) == [
        "Tutorials",
        "How-to guides",
        "Reference",
        "Explanation",
    ]


def test_nothing_is_loaded_from_another_host(pages: dict[Path, Page], site: Path) -> None:
    loads = [load for page in pages.values() for load in page.loads]
    assert [load for load in loads if re.match(r"([a-z]+:)?//", load)] == []
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text(encoding="utf-8"))


def test_reference_is_made_from_the_code(site: Path) -> None:
    def text(page: str) -> str:
        return (site / "docs" / page).read_text(encoding="utf-8")

    assert "--max-accuracy-drop" in text("command_line.html")
    assert "block_evaluations" in text("settings.html")
    assert 'id="quantrift.api.load_pair"' in text("python_api.html")


def test_the_search_works_from_files(site: Path, chromium: Chrome) -> None:
    chromium.get((site / "search.html").as_uri() + "?q=holm")
    WebDriverWait(chromium, 20).until(lambda browser: "finished" in found(browser))
    assert "Metrics and statistics" in found(chromium)
    events = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert any(url.endswith("/searchindex.js") or "searchindex.js" in url for url in asked)
    # The browser asks for parts of its own start page, too.
    own = ("file:", "data:", "chrome:", "chrome-untrusted:")
    assert [url for url in asked if not url.startswith(own)] == []


@pytest.mark.parametrize("page", ["index", "board"])
def test_all_can_read_it(site: Path, chromium: Chrome, page: str) -> None:
    chromium.get((site / "docs" / f"{page}.html").as_uri())
    assert serious(chromium) == []


def found(browser: Chrome) -> str:
    return str(browser.execute_script("return document.getElementById('search-results').innerText"))
