"""The wheel holds the whole package, and asks for nothing that only the workflow needs."""

import email.parser
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.factories.places import PACKAGE, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of `make wheel`, built from a copy, as a build leaves files beside the code."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("LICENSE", "Makefile", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(PACKAGE, copy / "workflow" / "lib" / "quantrift", ignore=left_out)
    # Nothing is installed: the environment that runs the tests builds it.
    command = ["make", "--old-file=env", f"BIN={Path(sys.executable).parent}", "WHEELS=out", "wheel"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [file] = (copy / "out").iterdir()
    return zipfile.ZipFile(file)


def test_it_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    there = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    wanted = {path.relative_to(PACKAGE.parent).as_posix() for path in there}
    assert {name for name in wheel.namelist() if name.startswith("quantrift/")} == wanted


def test_without_an_extra_it_asks_for_no_package_of_the_workflow(wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    stated = email.parser.Parser().parsestr(wheel.read(name).decode())
    needed = [Requirement(line) for line in stated.get_all("Requires-Dist", [])]
    always = {one.name for one in needed if one.marker is None}
    assert {"numpy", "scipy", "ai-edge-litert", "onnxruntime", "matplotlib", "jinja2"} <= always
    assert not always & {"tensorflow", "keras", "snakemake", "scikit-learn", "opencv-python-headless", "openvino"}
    assert {"all", "keras", "openvino", "torch", "workflow"} <= set(stated.get_all("Provides-Extra", []))
