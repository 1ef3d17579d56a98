"""Every target of every scale can be asked for by name, and a mistake stops before any job."""

import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories import configurations, snakemake_server
from tests.factories.dry_runs import counts, rule_of
from tests.factories.places import CONFIG, ROOT

from quantrift.cli.planning.dry_run import Planned, needed_for, parsed
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.collection import members
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import REPORT
from quantrift.study.planning.work import datasets_of
from quantrift.study.results.targets import kinds

Run = Callable[..., subprocess.CompletedProcess[str]]
DEMO = configurations.of_scale()
COLLECTIONS = [name for name, target in DEMO.targets.items() if target.kind == "collection"]
FIGURES = {name for name, target in DEMO.targets.items() if target.kind in kinds.names("figures")}
TARGETS = [name for name in (*DEMO.targets, REPORT) if name not in COLLECTIONS]


@pytest.fixture(scope="module")
def dag(snakemake_anywhere: Callable[[Path], Run], tmp_path_factory: pytest.TempPathFactory) -> list[Planned]:
    """All targets of the demo and what they are made from, of one dry run: a run a target would take minutes."""
    done = snakemake_anywhere(tmp_path_factory.mktemp("dag"))("-n", *TARGETS, *COLLECTIONS)
    assert done.returncode == 0, done.stderr
    return parsed(done.stdout + done.stderr)


def needed(dag: list[Planned], target: str) -> Counter[str]:
    """Number of jobs of each rule for a target alone."""
    own = {one.number: one for one in dag if one.job.rule == target}
    made = needed_for(dag, [file for one in own.values() for file in one.inputs])
    return Counter(rule_of(one.job.rule) for one in dag if one.number in made | {*own})


def tables_behind(target: str) -> set[str]:
    """Other tables that a target is made from, itself or through one of them."""
    files = map(Path, Results(DEMO, Paths(Path("results"))).files(target))
    own = {file.name.split(".")[0] for file in files if file.parent.name == "tables"}
    return own.union(*map(tables_behind, own))


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_needs_its_own_file_and_what_it_is_made_from(dag: list[Planned], target: str) -> None:
    found = needed(dag, target)
    assert found[target] == 1
    assert found["source"] >= (target == REPORT or len(datasets_of(DEMO, DEMO.targets[target])))
    if target == REPORT:
        assert found["page"] == 1
    else:
        tables, figures = len(tables_behind(target)), target in FIGURES
        assert [found[rule] for rule in ("table", "figure", "page")] == [tables + (not figures), figures, 0]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_collection_makes_all_its_targets(dag: list[Planned], collection: str) -> None:
    found = needed(dag, collection)
    assert found[collection] == 1
    assert found["table"] + found["figure"] == len(members(collection, DEMO.targets))


def test_tables_and_figures_share_searches(snakemake: Run, dag: list[Planned]) -> None:
    both = counts(snakemake("-n", "diverget_table4", "diverget_table4_boxes"))
    assert both["search"] == needed(dag, "diverget_table4")["search"]


def test_a_target_asked_for_alone_runs_what_it_needs_and_nothing_else(snakemake: Run, dag: list[Planned]) -> None:
    alone = counts(snakemake("-n", "diverget_table4"))
    assert alone.pop("total") == sum(alone.values())
    assert alone == needed(dag, "diverget_table4")


@pytest.mark.slow
def test_checkers_are_compared_by_a_job_for_each_network_and_kind_of_files_without_a_dataset(snakemake: Run) -> None:
    alone = {"figure": 1, "table": 1, "checkers_caught": 1}
    assert counts(snakemake("-n", "checkers_caught")) == {**alone, "check_network": 8, "total": 11}
    stated = "checkers={tflite: [perceptron, lenet5], onnx: [lenet5]}"
    assert counts(snakemake("-n", "checkers_caught", "--config", stated)) == {**alone, "check_network": 3, "total": 6}
    wrong = snakemake("-n", "checkers_caught", "--config", "checkers={tflite: [perzeptron]}")
    assert wrong.returncode != 0
    assert "quantrift: --config: 'checkers.tflite" in wrong.stderr


@pytest.mark.slow
def test_everything_makes_every_target(snakemake: Run) -> None:
    found = counts(snakemake("-n", "everything"))
    assert found["table"] + found["figure"] == len(TARGETS) - 1
    assert found["page"] == 1


