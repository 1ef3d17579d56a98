"""Formats of networks, and the tasks under which each is assessed."""

from collections.abc import Iterator

from quantrift.core.base import extras
from quantrift.core.networks.runtime import module, names
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.page.markdown import table
from quantrift.core.pairs.task import CLASSIFY
from quantrift.core.pairs.task import names as names_of_tasks

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


def text() -> str:
    """A row for each format: whether it is read as original and as compressed, and under which tasks."""
    columns = ["format", "original", "compressed", *(TITLES.get(name, name) for name in tasks()), *BY_NAME]
    return table([*columns, "bundle", "needs"], _rows())


def _rows() -> Iterator[list[str]]:
    yield _of(", ".join(f"`{suffix}`" for suffix in KERAS), CONVERTED, compressed=False, needs="keras")
    yield _of("SavedModel", CONVERTED, compressed=False, needs="keras")
    for name in names():
        if (found := module(name)).SUFFIXES and found.COMPRESSED:
            _, extra = extras.PACKAGES.get(found.PACKAGES[0], ("", ""))
            yield _of(", ".join(f"`{suffix}`" for suffix in found.SUFFIXES), name, compressed=True, needs=extra)
    # It gives what the user says, so every task takes it; a bundle is of a file's network.
    yield ["[a Python function](functions.md)", *["yes"] * (2 + len(tasks()) + len(BY_NAME)), "no", ""]


def _of(title: str, runtime: str, compressed: bool, needs: str) -> list[str]:
    """A row of files that a runtime runs; ``needs`` is an extra, or empty."""
    read = module(runtime)
    extra = f"`quantrift[{needs}]`" if needs else ""
    of_tasks = (name == CLASSIFY or hasattr(read, "load_values") for name in tasks())
    says = (True, compressed, *of_tasks, *[hasattr(read, "ends")] * len(BY_NAME), True)
    return [title, *("yes" if one else "no" for one in says), extra]
