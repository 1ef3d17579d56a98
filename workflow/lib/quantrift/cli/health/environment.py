"""Check of Python and its packages against those that the project was tested with."""

import json
import os
import platform
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from quantrift.core.base.process_environment import ignored, overruled
from quantrift.core.page.provenance import versions

Level = Literal["ok", "warning", "problem"]
REBUILD = "make again: rm .venv/.ready && make env"
"""Remedy: command that makes the environment again."""
OWN = "give it an environment of its own: rm -rf .venv && make env"
"""Remedy where a checkout uses the environment of another."""


PARTS = ("Snakefile", "config/rates.csv", "workflow/lib/quantrift")
"""Files and folders by which a working copy is known."""


@dataclass(frozen=True)
class Finding:
    """One line of the check-up."""

    check: str
    """Subject of the check."""
    level: Level
    """``warning``: a run works, but slower, or its results are less sure. ``problem``: a run fails."""
    says: str
    """Result of the check."""
    todo: str = ""
    """Remedy; empty when all is well."""


def judged(check: str, well: str, *faults: tuple[bool, Level, str, str]) -> Finding:
    """The first fault that is there, of its level, with what it says and its remedy; ``well`` where there is none."""
    told = (Finding(check, level, says, todo) for there, level, says, todo in faults if there)
    return next(told, Finding(check, "ok", well))


def is_working_copy(folder: Path) -> bool:
    """Whether ``folder`` is a working copy of the project, be it the one that this package is from or another."""
    return all((folder / part).exists() for part in PARTS)


def check(root: Path) -> list[Finding]:
    """The environment of the checkout ``root``."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        interpreter(project["requires-python"], platform.python_version()),
        place(Path(sys.prefix), root, installed_from(), Path.cwd()),
        packages(
            locked(root / "envs" / "requirements.lock"),
            needed([*project["dependencies"], *brought(project, "workflow")]),
        ),
        Finding("versions", "ok", ", ".join(f"{name} {version}" for name, version in versions().items())),
        variables({*ignored(), *overruled(os.environ)}),
    ]


def interpreter(supported: str, version: str) -> Finding:
    """Whether the running Python is supported."""
    todo = f"install a Python {supported}, then: rm -rf .venv && make env"
    return judged(
        "python",
        f"{version}, supported",
        (version not in SpecifierSet(supported), "problem", f"{version}, not supported", todo),
    )


def place(prefix: Path, root: Path, source: Path | None, folder: Path) -> Finding:
    """Whether the running Python is the project's own.

    Args:
        prefix: the running environment.
        root: the checkout that is checked; its .venv may be a link to where there is room.
        source: the checkout that the environment was made for, None where that is unknown.
        folder: where the command was started.
    """
    real, wanted, root = prefix.resolve(), (root / ".venv").resolve(), root.resolve()
    elsewhere = is_working_copy(folder) and folder.resolve() != root
    whose = f"made for {source}" if source else "not made for this checkout"
    return judged(
        "environment",
        ".venv of this checkout",
        (elsewhere, "warning", f"of {root}, and this folder is another working copy", OWN),
        (real != wanted, "warning", f"runs in {prefix}", "use .venv/bin/quantrift, made by: make env"),
        (root not in real.parents and source != root, "warning", f".venv leads to {real}, {whose}", OWN),
    )


def installed_from() -> Path | None:
    """The checkout that this environment has the package from; None where it has it from none."""
    found = _distribution("quantrift")
    text = found.read_text("direct_url.json") if found else None
    url = urlsplit(json.loads(text)["url"] if text else "")
    return Path(unquote(url.path)).resolve() if url.scheme == "file" else None


def variables(names: set[str]) -> Finding:
    """Finding that lists the ``names`` of environment variables that a run removes or sets itself."""
    says = f"ignored, as they change results: {', '.join(sorted(names))}" if names else "none that changes results"
    return Finding("variables", "ok", says)


def packages(wanted: dict[str, str], run_time: set[str]) -> Finding:
    """Whether the packages are those ``wanted``, version by name; ``run_time`` names those that a run needs."""
    found = {name: one.version for name in wanted if (one := _distribution(name))}
    missing = [name for name in wanted if name not in found]
    other = [f"{name} {found[name]} for {wanted[name]}" for name in found if found[name] != wanted[name]]
    lists = {"missing": missing, "not as locked": other}
    says = "; ".join(f"{what}: {', '.join(names)}" for what, names in lists.items() if names)
    return judged(
        "packages",
        f"all {len(wanted)} as locked",
        (bool(run_time & {*missing}), "problem", says, REBUILD),
        (bool(says), "warning", says, REBUILD),
    )


def locked(lock: Path) -> dict[str, str]:
    """Version of each package in a lock file that this Python on this system needs, by name."""
    lines = (line.rstrip(" \\\n") for line in lock.read_text(encoding="utf-8").splitlines())
    pins = [Requirement(line) for line in lines if line and not line.startswith((" ", "#", "-"))]
    return {pin.name: next(iter(pin.specifier)).version for pin in pins if pin.marker is None or pin.marker.evaluate()}


def brought(project: Mapping[str, Any], extra: str) -> list[str]:
    """Requirements of an extra of ``project``, the table of pyproject.toml, and of the extras that it names in turn."""
    found: list[str] = []
    for line in project["optional-dependencies"][extra]:
        one = Requirement(line)
        own = one.name == project["name"]
        found += [inner for name in sorted(one.extras) for inner in brought(project, name)] if own else [line]
    return found


def needed(dependencies: list[str]) -> set[str]:
    """Names of the packages in ``dependencies``, as pip writes them, and of all that these need in turn."""
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(line), "") for line in dependencies]
    while waiting:
        one, asked_for = waiting.pop()
        if one.marker and not one.marker.evaluate({"extra": asked_for}):
            continue
        new = {(canonicalize_name(one.name), extra) for extra in ("", *one.extras)} - seen
        seen |= new
        needs = (found := _distribution(one.name)) and found.requires
        waiting += [(Requirement(line), extra) for line in needs or () for _, extra in new]
    return {name for name, _ in seen}


def _distribution(name: str) -> metadata.Distribution | None:
    """An installed package; None of one that is missing."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
