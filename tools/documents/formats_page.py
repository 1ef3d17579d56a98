"""Formats of networks, and the tasks under which each is assessed: ``python -m tools.documents.formats_page``."""

from collections.abc import Iterator

from tools.documents.marked_section import Section

from quantrift.core.base import extras
from quantrift.core.networks.runtime import module, names
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.pairs.task import CLASSIFY
from quantrift.core.pairs.task import names as names_of_tasks
from quantrift.study.planning.configuration_files import ROOT

FORMATS = Section(ROOT / "docs" / "formats.md", "<!-- tools.documents.formats_page writes from here -->")
CONVERTED = "litert"
"""Runtime of networks that are converted first: those of Keras, and SavedModels."""
FUNCTION = "function"
TITLES = {FUNCTION: "own agreement function"}
"""Task -> its column, where that is not its name."""
BY_NAME = ("several inputs", "one of several outputs")
"""Columns on what is chosen by name, with ``--change`` and ``--output``."""


def tasks() -> list[str]:
    """Names of the tasks, classification first and functions of users last."""
    return [CLASSIFY, *(name for name in names_of_tasks() if name not in (CLASSIFY, FUNCTION)), FUNCTION]


def part() -> str:
    """A row for each format: whether it is read as original and as compressed, and under which tasks."""
    columns = ["format", "original", "compressed", *(TITLES.get(name, name) for name in tasks()), *BY_NAME, "bundle"]
    columns.append("needs")
    rows = [_row(columns), _row(["---"] * len(columns))]
    rows += [_row(row) for row in _rows()]
    return "\n".join(rows)


def _rows() -> Iterator[list[str]]:
    yield _of(", ".join(f"`{suffix}`" for suffix in KERAS), CONVERTED, compressed=False, needs="keras")
    yield _of("SavedModel", CONVERTED, compressed=False, needs="keras")
    for name in names():
        if (found := module(name)).SUFFIXES and found.COMPRESSED:
            _, extra = extras.PACKAGES.get(found.PACKAGES[0], ("", ""))
            yield _of(", ".join(f"`{suffix}`" for suffix in found.SUFFIXES), name, compressed=True, needs=extra)
    # It gives what the user says, so every task takes it; a bundle is of a file's network.
    given = [_word(True) for _ in tasks()]
    given += [_word(True) for _ in BY_NAME]
    yield ["[a Python function](functions.md)", _word(True), _word(True), *given, _word(False), ""]


def _of(title: str, runtime: str, compressed: bool, needs: str) -> list[str]:
    """A row of files that a runtime runs; ``needs`` is an extra, or empty."""
    values = hasattr(module(runtime), "load_values")
    of_tasks = [_word(name == CLASSIFY or values) for name in tasks()]
    by_name = [_word(hasattr(module(runtime), "ends")) for _ in BY_NAME]
    extra = f"`quantrift[{needs}]`" if needs else ""
    return [title, _word(True), _word(compressed), *of_tasks, *by_name, _word(True), extra]


def _word(says: bool) -> str:
    return "yes" if says else "no"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    FORMATS.write(part())
