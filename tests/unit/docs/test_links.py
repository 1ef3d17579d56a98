"""The documentation points only to what exists and names what the project depends on."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from tests.factories.places import CONFIG, ROOT
from tools.bench import BENCHMARKS

PAGES = [*sorted(ROOT.glob("*.md")), CONFIG / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_resolves(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    missing = [link for link in links if not (page.parent / link.partition("#")[0]).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_place_on_some_machine(page: Path) -> None:
    assert not re.search(r"(^|[\s`(\"])/(work|home|tmp|root|Users)\b", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.stem)
def test_every_benchmark_that_a_page_runs_exists(page: Path) -> None:
    commands = re.findall(r"python -m tools\.bench ([a-z0-9_ ]+)", page.read_text(encoding="utf-8"))
    assert {*" ".join(commands).split()} <= {*BENCHMARKS}


def test_every_dependency_has_its_reason_and_size() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[<>=!~ \[]", one)[0].lower() for one in declared} - {project["name"]}
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (.+) \| [\d.]+ \|$", text, re.MULTILINE)
    assert {name.lower() for name, _ in rows} == names
