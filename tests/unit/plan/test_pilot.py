"""The pilot does little of everything, and what it measures counts for the paper's size."""

import pytest
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.plan import configuration_files, jobs
from quantrift.plan.jobs import Job
from quantrift.plan.root import Config

PAPER = configurations.of_scale("paper")
PILOT = configuration_files.load(CONFIG, [CONFIG / "paper.yaml", CONFIG / "pilot.yaml"])


def test_every_network_has_one_epoch() -> None:
    assert {network.training.epochs for network in PILOT.models.trained.values()} == {1}


def test_every_bit_study_trains_one_network_a_setting_for_one_epoch() -> None:
    assert {(study.repetitions, study.training.epochs) for study in PILOT.bit_studies.values()} == {(1, 1)}


def test_every_search_has_one_run_seed_of_at_most_ten_inputs() -> None:
    for name, protocol in PILOT.protocols.items():
        assert protocol.run_seeds == 1, name
        assert isinstance(protocol.inputs, int), name
        assert protocol.inputs <= 10, name


def work(config: Config) -> list[Job]:
    """Trainings, compressions and searches of a configuration, as many kinds as its names allow."""
    some = {"dataset": "mnist", "model": "lenet5", "compression": "ptq_int8", "block": "seeds_000-000"}
    return [
        *(Job("train", {"dataset": "mnist", "model": model}) for model in config.models.trained),
        *(Job("compress", some | {"compression": name}) for name in config.compressions),
        *(Job("train_bits", some | {"study": name, "model": "mlp"}) for name in config.bit_studies),
        *(
            Job("search", some | {"tool": tool, "protocol": protocol})
            for tool in config.tools
            for protocol in config.protocols
        ),
    ]


@pytest.mark.parametrize("rule", ["train", "compress", "train_bits", "search"])
def test_its_rates_are_those_of_the_papers_jobs(rule: str) -> None:
    assert work(PILOT) == work(PAPER)
    for job in work(PAPER):
        if job.rule == rule:
            assert jobs.settings(PILOT, job) == jobs.settings(PAPER, job), job
