"""Licences of what the project installs: all known, all on the page, and no copyleft in the core."""

import subprocess
import sys
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.licenses import canonicalize_license_expression
from tests.factories.places import ROOT
from tools import pages
from tools.documents import locked_packages as licences
from tools.documents.licence_facts import IN_SOURCE, LIBRARIES, SPELLED, STATED

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json

LOCK = licences.read_lock((ROOT / "envs" / "develop.lock").read_text(encoding="utf-8"))
GROUPS = licences.requirements(ROOT)
ORIGINS = licences.origins(LOCK, GROUPS)


def stated(**fields: str | list[str]) -> Message:
    """Metadata of a package."""
    message = Message()
    for name, values in fields.items():
        for value in [values] if isinstance(values, str) else values:
            message[name.replace("_", "-")] = value
    return message


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info[:2] != (3, 11),
    reason="the page is of the packages that Python 3.11 installs on Linux",
)
def test_the_page_of_dependencies_has_not_drifted() -> None:
    committed = (pages.BLOCKS / "licences.md").read_text(encoding="utf-8")
    assert committed == licences.licences_text(ROOT) + "\n", "the lock changed: run make licences"


def test_the_licence_of_every_locked_package_is_known() -> None:
    assert len(LOCK) > 150
    assert [name for name in LOCK if licences.licence_of(name) == licences.UNKNOWN] == []


def test_no_package_of_the_core_is_under_a_copyleft_licence_but_some_of_the_extras_are() -> None:
    copyleft = {name for name in LOCK if licences.COPYLEFT.search(licences.licence_of(name))}
    assert {"func-timeout", "moocore"} <= copyleft
    assert [name for name in copyleft if licences.CORE in ORIGINS[name]] == []
    assert {group for name in copyleft for group in ORIGINS[name]} == {"libraries"}


def test_the_core_is_what_is_installed_without_extras() -> None:
    core = {name for name, origin in ORIGINS.items() if licences.CORE in origin}
    assert {"scipy", "pillow", "protobuf"} <= core
    assert core.isdisjoint({"tensorflow", "snakemake", "pytest", "geneticalgorithm", "foolbox", "fqdn"})
    assert all(ORIGINS.values()), "every locked package comes with something"
    assert ORIGINS["func-timeout"] == {"libraries": ["geneticalgorithm"]}
    assert ORIGINS["colorama"][licences.CORE], "Windows alone installs it"


HERE = sorted(name for name, stated in STATED.items() if "is needed on" not in stated[1] and stated != IN_SOURCE)
"""Packages whose licence files are installed here."""


@pytest.mark.parametrize("name", HERE)
def test_what_was_read_by_hand_is_needed_and_its_file_is_there(name: str) -> None:
    expression, _ = STATED[name]
    assert name in LOCK
    assert canonicalize_license_expression(expression) == expression
    assert licences.licence(metadata.metadata(name)) != expression  # type: ignore[arg-type]
    files = {file.stem for file in metadata.distribution(name).files or []}
    assert files & {"LICENSE", "LICENCE", "COPYING", "LICENSE.txt"}


def test_docutils_installs_none_of_its_files_under_the_gpl() -> None:
    files = metadata.distribution("docutils").files or []
    assert len(files) > 100
    assert [file for file in files if file.suffix == ".el"] == []


@pytest.mark.parametrize("expression", sorted({*SPELLED.values(), *(known for known, _ in LIBRARIES.values())}))
def test_licences_are_spelled_as_spdx_has_them(expression: str) -> None:
    assert canonicalize_license_expression(expression) == expression


@pytest.mark.parametrize(
    ("message", "expression"),
    [
        (stated(License_Expression="mit OR apache-2.0", License="BSD"), "MIT OR Apache-2.0"),
        (stated(License="Apache License, Version 2.0"), "Apache-2.0"),
        (stated(License="BSD 3-Clause License\n\nCopyright (c) 2001"), "BSD-3-Clause"),
        (stated(License="UNKNOWN", Classifier="License :: OSI Approved :: MIT License"), "MIT"),
        (stated(License="BSD", Classifier="License :: OSI Approved :: BSD License"), "unknown"),
        (stated(Classifier=["License :: OSI Approved :: MIT License", "License :: Public Domain"]), "unknown"),
        (stated(Classifier="Programming Language :: Python"), "unknown"),
    ],
)
def test_a_licence_is_what_metadata_say_and_is_never_guessed(message: Message, expression: str) -> None:
    assert licences.licence(message) == expression


@pytest.mark.parametrize(
    ("expression", "is_copyleft"),
    [
        ("LGPL-2.1-or-later", True),
        ("GPL-3.0-only", True),
        ("MIT AND AGPL-3.0-only", True),
        ("MPL-2.0", False),
        ("EPL-2.0", False),
    ],
)
def test_copyleft_is_the_kind_of_the_gpl(expression: str, is_copyleft: bool) -> None:
    assert bool(licences.COPYLEFT.search(expression)) is is_copyleft


def test_a_locked_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(QuantriftError, match="no-such-package is locked and not installed; run `make develop`"):
        licences.licence_of("no-such-package")


@pytest.mark.slow
def test_the_bill_of_materials_is_valid_and_names_what_is_installed(tmp_path: Path) -> None:
    out = tmp_path / "sbom" / "sbom.json"
    # Nothing is built: the environment that runs the tests is the one that is listed.
    command = ["make", "--old-file=env", f"BIN={Path(sys.executable).parent}", f"SBOM={out}", "sbom"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(out.read_text(encoding="utf-8")) is None
    bill = read_json(out)
    assert bill["metadata"]["component"]["name"] == "quantrift"
    named = {one["name"].lower().replace("_", "-"): one for one in bill["components"]}
    assert named["numpy"]["version"] == metadata.version("numpy")
    assert {"tensorflow", "snakemake", "moocore"} <= named.keys()
    assert str(ROOT) not in out.read_text(encoding="utf-8")
