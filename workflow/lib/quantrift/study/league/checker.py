"""Checkers of compressed networks, found by folder: the module ``quantrift.study.league.checkers.<name>`` is one.

Other packages add theirs with an entry point of group ``quantrift.checkers`` that names such a module.
"""

from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from quantrift.core.base import extras, plugins
from quantrift.core.base.errors import check_name
from quantrift.core.statistics.checker_figures import About
from quantrift.study.league.by_figure import Layer

FOLDER = "quantrift.study.league.checkers"
GROUP = "quantrift.checkers"
BOTH = (".tflite", ".onnx")
"""Endings of files that quantized networks come in."""


class Checker(Protocol):
    """The interface of a checker's module.

    A checker that names the layer in which a fault lies also has a function ``layer`` with the arguments of ``score``;
    it returns the layer's name as ``quantrift assess`` shows it, or ``None``.
    """

    TITLE: str
    """Name, for tables."""
    MEANING: str
    """Definition of the score, one line."""
    SUFFIXES: tuple[str, ...]
    """Endings of the files that it reads; both are of one kind."""
    PACKAGE: str | None
    """Import name of a package that it needs and that may be missing."""

    def score(self, original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        """How suspicious a compressed network is; larger is more suspicious, and nothing else is said of its unit.

        Args:
            original: the float network, .tflite or .onnx.
            compressed: what was made of it, of the same kind.
            inputs: float32 (n, H, W, C), as the original takes them.
            labels: true ones, int64 (n,).

        Returns:
            A number, infinite ones included; NaN where the checker has nothing to say.
        """
        ...


def names() -> tuple[str, ...]:
    """The checkers there are, sorted; none is imported."""
    return tuple(sorted({*plugins.names(FOLDER), *_added()}))


def module_name(name: str) -> str:
    """The module of a checker.

    Raises:
        QuantriftError: there is no such checker.
    """
    check_name(f"there is no checker '{name}'", name, names())
    return _added().get(name, f"{FOLDER}.{name}")


def load(name: str) -> Checker:
    """The module of a checker, imported; raises as ``module_name`` does."""
    return cast(Checker, import_module(module_name(name)))


def runs_here(checker: Checker) -> bool:
    """Whether what a checker needs is installed."""
    return checker.PACKAGE is None or extras.installed(checker.PACKAGE)


def naming(checker: Checker) -> Layer | None:
    """The function of a checker that names a layer, if it has one."""
    return cast("Layer | None", getattr(checker, "layer", None))


def about(name: str) -> About:
    """A checker's title and meaning, and why it does not run here, if it does not; raises as ``module_name`` does."""
    found = load(name)
    missing = None
    if found.PACKAGE is not None and not runs_here(found):
        missing = f"not installed ({extras.PACKAGES.get(found.PACKAGE, (found.PACKAGE,))[0]})"
    return About(found.TITLE, found.MEANING, naming(found) is not None, missing)


@cache
def _added() -> dict[str, str]:
    """Checkers of other packages: name -> module."""
    return {point.name: point.value for point in metadata.entry_points(group=GROUP)}
