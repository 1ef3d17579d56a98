"""A change reruns what it changes, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = 6
"""Tools of the experiment, four of them DiverGet's."""
SEARCHES_AND_AFTER = {"search", "metrics", "table", "figure", "page", "all"}
Plan = Callable[..., dict[str, int]]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout in which the demo was made at a small size."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("config", "profiles", "workflow"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "Snakefile", copy)
    (copy / "config" / "config.yaml").write_text(
        """
scale: small
models:
  hybridsn: {width: 0.125, training: {epochs: 1, batch: 128}}
compressions: {ptq_int8: {max_accuracy_loss: 1}}
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
protocols: {rq1: {run_seeds: 2, inputs: 2, generations: 2}}
all: [models, compression, diverget_table4, diverget_table4_boxes, report]
"""
    )
    done = subprocess.run(command(), cwd=copy, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return copy


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]


def environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in ("QUANTRIFT_MIRROR", "PYTHONPATH")}


@pytest.fixture
def planned(checkout: Path) -> Plan:
    """How often each rule would run after texts of files were replaced; the files are put back afterwards."""

    def plan(*changes: tuple[str, str, str], settings: tuple[str, ...] = ()) -> dict[str, int]:
        kept = {name: (checkout / name).read_bytes() for name, _, _ in changes}
        times = {name: (checkout / name).stat() for name in kept}
        try:
            for name, old, new in changes:
                text = (checkout / name).read_text()
                assert old in text
                (checkout / name).write_text(text.replace(old, new, 1))
            done = subprocess.run(
                command("-n", *settings), cwd=checkout, env=environment(), capture_output=True, text=True, check=False
            )
        finally:
            for name, content in kept.items():
                (checkout / name).write_bytes(content)
                os.utime(checkout / name, ns=(times[name].st_atime_ns, times[name].st_mtime_ns))
        assert done.returncode == 0, done.stdout + done.stderr
        found = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE)
        return {name: int(count) for name, count in found if name != "total"}

    return plan


PACKAGE = "workflow/lib/quantrift/"


def test_nothing_changed(planned: Plan) -> None:
    assert planned() == {}


def test_an_edited_distortion_reruns_the_searches_in_its_space_and_what_follows(planned: Plan) -> None:
    found = planned((PACKAGE + "search/distortions/salt_and_pepper.py", "PIXELS = 0.07", "PIXELS = 0.08"))
    assert set(found) == SEARCHES_AND_AFTER
    assert found["search"] == found["metrics"] == TOOLS
    assert found["table"] == 1


def test_a_distortion_that_no_tool_uses_reruns_nothing(planned: Plan, checkout: Path) -> None:
    spare = checkout / PACKAGE / "search" / "distortions" / "spare.py"
    spare.write_text("X = 1\n")
    assert planned() == {}
    spare.unlink()


def test_comments_docstrings_and_formatting_rerun_nothing(planned: Plan) -> None:
    assert planned(
        (PACKAGE + "search/distortions/salt_and_pepper.py", "PIXELS = 0.07", "# A comment.\nPIXELS   =   0.07"),
        (PACKAGE + "search/events.py", '"""The end of one search."""', '"""The end of a search."""'),
        (PACKAGE + "search/distortions/base.py", '"""(H, W, B) of a patch."""', '"""Height, width and bands."""'),
        (PACKAGE + "models/train.py", "def train", "# A comment.\ndef train"),
        ("workflow/scripts/search.py", "with as_job", "# A comment.\nwith as_job"),
    ) == {}  # fmt: skip


def test_an_edited_searcher_reruns_its_own_tools_alone(planned: Plan) -> None:
    found = planned((PACKAGE + "search/searchers/pso.py", "omega * v", "1.0 * omega * v"))
    assert set(found) == SEARCHES_AND_AFTER
    assert found["search"] == found["metrics"] == 2  # with each fitness


def test_a_parameter_of_a_tool_reruns_its_own_searches_alone(planned: Plan) -> None:
    found = planned(("config/tools.yaml", "searcher: pso", "searcher: {pso: {omega: 0.7}}"))
    assert set(found) == SEARCHES_AND_AFTER
    assert found["search"] == found["metrics"] == 1


def test_the_engine_reruns_all_searches_but_no_model(planned: Plan) -> None:
    found = planned((PACKAGE + "search/engine.py", "COPIES = 4", "COPIES = 5"))
    assert set(found) == SEARCHES_AND_AFTER
    assert found["search"] == TOOLS


@pytest.mark.parametrize(
    ("file", "old", "new", "rules"),
    [
        ("tables/text.py", "def percent", "EXTRA = 1\n\n\ndef percent", {"table", "page", "all"}),
        ("figures/style.py", "def save", "EXTRA = 1\n\n\ndef save", {"figure", "page", "all"}),
        ("report/assets/page.css", "body", "body ", {"page", "all"}),
        ("metrics/effect_size.py", "def a12", "EXTRA = 1\n\n\ndef a12", {"table", "figure", "page", "all"}),
    ],
)
def test_looks_rerun_no_search(planned: Plan, file: str, old: str, new: str, rules: set[str]) -> None:
    assert set(planned((PACKAGE + file, old, new))) == rules


def test_a_network_reruns_its_training_and_what_follows(planned: Plan) -> None:
    found = planned((PACKAGE + "models/hybridsn.py", "def build", "EXTRA = 1\n\n\ndef build"))
    assert set(found) == {"train", "profile", "compress", "seeds", *SEARCHES_AND_AFTER}
    assert planned((PACKAGE + "models/lenet5.py", "def build", "EXTRA = 1\n\n\ndef build")) == {}


@pytest.mark.parametrize("setting", ["engine={batch: 17, memory_mb: 99}", "data={mirror: elsewhere}"])
def test_what_changes_no_result_reruns_nothing(planned: Plan, setting: str) -> None:
    assert planned(settings=("--config", setting)) == {}


def test_harmless_changes_of_code_can_be_overlooked_on_demand(planned: Plan) -> None:
    change = (PACKAGE + "search/engine.py", "COPIES = 4", "COPIES = 5")
    assert planned(change, settings=("--rerun-triggers", "mtime", "input")) == {}


def test_the_block_size_changes_how_searches_are_cut_and_no_model(planned: Plan) -> None:
    found = planned(settings=("--config", "engine={block: 1}"))
    assert set(found) <= SEARCHES_AND_AFTER
    assert found["search"] == 2 * TOOLS


def test_logs_belong_to_no_result(planned: Plan, checkout: Path) -> None:
    logs = checkout / "results" / "small" / "logs"
    assert {folder.name for folder in logs.iterdir()} >= {"source", "train", "search", "table", "page"}
    logs.rename(logs.with_name("elsewhere"))
    assert planned() == {}
    logs.with_name("elsewhere").rename(logs)