@pytest.mark.parametrize("profile", [[], ["--workflow-profile", "none"]], ids=["profile", "no profile"])
def test_without_a_named_file_it_is_the_demo(tmp_path: Path, profile: list[str]) -> None:
    place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(tmp_path)]
    asked = [*place, *profile, "--cores", "1", "-n", "--config", "engine={block: 5}", "--", "diverget_table4"]
    found = counts(snakemake_server.run(asked, dict(os.environ)))
    assert (found["train"], found["search"]) == (2, 2 * 2 * 6)


@pytest.mark.parametrize("overlay", ["config.yaml", "sample.yaml", "paper.yaml", "own_model.yaml"])
@pytest.mark.slow
def test_every_scale_makes_its_targets(snakemake: Run, overlay: str) -> None:
    config = load(CONFIG, [CONFIG / overlay])
    found = counts(snakemake("-n", "--configfile", str(CONFIG / overlay)))
    assert found["all"] == 1
    assert found["table"] + found["figure"] + found["page"] == len(config.shown) + (REPORT in config.all)
    datasets = {name for label in config.shown for name in datasets_of(config, config.targets[label])}
    assert found["source"] == len(datasets)


@pytest.mark.parametrize("overlay", ["config.yaml", "paper.yaml"])
def test_tables_of_networks_and_their_training_need_no_search(snakemake: Run, overlay: str) -> None:
    targets = ("learning_curves", "diverget_table2", "triggerfinder_table1")
    found = counts(snakemake("-n", *targets, "--configfile", str(CONFIG / overlay)))
    assert (found["table"], found["figure"]) == (2, 1)
    # The pairs of TriggerFinder.
    assert found["compress"] + found["compress_by_training"] == 18
    assert "search" not in found
    config = load(CONFIG, [CONFIG / overlay])
    wanted = {one for target in targets for one in work.subjects_of(config, config.targets[target])}
    assert found["train"] == len({(one.dataset, one.model) for one in wanted})


@pytest.mark.slow
def test_a_smaller_block_makes_more_jobs(snakemake: Run) -> None:
    whole, single = (
        counts(snakemake("-n", "diverget_table4", "--config", f"engine={{block: {size}}}"))["search"] for size in (5, 1)
    )
    assert single == 5 * whole


def test_a_tool_of_existing_parts_and_a_dataset_and_a_table_of_existing_kinds_need_yaml_alone(
    snakemake: Run, tmp_path: Path
) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        """
scale: mine
datasets:
  my_scene: {kind: simulated_scene, title: Mine (simulated), bands: 32, class_names: [a, b, c]}
tools:
  pso_wide:
    {space: hsi_distortions, constraint: {psnr: {min_db: 15}}, objective: jensen_shannon, searcher: {pso: {swarm: 20}}}
subjects:
  diverget: {dataset: [my_scene], model: [hybridsn], compression: [ptq_int8]}
experiments:
  wide: {subjects: diverget, tools: [random, pso_wide], protocol: rq1}
targets:
  my_table: {kind: compare_to_baseline, title: Mine, from: [wide], baseline: random, groups: {wide: [pso_wide]}}
all: [my_table]
"""
    )
    found = counts(snakemake("-n", "--configfile", str(overlay)))
    assert found == {"all": 1, "table": 1, "metrics": 2, "search": 2, "seeds": 1, "compress": 1, "train": 1,
                     "inputs": 1, "source": 1, "total": 11}  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("scal=x", "quantrift: --config: unknown key 'scal'; did you mean 'scale'?"),
        ("all=[diverget_table44]", "quantrift: --config: all: unknown target 'diverget_table44'"),
        ("protocols={rq1: {inputs: 0}}", "quantrift: --config: 'protocols.rq1.inputs'"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line_before_any_job(snakemake: Run, setting: str, message: str) -> None:
    done = snakemake("--config", setting)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if "profile" not in line]
    assert len(lines) == 1
    assert lines[0].startswith(message)


def test_a_mistake_in_a_file_names_the_file(snakemake: Run, tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "scale: mine\nall: []\n"
        "subjects: {diverget: {dataset: [sim_pavi], model: [hybridsn], compression: [ptq_int8]}}\n"
    )
    done = snakemake("-n", "--configfile", str(overlay))
    assert done.returncode != 0
    assert (
        "mine.yaml: line 3: subjects.diverget.dataset: unknown dataset 'sim_pavi'; did you mean 'sim_pavia'?"
        in done.stderr
    )
