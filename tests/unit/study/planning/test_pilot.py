"""The pilot does little of everything, and what it measures counts for the paper's size."""

import pytest
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.core.settings.datasets import official_files
from quantrift.study.planning import bit_blocks, configuration_files, jobs
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import Subject

PAPER = configurations.of_scale("paper")
PILOT = configuration_files.load(CONFIG, [CONFIG / "paper.yaml", CONFIG / "pilot.yaml"])


STANDING_IN = {"cifar10": "sim_textures", "pavia_university": "sim_pavia", "salinas": "sim_salinas"}
"""Dataset that has to be downloaded -> the simulation of its shapes."""


def subjects(config: Config) -> set[Subject]:
    """Dataset, network and compression of every group of subjects."""
    return {
        Subject(dataset, model, compression)
        for own in config.subjects.values()
        for dataset in own.dataset
        for model in own.model
        for compression in own.compression
    }


def test_it_reads_no_official_files_but_mnists() -> None:
    read = {one.dataset for one in subjects(PILOT)}
    read |= {name for study in PILOT.bit_studies.values() for name in study.dataset}
    assert {name for name in read if official_files(PILOT.datasets[name])} == {"mnist"}


def test_every_subject_of_the_paper_has_one_whose_data_have_the_same_shape() -> None:
    own = subjects(PILOT)
    for one in subjects(PAPER):
        dataset = STANDING_IN.get(one.dataset, one.dataset)
        names = {dataset, "digits"} if one.model == "vgg16" and dataset == "mnist" else {dataset}
        assert any(Subject(name, one.model, one.compression) in own for name in names), one
    for real, simulated in STANDING_IN.items():
        assert PILOT.datasets[simulated].published_as == real
        assert PILOT.datasets[simulated].class_names == PILOT.datasets[real].class_names


def test_every_network_trains_on_little() -> None:
    """VGG-16 on fewer inputs than are an epoch of MNIST, small networks on a few times as many."""
    for one in subjects(PILOT):
        known = jobs.inputs(PILOT, one.dataset, one.model)
        assert known
        trained = jobs.units(PILOT, Job("train", {"dataset": one.dataset, "model": one.model}))
        assert trained
        assert trained <= 6 * 60_000
        if one.model == "vgg16":
            assert known[0] * PILOT.models.trained["vgg16"].for_dataset(one.dataset).training.epochs <= 12_000


def test_every_bit_study_trains_one_network_of_few_inputs() -> None:
    for name, study in PILOT.bit_studies.items():
        assert len(bit_blocks.networks(study)) == 1, name
        for dataset in study.dataset:
            for model in study.model:
                of = {"dataset": dataset, "model": model, "study": name, "networks": "networks_000-000"}
                work_of_one = jobs.units(PILOT, Job("train_bits", of))
                assert work_of_one
                assert work_of_one <= (3000 if model == "vgg16" else 500_000), name


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
