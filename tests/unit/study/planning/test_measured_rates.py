"""Measured rates: their identity, and the costs of jobs; blocks follow from the configuration alone."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import configurations
from tests.factories.places import PACKAGE

from quantrift.core.base.paths import Paths
from quantrift.study.planning import jobs, measured_rates, work
from quantrift.study.planning.estimates import FEATURES
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import Rate, Rates, committed, from_equals, read, write
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

CROP = {"dataset": "pavia_university_crop", "model": "ssrn", "compression": "ptq_int8", "tool": "random"}
SCENE = CROP | {"dataset": "pavia_university"}
SEARCHES = work.Searches("pavia_university", "ssrn", "ptq_int8", "random", "rq1")


def search(of: dict[str, str], block: str = "seeds_000-000") -> Job:
    return Job("search", of | {"protocol": "rq1", "block": block})


def measured(config: Config, job: Job, seconds: float, start: float = 2) -> Rate:
    own = replace(measured_rates.described(config, job), kind="")
    return replace(
        own,
        jobs=1,
        units=10,
        start_seconds=start,
        unit_seconds=seconds,
        memory_mb=400,
        unit_bytes=1000,
        machine="any",
    )


def of(*rates: Rate) -> Rates:
    return Rates({rate.key: rate for rate in rates})


def serving(known: Rates, config: Config, job: Job) -> Rate | None:
    return known.serving(config, measured_rates.described(config, job))


def test_a_job_takes_its_start_and_its_work(paper: Config) -> None:
    cost = of(measured(paper, search(SCENE), 0.5)).cost(paper, search(SCENE, "seeds_000-004"))
    assert cost
    assert cost.seconds == 2 + 5 * 80 * 0.5
    assert (cost.memory_mb, cost.bytes) == (400, 5 * 80 * 1000)


def test_files_of_networks_do_not_grow_with_training_and_those_of_searches_grow_with_their_inputs(
    paper: Config,
) -> None:
    rate = measured(paper, search(SCENE), 1)
    assert (rate.bytes(1), rate.bytes(1000)) == (1000, 1e6)
    trained = replace(rate, rule="train_bits")
    assert trained.bytes(1) == trained.bytes(1000) == 10 * 1000


def test_the_crop_of_a_scene_stands_for_it_until_the_scene_is_measured(paper: Config) -> None:
    crop, scene = measured(paper, search(CROP), 1), measured(paper, search(SCENE), 3)
    for known, seconds in ((of(crop), 1), (of(crop, scene), 3)):
        found = serving(known, paper, search(SCENE))
        assert found
        assert found.unit_seconds == seconds
    assert serving(of(crop), paper, search(CROP | {"dataset": "salinas"})) is None


def test_a_simulation_stands_for_a_scene_where_no_crop_is_measured(paper: Config) -> None:
    simulated = measured(paper, search(SCENE | {"dataset": "sim_pavia"}), 5)
    for known, seconds in ((of(simulated), 5), (of(simulated, measured(paper, search(CROP), 1)), 1)):
        found = serving(known, paper, search(SCENE))
        assert found
        assert found.unit_seconds == pytest.approx(seconds)


def test_another_budget_tool_network_or_width_says_nothing(paper: Config) -> None:
    known = of(measured(paper, search(SCENE), 1))
    assert serving(known, paper, search(SCENE | {"tool": "pso_div"})) is None
    assert serving(known, paper, search(SCENE | {"model": "hybridsn"})) is None
    for changes in ({"protocols": {"rq1": {"generations": 5}}}, {"models": {"ssrn": {"width": 0.5}}}):
        other = configurations.of_scale("paper", **changes)
        assert serving(known, other, search(SCENE)) is None
    fewer = configurations.of_scale("paper", protocols={"rq1": {"inputs": 4}})
    assert serving(known, fewer, search(SCENE)) is not None


def test_protocols_with_one_budget_share_their_rates(paper: Config) -> None:
    known = of(measured(paper, search(SCENE), 1))
    assert serving(known, paper, Job("search", {**search(SCENE).of, "protocol": "rq2"})) is not None
    assert serving(known, paper, Job("search", {**search(SCENE).of, "protocol": "rq3_first"})) is None


def test_networks_of_a_bit_study_with_other_dense_layers_have_rates_of_their_own(paper: Config) -> None:
    study = paper.bit_studies["bits_homogeneous"]
    without = study.model_copy(update={"dense": ()})
    other = paper.model_copy(update={"bit_studies": {**paper.bit_studies, "bits_homogeneous": without}})
    for model, same in (("vgg16", False), ("mlp", True)):
        trained = Job("train_bits", {"dataset": "mnist", "model": model, "study": "bits_homogeneous"})
        assert (jobs.settings(paper, trained) == jobs.settings(other, trained)) is same


def test_work_of_a_training_is_epochs_times_inputs(paper: Config) -> None:
    train = Job("train", {"dataset": "mnist", "model": "lenet5"})
    assert jobs.units(paper, train) == 12 * 60_000
    hybridsn = Job("train", {"dataset": "pavia_university", "model": "hybridsn"})
    # Table 2 of DiverGet: 12,832 patches train.
    assert jobs.units(paper, hybridsn) == 100 * 12_832


def test_networks_side_by_side_take_the_time_of_one_and_fill_a_block(paper: Config) -> None:
    names = {"dataset": "mnist", "model": "mlp", "study": "bits_3_6"}
    together = configurations.of_scale("paper", engine={"trainings_at_once": 5})
    bits = work.Bits("mnist", "mlp", "bits_3_6")
    assert len(work.network_blocks(paper, bits)) == 35
    assert work.network_blocks(together, bits) == [f"networks_{one:03d}-{one + 4:03d}" for one in range(0, 35, 5)]
    one, five = (
        jobs.units(config, Job("train_bits", names | {"networks": block}))
        for config, block in ((paper, "networks_000-000"), (together, "networks_000-004"))
    )
    assert one == five == 60_000 * 500


def test_work_of_attacks_on_compressed_networks_is_their_passes_through_these(paper: Config) -> None:
    names = {"dataset": "mnist", "model": "lenet5", "compression": "homogeneous_1"}
    job = Job("attack_compressed", names)
    # At strengths 0, 0.03, 0.06 and 0.1: two gradients of two passes and twice four labels of each of 10,000 inputs,
    # and of 1000 also ten steps of two passes at three strengths, and four labels.
    assert jobs.units(paper, job) == 10_000 * 12 + 1000 * 64
    assert jobs.units(paper, Job("attack_original", names)) == 10_000 * 12 + 1000 * 64
    fewer = configurations.of_scale("paper", robustness={"inputs": 500})
    assert jobs.units(fewer, job) == 500 * 76
    bits = {"dataset": "cifar10", "model": "vgg16", "study": "bits_3_6", "networks": "networks_000-004"}
    assert jobs.units(paper, Job("attack_bits", bits)) == 5 * (10_000 * 18 + 1000 * 127)


def test_work_of_an_attack_on_an_original_is_the_inputs_it_draws(paper: Config) -> None:
    fewer = configurations.of_scale("paper", attacks={"cw": {"inputs": 1000}})
    for rule in ("attack", "verdicts"):
        job = Job(rule, {"dataset": "mnist", "model": "cnn", "compression": "prune", "attack": "cw"})
        assert [jobs.units(config, job) for config in (paper, fewer)] == [10_000, 1000]


def test_every_test_input_is_counted(paper: Config) -> None:
    block = "seeds_000-000"
    names = {"dataset": "mnist", "model": "cnn", "compression": "prune", "tool": "triggerfinder_code"}
    assert jobs.units(paper, Job("search", names | {"protocol": "triggerfinder_full", "block": block})) == 10_000


@pytest.mark.parametrize(
    ("engine", "names"),
    [
        # 25 generations of 10 candidates, of 80 inputs a run seed: 20,000.
        ({}, ["seeds_000-009"]),
        ({"block_evaluations": 119_999}, ["seeds_000-004", "seeds_005-009"]),
        ({"block_evaluations": 10_000}, ["seeds_000-000_inputs_00000-00039", "seeds_000-000_inputs_00040-00079"]),
        ({"block": 4}, ["seeds_000-003", "seeds_004-007", "seeds_008-009"]),
    ],
)
def test_blocks_hold_the_wanted_number_of_candidates_or_of_run_seeds(engine: dict[str, int], names: list[str]) -> None:
    own = configurations.of_scale("paper", engine=engine)
    assert work.blocks(own, SEARCHES)[: len(names)] == names


def test_candidates_are_those_of_the_budget(paper: Config) -> None:
    def of_tool(tool: str, protocol: str, dataset: str = "mnist") -> float:
        return work.evaluations(paper, work.Searches(dataset, "lenet5", "ptq_int8", tool, protocol))

    assert of_tool("random", "rq1") == 25 * 10
    assert of_tool("pso_50", "sensitivity") == 250
    assert of_tool("diffchaser", "diffchaser_q1") == 100 * 1000
    # Ends at its first disagreement; and once for each of nine other classes.
    assert of_tool("diffchaser", "diffchaser_q2") == work.MOST < 104_400 / 10
    assert of_tool("diffchaser", "diffchaser_q4") == 300 * 1000 * 9 / 10


def test_blocks_of_every_test_input_cut_the_test_set(paper: Config) -> None:
    full = work.Searches("mnist", "cnn", "prune", "triggerfinder_code", "triggerfinder_full")
    found = work.blocks(paper, full)
    assert len(found) == 16
    assert found[-1] == "seeds_000-000_inputs_09375-09999"


@pytest.mark.parametrize("scale", ["config", "sample", "paper"])
def test_machines_with_other_rates_have_the_same_jobs(
    scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configurations.of_scale(scale)

    def names() -> list[list[Path]]:
        return [Results(config, Paths(tmp_path)).files(name) for name, own in config.targets.items()
                if own.kind != "collection"]  # fmt: skip

    here = names()
    slow = [replace(rate, unit_seconds=rate.unit_seconds * 1000) for rate in committed().of.values()]
    for other in (slow, []):
        write(tmp_path / "rates.csv", other)
        monkeypatch.setattr(measured_rates, "FILE", tmp_path / "rates.csv")
        committed.cache_clear()
        assert len(committed().of) == len(other)
        assert names() == here
    monkeypatch.undo()
    committed.cache_clear()


def test_rates_are_read_by_commands_and_for_what_jobs_request() -> None:
    package, rules = PACKAGE, PACKAGE.parents[1] / "rules"
    files = [*package.rglob("*.py"), *rules.glob("*.smk"), *package.parents[1].glob("scripts/*.py")]
    readers = {file for file in files if re.search(r"planning[. ].*\bmeasured_rates\b", file.read_text())}
    requests = {package / "study" / "planning" / name for name in ("estimates.py", "job_resources.py")}
    assert {file for file in readers if package / "cli" not in file.parents} == {*requests, rules / "common.smk"}
    functions = re.split(r"^(?=def )", (rules / "common.smk").read_text(), flags=re.MULTILINE)
    asking = {text.split("(")[0]: re.findall(r"\bestimate\(job_rule|\bestimates\(\)\.|measured_rates\.", text)
              for text in functions}  # fmt: skip
    assert {name for name, found in asking.items() if found} == {
        "def estimates", "def estimate", "def asked", "def grouped"
    }  # fmt: skip


def test_a_rate_is_compared_with_the_others_of_equal_work() -> None:
    blank = Rate("layers", "digits", "lenet5", "", "", "", "", "", jobs=1, units=2, kind="same")
    given = [replace(blank, settings=str(number), unit_seconds=own) for number, own in enumerate((10, 12, 14, 60.0))]
    assert [factor for _, factor in from_equals(of(*given))] == pytest.approx([10 / 14, 12 / 14, 14 / 12, 60 / 12])
    # Of three nobody knows which is wrong; the start of short jobs counts most; other budgets are other work.
    assert [*from_equals(of(*given[1:]))] == []
    assert [*from_equals(of(*(replace(one, unit_seconds=one.unit_seconds / 100) for one in given)))] == []
    assert [*from_equals(of(*given[:3], replace(given[3], evaluations=250)))] == []
    # A search up to its first disagreement takes as long as its networks let it.
    assert [*from_equals(of(*(replace(one, until="first attack") for one in given)))] == []
    assert len([*from_equals(of(*(replace(one, until="budget, isolated") for one in given)))]) == 4


def test_rates_are_written_and_read_again(paper: Config, tmp_path: Path) -> None:
    one = measured(paper, search(SCENE), 0.125)
    other = replace(measured(paper, search(CROP), 1.5), memory_mb=None)
    write(tmp_path / "rates.csv", [one, other])
    assert read(tmp_path / "rates.csv") == of(one, other)
    assert read(tmp_path / "none.csv") == of()


@pytest.mark.slow
def test_the_committed_rates_are_of_what_the_project_runs() -> None:
    known_rates = committed().of
    assert len(known_rates) > 100
    known = [configurations.of_scale(name) for name in ("config", "sample", "paper")]
    searched = [rate for rate in known_rates.values() if rate.rule == "search"]
    for rate in searched:
        of_rate = {name: getattr(rate, name) for name in jobs.NAMES if name != "name"} | {"block": "seeds_000-000"}
        made = [one for one in known if rate.tool in one.tools and rate.model in one.models.trained | one.models.files]
        found = {
            jobs.settings(one, job): measured_rates.described(one, job)
            for one in made
            for name in one.protocols
            if (job := Job("search", of_rate | {"protocol": name}))
        }
        message = f"{rate.key}: measure again with quantrift rates, or take the line away"
        assert rate.settings in found, message
        same = [getattr(rate, name) == getattr(found[rate.settings], name) for name in FEATURES]
        assert all(same), message


def test_names_that_do_not_change_the_cost_of_a_job_are_no_part_of_its_rate() -> None:
    of = {name: name for name in jobs.NAMES}
    kept = {rule: {*Job(rule, of).names} - {""} for rule in jobs.RULES}
    assert kept["metrics"] == {"name"}
    assert kept["search"] == {"dataset", "model", "compression", "tool", "name"}
    assert kept["seeds"] == {"dataset", "model", "compression", "tool", "name"}
    assert kept["train_bits"] == kept["attack_bits"] == {"dataset", "model", "compression", "tool", "protocol"}
    assert kept["compress"] == {"dataset", "model", "compression", "tool", "protocol", "name"}
