"""Fixtures: the demo's data at a size that runs in a minute, the results of such a run, a browser."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from selenium.webdriver import Chrome
from tests.e2e import browser
from tests.factories.places import CONFIG
from tests.factories.shared import made_once

from quantrift.core.base.merge import merged

PIPELINE = "QUANTRIFT_PIPELINE"
"""Where this is ``sample``, tests of whole runs take real data, from the mirror, in place of the demo's."""
Run = Callable[..., subprocess.CompletedProcess[str]]

_SMALL = """
scale: small
models:
  hybridsn: {width: 0.125, training: {epochs: 4, batch: 64}}
  lenet5: {training: {epochs: 2, batch: 64}}
compressions: {ptq_int8: {max_accuracy_loss: 0.2}}
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
  digits: {dataset: [digits], model: [lenet5], compression: [ptq_int8]}
protocols: {rq1: {run_seeds: 6, inputs: 4, generations: 8}}
engine: {block: 50}
targets: {models: {subjects: [diverget, digits]}, compression: {subjects: [diverget, digits]}}
all: [models, compression, diverget_table4, diverget_table4_boxes, report]
"""

# Pavia University's crop and HybridSN, trained as the sample is; a block a run seed, so a dozen searches.
_SAMPLE = {
    "subjects": {
        "diverget": {"dataset": ["pavia_university_crop"], "model": ["hybridsn"], "compression": ["ptq_int8"]}
    },
    "protocols": {"rq1": {"run_seeds": 2, "inputs": 5}},
    "engine": {"block": 1},
    "all": ["models", "compression", "diverget_table4", "diverget_table4_boxes", "report"],
    "targets": {"models": {"subjects": ["diverget"]}, "compression": {"subjects": ["diverget"]}},
}


def _made(folder: Path) -> dict[str, bytes]:
    """Tables, metrics and figures by name; no times, and no provenance, which names the configuration."""
    kept = [*folder.glob("tables/*"), *folder.glob("figures/*"), *folder.glob("metrics/**/*.csv")]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in kept
        if ".timing." not in path.name and ".provenance." not in path.name
    }


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """An overlay of scale ``small``."""
    path = tmp_path / "small.yaml"
    path.write_text(_SMALL)
    return path


@pytest.fixture
def pipeline(small: Path, tmp_path: Path) -> Path:
    """An overlay, named as its scale: ``small``, or the sample's with fewer searches where a variable asks for it."""
    if os.environ.get(PIPELINE, "small") == "small":
        return small
    assert os.environ[PIPELINE] == "sample", f"{PIPELINE}: small or sample"
    assert os.environ.get("QUANTRIFT_MIRROR"), f"{PIPELINE}=sample reads real data; set QUANTRIFT_MIRROR"
    whole = yaml.safe_load((CONFIG / "sample.yaml").read_text())
    path = tmp_path / "sample.yaml"
    path.write_text(yaml.safe_dump(merged(whole, _SAMPLE)))
    return path


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory, snakemake_anywhere: Callable[[Path], Run]) -> Path:
    """A folder with ``small.yaml`` in which everything of it was made; tests change copies of it."""

    def make(folder: Path) -> None:
        (folder / "small.yaml").write_text(_SMALL)
        done = snakemake_anywhere(folder)("--configfile", str(folder / "small.yaml"))
        assert done.returncode == 0, done.stdout + done.stderr

    return made_once(tmp_path_factory, "small_run", make)


@pytest.fixture
def copy_of_run(small_run: Path, tmp_path: Path) -> Path:
    """A copy of ``small_run`` that a test may change."""
    return Path(shutil.copytree(small_run, tmp_path / "copy"))


@pytest.fixture
def made() -> Callable[[Path], dict[str, bytes]]:
    """What a results folder holds that must be equal from run to run, by name."""
    return _made


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A headless Chromium that notes what it complains of and what it asks for."""
    opened = browser.chromium(tmp_path_factory.mktemp("profile"))
    if opened is None:
        pytest.skip(browser.MISSING)
    yield opened
    opened.quit()


@pytest.fixture(scope="session")
def resize() -> Callable[[Chrome, int], None]:
    """Makes the page so many pixels wide."""
    return browser.resize


@pytest.fixture(scope="session")
def requests() -> Callable[[Chrome, Path], set[str]]:
    """What a page has asked for since this was last called; the browser's own first tab asks for things too."""

    def asked(opened: Chrome, page: Path) -> set[str]:
        events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return {one["request"]["url"] for one in sent if one["documentURL"] == page.as_uri()}

    return asked
