"""The workflow as a module of another one, in a folder of its own."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from tests.factories import snakemake_server, traced_jobs
from tests.factories.dry_runs import counts
from tests.factories.places import ROOT

from quantrift.study.datasets.addresses import MIRROR

SETTINGS = {
    "scale": "mine",
    "models": {"lenet1": {"training": {"epochs": 1, "batch": 128}}},
    "compressions": {"ptq_int8": {"max_accuracy_loss": 1}},
    "subjects": {"mine": {"dataset": ["digits"], "model": ["lenet1"], "compression": ["ptq_int8"]}},
    "targets": {"compression": {"subjects": ["mine"]}},
    "all": ["compression", "report"],
}
JOBS = {"source": 1, "inputs": 1, "train": 1, "compress": 1, "table": 1, "page": 1}
OWN = """
rule mine:
    input: rules.quantrift_all.input
    output: "mine.txt"
    shell: "wc -l {input[0]} > {output}"
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Snakemake in a folder with a Snakefile of its own."""
    environment = {key: value for key, value in os.environ.items() if key != MIRROR}
    with traced_jobs.held(folder, ROOT) as traced:
        return snakemake_server.run(["--cores", "1", *arguments], environment | traced, folder)


def written(folder: Path, given: str, settings: Mapping[str, object], use: str, own: str = "") -> Path:
    """A workflow that uses this one with the settings that ``given`` names."""
    (folder / "config.yaml").write_text(yaml.safe_dump(settings))
    module = f'module quantrift:\n    snakefile: "{ROOT}/workflow/Snakefile"\n    config: {given}\n'
    (folder / "Snakefile").write_text(f'configfile: "config.yaml"\n\n{module}\n{use}\n{own}')
    return folder


@pytest.mark.parametrize(
    ("given", "settings"), [("config", SETTINGS), ('config["quantrift"]', {"own": 1, "quantrift": SETTINGS})]
)
def test_its_settings_come_from_the_modules_configuration_alone(
    tmp_path: Path, given: str, settings: Mapping[str, object]
) -> None:
    place = written(tmp_path, given, settings, "use rule * from quantrift")
    assert counts(run(place, "-n")) == JOBS | {"all": 1, "total": 7}


def test_without_settings_it_is_the_demo(tmp_path: Path) -> None:
    place = written(tmp_path, "{}", {"own": 1}, "use rule * from quantrift")
    found = counts(run(place, "-n", "models"))
    assert (found["train"], found["table"]) == (3, 1)


def test_a_mistake_in_its_settings_is_one_line(tmp_path: Path) -> None:
    place = written(tmp_path, "config", SETTINGS | {"enginee": {}}, "use rule * from quantrift")
    done = run(place, "-n")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "quantrift: module config: unknown key 'enginee'; did you mean 'engine'?"


def test_a_copy_without_the_package_says_what_to_do(tmp_path: Path) -> None:
    """As ``github(...)`` brings it: rules, and no folders beside them."""
    for part in ("rules", "report"):
        shutil.copytree(ROOT / "workflow" / part, tmp_path / "workflow" / part)
    shutil.copy(ROOT / "workflow" / "Snakefile", tmp_path / "workflow")
    (tmp_path / "Snakefile").write_text('include: "workflow/Snakefile"\n')
    done = run(tmp_path, "-n")
    assert done.returncode == 2
    assert "clone the repository, run `pip install '.[workflow]'` in it, and name its workflow/Snakefile" in done.stderr


@pytest.mark.slow
def test_rules_of_another_workflow_go_on_from_its_results(tmp_path: Path) -> None:
    use = "use rule * from quantrift as quantrift_*"
    place = written(tmp_path, "config", SETTINGS, use, OWN)
    done = run(place, "mine")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (place / "mine.txt").read_text().endswith("results/mine/tables/compression.csv\n")
    assert (place / "results" / "mine" / "report.html").is_file()
