"""Locked packages: their licences, for docs/dependencies.md, and the Conda environment of ``--sdm conda``."""

import email.parser
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from importlib import metadata
from pathlib import Path

import yaml
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.documents.licence_facts import LIBRARIES, SPELLED, STATED

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.markdown import table

CONDA = Path("envs") / "quantrift.yaml"
PYTHON = "3.11"
"""The oldest that the lock is for, which `make lock` resolves for and `make env` looks for first."""
CORE = "core"
"""Name of the group that is always installed; the others are extras."""
UNKNOWN = "unknown"
COPYLEFT = re.compile(r"\b(A|L)?GPL-")


@dataclass
class Locked:
    """A package of the lock file."""

    versions: list[str] = field(default_factory=list)
    """Locked versions; several where they depend on the version of Python."""
    parents: set[str] = field(default_factory=set)
    """Packages that require it, some of them for an extra only."""


def read_lock(text: str) -> dict[str, Locked]:
    """Normalised name -> package, of a lock file that ``uv pip compile`` wrote, with what each is needed by."""
    found: dict[str, Locked] = {}
    own = Locked()
    for line in text.splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.removesuffix("\\"))
            own = found.setdefault(canonicalize_name(requirement.name), Locked())
            own.versions += [one.version for one in requirement.specifier]
        elif needed_by := re.match(r"\s+# (?:via |  )(\S+)", line):
            own.parents.add(canonicalize_name(needed_by[1]))
    return found


def requirements(root: Path) -> dict[str, list[str]]:
    """``core`` and each extra -> what it requires, of the checkout ``root``; extras that it names are left out."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        name: [line for line in lines if Requirement(line).name != project["name"]]
        for name, lines in {CORE: project["dependencies"], **project["optional-dependencies"]}.items()
    }


def origins(lock: Mapping[str, Locked], groups: Mapping[str, Iterable[str]]) -> dict[str, dict[str, list[str]]]:
    """Package -> group -> which requirements of the group bring it, sorted; itself among them where it is one.

    Followed through the metadata of what is installed, which say what is needed for which extra of a package; the
    lock file does not. What other systems alone need is not installed: it comes with what the lock names.

    Args:
        lock: packages of the lock file.
        groups: group -> requirements as in pyproject.toml.
    """
    found: dict[str, dict[str, list[str]]] = {name: {} for name in lock}
    for group, required in groups.items():
        for start in sorted(set(required)):
            for name in _reached(start) & lock.keys():
                found[name].setdefault(group, []).append(canonicalize_name(Requirement(start).name))
    for name in [name for name, origin in found.items() if not origin]:
        for parent in sorted(lock[name].parents & lock.keys()):
            for group, by in found[parent].items():
                found[name][group] = sorted({*found[name].get(group, []), *by})
    return found


def _reached(start: str) -> set[str]:
    """Normalised names of a requirement and of all that it needs here, at any depth."""
    first = Requirement(start)
    waiting = [(canonicalize_name(first.name), extra) for extra in ("", *first.extras)]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        with suppress(metadata.PackageNotFoundError):
            for one in map(Requirement, metadata.requires(name) or []):
                if one.marker is None or one.marker.evaluate({"extra": extra}):
                    new = {(canonicalize_name(one.name), of_one) for of_one in ("", *one.extras)} - seen
                    seen |= new
                    waiting += new
    return {name for name, _ in seen}


def licence(stated: Message) -> str:
    """SPDX expression that a package's metadata state, or ``unknown`` where they do not, or could mean several.

    Taken from the first of these that says it: ``License-Expression``, ``License``, a single licence classifier.
    """
    classifiers = [one for one in stated.get_all("Classifier", []) if one.startswith("License ::")]
    words = [stated.get("License-Expression"), stated.get("License"), *(classifiers if len(classifiers) == 1 else [])]
    for word in filter(None, words):
        # Some put the whole text of the licence into the field, whose first line is its name.
        name = word.rpartition("::")[2].strip().partition("\n")[0].strip()
        with suppress(InvalidLicenseExpression):
            return str(canonicalize_license_expression(SPELLED.get(name.lower(), name)))
    return UNKNOWN


def licence_of(name: str) -> str:
    """SPDX expression of a locked package: what was read by hand, or what its metadata state.

    Raises:
        QuantriftError: it is not installed, and nothing was read by hand.
    """
    if name in STATED:
        return STATED[name][0]
    try:
        return licence(metadata.metadata(name))  # type: ignore[arg-type]
    except metadata.PackageNotFoundError:
        raise QuantriftError(
            f"licences: {name} is locked and not installed; run `make develop`, or state its licence in "
            "licence_facts.py"
        ) from None


def inside(name: str) -> Iterator[tuple[str, str]]:
    """Works of others under such licences inside an installed package, and the licence of each, for each file of it.

    Shared libraries are known by their file names, Python packages by their metadata. What is linked into a
    package's own libraries leaves no trace that could be found.
    """
    try:
        files = metadata.distribution(name).files or []
    except metadata.PackageNotFoundError:
        return
    for file in files:
        for start, (expression, about) in LIBRARIES.items():
            if re.match(rf"{re.escape(start)}[-.].*(so|dylib|dll)", file.name):
                yield about, expression
        if "_vendor" in file.parts and file.name == "METADATA":
            own = email.parser.Parser().parsestr(file.read_text(encoding="utf-8"))
            if COPYLEFT.search(expression := licence(own)):
                yield f"{own['Name']}, a Python package", expression


def licences_text(root: Path) -> str:
    """Licences of the packages of the checkout ``root``, and what was read by hand."""
    lock = read_lock((root / "envs" / "develop.lock").read_text(encoding="utf-8"))
    by = {name: CORE if CORE in one else ", ".join(one) for name, one in origins(lock, requirements(root)).items()}
    said = {name: licence_of(name) for name in sorted(lock)}
    pinned = {name: f"{name} {' or '.join(lock[name].versions)}" for name in said}
    rows = (
        [
            one,
            *(
                ", ".join(pinned[n] for n in said if said[n] == one and (by[n] == CORE) is core)
                for core in (True, False)
            ),
        ]
        for one in sorted(set(said.values()))
    )
    hand = {name: STATED[name][1] for name in said if name in STATED}
    parts = [
        table(["licence", "packages of the core", "packages of the extras"], rows),
        "Licences that were read by hand, because package metadata do not state them in full:",
        table(
            ["file that states the licence", "packages"],
            ([one, ", ".join(n for n in hand if hand[n] == one)] for one in sorted(set(hand.values()))),
        ),
        "Works under the GPL or LGPL inside packages, as installed on x86-64 Linux:",
        table(
            ["package", "comes with", "holds", "licence"],
            sorted({(name, by[name], *found) for name in said for found in inside(name)}),
        ),
    ]
    return "\n\n".join(parts)


def conda(root: Path) -> str:
    """envs/quantrift.yaml of the checkout ``root``: pip's pins of the lock, with their markers, without hashes."""
    lock = (root / "envs" / "requirements.lock").read_text(encoding="utf-8")
    pins = [str(Requirement(line.removesuffix("\\"))) for line in lock.splitlines() if line[:1].isalnum()]
    whole = {"channels": ["conda-forge", "nodefaults"], "dependencies": [f"python={PYTHON}", "pip", {"pip": pins}]}
    return (
        "# Made from requirements.lock by `make conda`: what rules run in with --sdm conda (docs/cluster.md).\n"
        + yaml.safe_dump(whole, sort_keys=False, width=1000)
    )
