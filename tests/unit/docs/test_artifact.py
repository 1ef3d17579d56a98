"""ARTIFACT.md has the claims, data, targets and numbers of the configuration; container recipes hold to the lock."""

import re
from pathlib import Path

import pytest
from tests.factories.places import ROOT
from tools import pages
from tools.documents import artifact, locked_packages
from tools.documents.artifact import configurations

TEXT = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
RECIPES = [ROOT / "envs" / "Dockerfile", ROOT / "envs" / "quantrift.def"]


def test_every_claim_is_there_with_its_outcomes() -> None:
    rows = re.findall(r"^\| .+ \(.+\) \| `\w+` \| ([\w ]*?) ?(?:\(([\w ]+)\))? \|$", artifact.claims(), re.MULTILINE)
    [target] = [one for one in configurations()["demo"].targets.values() if one.kind == "claims"]
    assert len(rows) == len(target.claims)
    assert {outcome for row in rows for outcome in row} >= {"holds", "fails", "undecided", "holds in part"}


def block(name: str) -> str:
    return (pages.BLOCKS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("scale", ["demo", "sample"])
def test_costs_are_those_of_the_targets_of_a_plain_run(scale: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ", block(f"costs_{scale}"), re.MULTILINE)
    [others] = re.findall(r"^\| the (\d+) others \| ", block(f"costs_{scale}"), re.MULTILINE)
    every = configurations()[scale].all
    assert rows == [name for name in every if name in rows], "run make artifact"
    assert len(rows) + int(others) == len(every), "run make artifact"


@pytest.mark.slow
def test_costs_of_the_demo_have_not_drifted() -> None:
    assert artifact.costs("demo") + "\n" == block("costs_demo"), "run make artifact"


def test_what_nobody_can_download_is_said() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| [^|]* \| [^|]* \| (.+) \|$", artifact.data(), re.MULTILINE))
    assert "a mirror alone" in rows["Pavia University (crop)"]
    assert "or downloaded" in rows["MNIST"]
    assert "nothing to download" in rows["Digits (scikit-learn)"]
    assert {one.title for one in configurations()["sample"].datasets.values()} <= rows.keys()


def test_all_four_badges_are_judged_and_what_is_not_met_is_said() -> None:
    rows = re.findall(r"^\| (Artifacts [^|]+|Results [^|]+) \|", TEXT, re.MULTILINE)
    assert [row.split(", ")[-1] for row in rows] == [
        "Artifacts Available",
        "Functional",
        "Reusable",
        "Results Reproduced",
    ]
    assert TEXT.partition("## Badges")[2].count("**not met**") + TEXT.count("**Not met**") == 2


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_installs_the_lock_with_hashes_on_an_ordinary_image(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    assert text.startswith("# UNTRIED")
    assert re.findall(r"^(?:FROM|From:) (\S+)$", text, re.MULTILINE) == [
        f"python:{locked_packages.PYTHON}-slim-bookworm"
    ]
    assert "--require-hashes -r envs/requirements.lock" in text
    assert "://" not in text
    assert f"envs/{recipe.name}" in TEXT
    assert "untried" in TEXT


def test_the_docker_image_runs_as_an_own_user() -> None:
    lines = RECIPES[0].read_text(encoding="utf-8").splitlines()
    assert lines.index("USER quantrift") < next(at for at, line in enumerate(lines) if "pip install" in line)
    assert not [line for line in lines if line.startswith("USER root")]


def test_what_the_apptainer_image_copies_exists() -> None:
    files = re.findall(r"^    (\S+) /opt/quantrift/(\S+)$", RECIPES[1].read_text(encoding="utf-8"), re.MULTILINE)
    assert files
    assert all(own == there and (ROOT / own).exists() for own, there in files)
    assert {"Snakefile", "workflow", "config", "pyproject.toml"} <= {own for own, _ in files}


def test_values_are_those_of_the_measured_table() -> None:
    assert len(re.findall(r" [\d.]+ \([\d.]+ to [\d.]+\) \|", artifact.values())) == 12
    assert artifact.MEASURED.name in (ROOT / "docs" / "measured" / "README.md").read_text(encoding="utf-8")
