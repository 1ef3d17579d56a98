"""Kinds of tables and figures, found by folder: a module in ``tables/kinds`` or ``figures/kinds`` is a kind.

A module offers ``Settings``, the settings of a target of its kind; ``needs``, the files that it is made from; and
``make``, which makes the table or figure. A table's module also has ``COLUMNS``, all columns that it may have.
Optional: ``DETAILS``, names of the CSV files that it writes beside a table or figure, or ``details_of``, which gives
them for settings; ``MORE_IDS``, ids that it shows and that no setting, key or published number names;
``RUNS_NETWORKS``, true of a kind that runs networks again on what searches found; ``states`` (settings of other
sections); ``mistakes`` (errors in a whole configuration); and, of a table, ``answer`` (sentences with numbers of its
rows that answer the target's question).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from quantrift.core.base import plugins

if TYPE_CHECKING:
    from quantrift.study.results.targets.protocol_checks import Whole
    from quantrift.study.results.targets.target import Target

Shape = Literal["tables", "figures"]


def names(shape: Shape) -> tuple[str, ...]:
    """Names of all kinds, sorted; their modules are not imported."""
    return plugins.names(f"quantrift.study.results.{shape}.kinds")


def is_table(kind: str) -> bool:
    """Whether a kind makes tables."""
    return kind in names("tables")


def module_name(kind: str) -> str:
    """The module of a kind. Raises ``KeyError`` for a kind that is in neither folder."""
    shapes: tuple[Shape, ...] = ("tables", "figures")
    return {name: f"quantrift.study.results.{shape}.kinds.{name}" for shape in shapes for name in names(shape)}[kind]


def load(kind: str) -> ModuleType:
    """The module of a kind."""
    return import_module(module_name(kind))


def details(target: Target) -> tuple[str, ...]:
    """Names of the CSV files beside a table or figure (``made_table.detail_of``); ``timing`` has times."""
    kind = load(target.kind)
    return kind.details_of(target) if hasattr(kind, "details_of") else getattr(kind, "DETAILS", ())


def runs_networks(target: Target) -> bool:
    """Whether a table or figure runs networks again on what searches found."""
    return bool(getattr(load(target.kind), "RUNS_NETWORKS", False))


def check_details(target: Target, made: Iterable[str]) -> None:
    """Raise ``ValueError`` where a kind made other files beside a target than it states: no rule would know of them."""
    if {*made} != {*details(target)}:
        raise ValueError(f"{target.kind}: makes {sorted(made)}, DETAILS has others")


def rule(target: Target) -> str:
    """The rule that makes a table or figure: of its kind, and where details depend on settings, of these details."""
    own = details(target) if hasattr(load(target.kind), "details_of") else ()
    return "_".join(["table" if is_table(target.kind) else "figure", target.kind, *own])


def settings() -> Iterator[type[Target]]:
    """The settings of all kinds."""
    yield from (load(kind).Settings for kind in (*names("tables"), *names("figures")))


def mistakes(target: Any, whole: Whole) -> Iterator[str]:
    """Errors of a target in a whole configuration, a line each that begins with the key of the target."""
    module = load(target.kind)
    yield from module.mistakes(target, whole) if hasattr(module, "mistakes") else ()
