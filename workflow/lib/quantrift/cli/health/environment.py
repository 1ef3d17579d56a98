"""Check of Python and its packages against those that the project was tested with."""

import json
import os
import platform
import sys
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from quantrift.cli.health.finding import Finding, Level
from quantrift.cli.working_copy import is_working_copy
from quantrift.core.base.process_environment import ignored, overruled
from quantrift.core.page.provenance import versions

REBUILD = "make again: rm .venv/.ready && make env"
"""Remedy: command that makes the environment again."""
OWN = "give it an environment of its own: rm -rf .venv && make env"
"""Remedy where a checkout uses the environment of another."""


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
    if version in SpecifierSet(supported):
        return Finding("python", "ok", f"{version}, supported")
    todo = f"install a Python {supported}, then: rm -rf .venv && make env"
    return Finding("python", "problem", f"{version}, not supported", todo)


def place(prefix: Path, root: Path, source: Path | None, folder: Path) -> Finding:
    """Whether the running Python is the project's own.

    Args:
        prefix: the running environment.
        root: the checkout that is checked; its .venv may be a link to where there is room.
        source: the checkout that the environment was made for, None where that is unknown.
        folder: where the command was started.
    """
    real, wanted, root = prefix.resolve(), (root / ".venv").resolve(), root.resolve()
    if is_working_copy(folder) and folder.resolve() != root:
        return Finding("environment", "warning", f"of {root}, and this folder is another working copy", OWN)
    if real != wanted:
        return Finding("environment", "warning", f"runs in {prefix}", "use .venv/bin/quantrift, made by: make env")
    if root not in real.parents and source != root:
        whose = f"made for {source}" if source else "not made for this checkout"
        return Finding("environment", "warning", f".venv leads to {real}, {whose}", OWN)
    return Finding("environment", "ok", ".venv of this checkout")


def installed_from() -> Path | None:
    """The checkout that this environment has the package from; None where it has it from none."""
    try:
        text = metadata.distribution("quantrift").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    url = urlsplit(json.loads(text)["url"] if text else "")
    return Path(unquote(url.path)).resolve() if url.scheme == "file" else None


def variables(names: set[str]) -> Finding:
    """Finding that lists the ``names`` of environment variables that a run removes or sets itself."""
    says = f"ignored, as they change results: {', '.join(sorted(names))}" if names else "none that changes results"
    return Finding("variables", "ok", says)


def packages(wanted: dict[str, str], run_time: set[str]) -> Finding:
    """Whether the packages are those ``wanted``, version by name; ``run_time`` names those that a run needs."""
    found = {name: _installed(name) for name in wanted}
    missing = [name for name, version in found.items() if version is None]
    other = [f"{name} {found[name]} for {wanted[name]}" for name in wanted if found[name] not in (None, wanted[name])]
    if not missing and not other:
        return Finding("packages", "ok", f"all {len(wanted)} as locked")
    level: Level = "problem" if run_time & set(missing) else "warning"
    lists = {"missing": missing, "not as locked": other}
    says = "; ".join(f"{what}: {', '.join(names)}" for what, names in lists.items() if names)
    return Finding("packages", level, says, REBUILD)


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
        for extra in ("", *one.extras):
            key = (canonicalize_name(one.name), extra)
            if key not in seen:
                seen.add(key)
                waiting += [(Requirement(line), extra) for line in _requires(one.name)]
    return {name for name, _ in seen}


def _requires(name: str) -> list[str]:
    """Requirements of an installed package; none of one that is missing."""
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
