"""Files that a target is made from."""

from pathlib import Path

import pytest
from tests.factories.configurations import overlay
from tests.factories.places import CONFIG

from quantrift.core.base.paths import Paths
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import subjects_of

PATHS = Paths(Path("results"))
FILE = {"path": "models/mine.h5", "sha256": "0" * 64}
OVERLAY = {
    "scale": "mine",
    "models": {"hers": {"source": "file", "original": FILE}},
    "subjects": {
        "diverget": {"dataset": ["sim_pavia"], "model": ["hybridsn"], "compression": ["ptq_int8"]},
        "digits": {"dataset": ["digits"], "model": ["lenet5", "hers"], "compression": ["ptq_int8"]},
    },
    "targets": {"models": {"subjects": ["digits"]}},
    "engine": {"block": 5},
    "all": ["models", "learning_curves", "diverget_table4"],
}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A network from a file beside a trained one, and a scene that is searched."""
    return load(CONFIG, [overlay(tmp_path, OVERLAY)])


def files(config: Config, target: str) -> list[str]:
    return [str(path) for path in Results(config, PATHS).files(target)]


def test_a_table_of_networks_reads_the_facts_of_each_once(config: Config) -> None:
    assert files(config, "models") == [
        f"results/models/digits/{model}/model{end}" for model in ("lenet5", "hers") for end in (".json", ".timing.json")
    ]


def test_learning_curves_leave_out_networks_from_files(config: Config) -> None:
    trained = ("digits/lenet5", "sim_pavia/hybridsn")
    assert files(config, "learning_curves") == [
        f"results/models/{one}/{name}" for one in trained for name in ("history.csv", "model.json")
    ]


def test_a_target_without_subjects_shows_those_of_all_targets_that_are_made(config: Config) -> None:
    shown = [(one.dataset, one.model) for one in subjects_of(config, config.targets["compression"])]
    assert shown == [("digits", "lenet5"), ("digits", "hers"), ("sim_pavia", "hybridsn")]


def test_tables_and_figures_of_searches_read_the_same_metrics(config: Config) -> None:
    own = files(config, "diverget_table4")
    assert [file for file in own if file.endswith("rq1.csv")] == files(config, "diverget_table4_boxes")
    first = "results/metrics/sim_pavia/hybridsn/ptq_int8/random/rq1"
    assert own[:3] == [f"{first}{end}" for end in (".csv", ".intervals.csv", ".timing.csv")]


def test_a_table_of_distortions_reads_the_records_of_all_blocks(config: Config) -> None:
    found = files(config, "diverget_why")
    assert len(found) == 2 * len(config.experiments["rq1"].tools)
    assert found[0] == "results/search/sim_pavia/hybridsn/ptq_int8/random/rq1/seeds_000-004.parquet"


def test_a_comparison_of_vectors_reads_its_own_tools_alone(config: Config) -> None:
    tools = {Path(file).parts[-3] for file in files(config, "diverget_table6")}
    assert tools == {"pso_cov", "pso_div", "ga_cov", "ga_div"}
    assert {Path(file).parts[-3] for file in files(config, "diverget_cooccurrence")} == {"random_feasible", "pso_div"}


def test_smallest_sets_come_from_one_file_a_tool_and_subject(config: Config) -> None:
    found = files(config, "diverget_minimal")
    assert len(found) == len(config.experiments["rq1"].tools)
    assert found[0] == "results/shrink/sim_pavia/hybridsn/ptq_int8/random/rq1.parquet"
