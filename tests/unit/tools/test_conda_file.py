"""The environment of --sdm conda holds the packages of the lock, and every rule names it."""

import re

import yaml
from packaging.requirements import Requirement
from tests.factories.places import ROOT
from tools.documents import locked_packages

COMMITTED = (ROOT / locked_packages.CONDA).read_text(encoding="utf-8")
LOCK = (ROOT / "envs" / "requirements.lock").read_text(encoding="utf-8")


def test_it_has_not_drifted_from_the_lock() -> None:
    assert locked_packages.conda(ROOT) == COMMITTED, "the lock changed: run make conda"


def test_its_pins_are_those_of_the_lock() -> None:
    *_, packages = yaml.safe_load(COMMITTED)["dependencies"]
    pins = {str(Requirement(one)) for one in packages["pip"]}
    assert pins == {str(Requirement(line)) for line in re.findall(r"^(\S+==[^\\\n]+)", LOCK, re.MULTILINE)}
    assert len(pins) > 100
    assert not [pin for pin in pins if pin.startswith(("sphinx", "selenium", "mypy", "ruff", "pytest"))]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+-]+(; .*)?", pin) for pin in pins)


def test_its_python_is_one_that_the_project_supports() -> None:
    python, *_ = yaml.safe_load(COMMITTED)["dependencies"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert python == f"python={locked_packages.PYTHON}"
    assert f"PYTHONS := python{locked_packages.PYTHON} " in makefile
    assert f"--python-version {locked_packages.PYTHON} " in makefile
