"""Checkers of compressed networks by name: those of the package, and those of others.

Other packages add theirs with an entry point of group ``quantrift.checkers`` that names a module with ``TITLE``,
``MEANING``, ``SUFFIXES``, ``PACKAGE``, ``score`` and, where it names the layer in which a fault lies, ``layer``
(``quantrift.study.league.checkers.Checker``).
"""

from functools import cache
from importlib import import_module, metadata

from quantrift.core.base import extras
from quantrift.core.base.errors import check_name
from quantrift.core.statistics.checker_figures import About
from quantrift.study.league import checkers
from quantrift.study.league.checkers import BOTH as BOTH
from quantrift.study.league.checkers import CHECKERS, Checker


def names() -> tuple[str, ...]:
    """The checkers there are, sorted; none of others is imported."""
    return tuple(sorted({*CHECKERS, *_added()}))


def module_name(name: str) -> str:
    """The module of a checker.

    Raises:
        QuantriftError: there is no such checker.
    """
    check_name(f"there is no checker '{name}'", name, names())
    return _added().get(name, checkers.__name__)


def load(name: str) -> Checker:
    """A checker; raises as ``module_name`` does."""
    if (module := module_name(name)) == checkers.__name__:
        return CHECKERS[name]
    found = import_module(module)
    return Checker(
        found.TITLE, found.MEANING, found.score, getattr(found, "layer", None), found.SUFFIXES, found.PACKAGE
    )


def runs_here(checker: Checker) -> bool:
    """Whether what a checker needs is installed."""
    return checker.package is None or extras.installed(checker.package)


def about(name: str) -> About:
    """A checker's title and meaning, and why it does not run here, if it does not; raises as ``module_name`` does."""
    found = load(name)
    package = found.package or ""
    missing = None if runs_here(found) else f"not installed ({extras.PACKAGES.get(package, (package,))[0]})"
    return About(found.title, found.meaning, found.layer is not None, missing)


@cache
def _added() -> dict[str, str]:
    """Checkers of other packages: name -> module."""
    return {point.name: point.value for point in metadata.entry_points(group="quantrift.checkers")}
