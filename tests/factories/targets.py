"""Tables and figures made of hand-made files, as jobs of the workflow make them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.factories import as_written

from quantrift.study.results.figures import finished_figure as figures
from quantrift.study.results.tables import finished_table as tables
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Key

SVG = "{http://www.w3.org/2000/svg}"
"""Before each name of an element of a figure."""


def given(files: Mapping[str, Mapping[Any, Path | Sequence[Path]]], datasets: Mapping[str, Any], **more: Any) -> Given:
    """Files and names for a kind, at scale ``demo``; a single file may stand for a list of one."""
    own: dict[str, Files] = {
        name: {key: [paths] if isinstance(paths, Path) else list(paths) for key, paths in keyed.items()}
        for name, keyed in files.items()
    }
    return Given(**{"files": own, "datasets": datasets, "scale": "demo", **more})


def of_searches(files: Sequence[Path]) -> dict[Key, list[Path]]:
    """Tables of blocks by what was searched, in folders named after it as in a results folder."""
    found: dict[Key, list[Path]] = {}
    for file in files:
        found.setdefault(file.parts[-6:-1], []).append(file)
    return found


def of_metrics(files: Sequence[Path]) -> dict[Key, Path]:
    """Files of metrics by what was searched, in folders named after it as in a results folder."""
    return {file.with_suffix("").parts[-5:]: file for file in files}


def published(folder: Path, text: str | None) -> list[Path]:
    """A file of published numbers with this text; none without text."""
    if not text:
        return []
    (folder / "published.csv").write_text(text)
    return [folder / "published.csv"]


def table(folder: Path, given: Given, **stated: Any) -> Path:
    """Make a table of a kind in ``folder``; returns its path without suffix, ``<folder>/tables/<kind>``.

    ``stated`` are the settings, ``kind`` among them; a title is made up.
    """
    stem = folder / "tables" / str(stated["kind"])
    stem.parent.mkdir(exist_ok=True)
    tables.make({"title": "A title", **stated}, given, stem, {})
    return stem


def figure(folder: Path, given: Given, **stated: Any) -> Path:
    """Make a figure of a kind in ``folder``; returns its path without suffix, ``<folder>/figures/<kind>``."""
    stem = folder / "figures" / str(stated["kind"])
    stem.parent.mkdir(exist_ok=True)
    figures.make({"title": "A title", **stated}, given, stem)
    root = drawn(stem)
    words = [" ".join("".join(element.itertext()).split()) for element in root.iter(f"{SVG}text")]
    as_written.check_figure(stem, f"{root.get('width')} x {root.get('height')}", words)
    return stem


def markdown(stem: Path) -> str:
    """The Markdown file of a table, with plain blanks in numbers."""
    return stem.with_suffix(".md").read_text(encoding="utf-8").replace("\u202f", " ").replace("\xa0", " ")


def drawn(figure: Path) -> ElementTree.Element:
    """Root of a figure's SVG, from its path with any suffix or none."""
    return ElementTree.parse(figure.with_suffix(".svg")).getroot()


def texts(figure: Path) -> list[str]:
    """All text of a figure, of its path with any suffix or none, in the order in which it is drawn."""
    return [element.text or "" for element in drawn(figure).iter(f"{SVG}text")]
