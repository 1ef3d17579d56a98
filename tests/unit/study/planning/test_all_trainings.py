"""The section ``training`` reaches every training; on processors configurations and digests are those without it."""

from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations

from quantrift.core.base.errors import ConfigError
from quantrift.core.settings.compressions import trains
from quantrift.core.settings.datasets import official_files
from quantrift.core.settings.networks import Training
from quantrift.study.planning import jobs
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import committed
from quantrift.study.planning.root import Config

GPU = {"device": "gpu"}
LENET = {"dataset": "mnist", "model": "lenet5"}
MLP = {"dataset": "mnist", "model": "mlp", "study": "bits_3_6", "networks": "networks_000-000"}
MEASURED = ("train", "train_bits", "compress")
"""Rules of trainings with rates that were measured before trainings had a device."""


@pytest.fixture(scope="module")
def gpu() -> Config:
    return configurations.of_scale("paper", training=GPU)


def devices(config: Config) -> set[str]:
    """Devices of all trainings, on all datasets."""
    found = [network.training for network in config.models.trained.values()]
    found += [one.training for one in config.compressions.values() if hasattr(one, "training")]
    for study in config.bit_studies.values():
        found += [study.trained(dataset, model).training for dataset in study.dataset for model in study.model]
    return {one.device for one in [*found, config.repair.training]}


@pytest.mark.parametrize("scale", ["config", "sample", "paper", "own_model"])
def test_processors_are_the_default_and_change_no_parameter_and_no_digest(scale: str) -> None:
    plain, stated = (configurations.of_scale(scale, **more) for more in ({}, {"training": {"device": "cpu"}}))
    assert devices(plain) == {"cpu"}
    assert plain.model_dump() == stated.model_dump()
    assert "training" not in plain.model_dump()
    assert not jobs.ask_for_devices(plain)


def test_a_training_on_processors_is_dumped_as_before_there_were_devices() -> None:
    keys = ["epochs", "batch", "learning_rate", "optimizer", "decay", "drops", "weight_decay", "augment", "seed"]
    plain = Training(epochs=1, batch=1, learning_rate=1)
    assert list(plain.model_dump()) == [*keys, "threads"]
    assert list(plain.model_copy(update=GPU).model_dump()) == [*keys, "threads", "device"]


def test_digests_of_settings_are_those_of_rates_that_were_measured_before_there_were_devices() -> None:
    sample = configurations.of_scale("sample")
    measured: dict[tuple[str, ...], set[str]] = {}
    for rate in committed().of.values():
        # Others are of the demo and the pilot, with settings of their own.
        if rate.rule in MEASURED and rate.dataset in sample.datasets and official_files(sample.datasets[rate.dataset]):
            measured.setdefault((rate.rule, rate.dataset, rate.model, rate.compression), set()).add(rate.settings)
    for (rule, *names), digests in measured.items():
        of = {key: name for key, name in zip(("dataset", "model", "compression"), names, strict=True) if name}
        of |= {"study": "bits_homogeneous"} if rule == "train_bits" else {}
        assert jobs.settings(sample, Job(rule, of)) in digests, (rule, *names)
    assert {rule for rule, *_ in measured} == set(MEASURED)


def test_a_device_reaches_every_training_and_every_digest(gpu: Config) -> None:
    plain = configurations.of_scale("paper")
    assert devices(gpu) == {"gpu"}
    assert jobs.ask_for_devices(gpu)
    assert configurations.digest(gpu) != configurations.digest(plain)
    for job in (Job("train", LENET), Job("train_bits", MLP), Job("compress", LENET | {"compression": "prune"})):
        assert jobs.settings(gpu, job) != jobs.settings(plain, job)
    untouched = Job("compress", LENET | {"compression": "ptq_int8"})
    assert jobs.settings(gpu, untouched) == jobs.settings(plain, untouched)


def test_what_trains_nothing_stays_on_processors(gpu: Config) -> None:
    subject = LENET | {"compression": "ptq_int8", "tool": "random", "protocol": "rq1", "block": "seeds_000-000"}
    for rule in ("search", "compress", "layers", "attack_bits", "export_original", "table"):
        assert jobs.device(gpu, rule, subject | MLP | {"model": "lenet5"}) == "cpu", rule
    for rule in ("train", "train_bits", "repair_model"):
        assert jobs.device(gpu, rule, subject | MLP) == "gpu", rule
    for name, settings in gpu.compressions.items():
        expected = "gpu" if trains(settings) else "cpu"
        assert jobs.device(gpu, "compress_by_training", {"compression": name}) == expected


def test_an_entry_of_its_own_device_keeps_it(tmp_path: Path) -> None:
    own = {"training": {"device": "cpu"}}
    stated = {
        "training": GPU,
        "models": {"lenet5": own, "ssrn": {"per_dataset": {"salinas": own}}},
        "compressions": {"prune": own},
        "bit_studies": {"bits_3_6": {"per_network": {"mnist": {"mlp": own}}}},
    }
    config = configurations.overlaid(tmp_path, stated, "paper")
    found = {
        model: jobs.device(config, "train", {"dataset": "salinas", "model": model}) for model in ("lenet5", "ssrn")
    }
    assert found == {"lenet5": "cpu", "ssrn": "cpu"}
    assert jobs.device(config, "train", {"dataset": "pavia_university", "model": "ssrn"}) == "gpu"
    assert jobs.device(config, "compress", {"compression": "prune"}) == "cpu"
    assert jobs.device(config, "train_bits", MLP) == "cpu"
    assert jobs.device(config, "train_bits", MLP | {"model": "vgg16"}) == "gpu"


def test_a_single_training_on_a_device_is_noticed(tmp_path: Path) -> None:
    stated: dict[str, Any] = {"models": {"ssrn": {"per_dataset": {"salinas": {"training": GPU}}}}}
    assert jobs.ask_for_devices(configurations.overlaid(tmp_path, stated, "paper"))


def test_the_preset_multiplies_batch_and_rate_of_bit_studies_alone(tmp_path: Path) -> None:
    plain = configurations.of_scale("paper")
    config = configurations.of_scale("paper", training={"preset": "large_batch"})
    for name, study in config.bit_studies.items():
        training, before = study.training, plain.bit_studies[name].training
        assert (before.batch, before.learning_rate) == (32, 1e-5)
        assert (training.batch, training.learning_rate) == (256, pytest.approx(1e-5 * sqrt(8)))
        assert training.model_copy(update={"batch": 32, "learning_rate": 1e-5}) == before
    assert config.models == plain.models
    assert config.compressions == plain.compressions


def test_the_preset_follows_what_an_overlay_states_for_a_network(tmp_path: Path) -> None:
    study: dict[str, Any] = {
        "training": {"optimizer": "sgd", "batch": 10, "learning_rate": 0.5},
        "per_network": {"mnist": {"mlp": {"training": {"epochs": 2, "batch": 3, "optimizer": "adam"}}}},
    }
    stated = {"training": {"preset": "large_batch"}, "bit_studies": {"bits_3_6": study}}
    found = configurations.overlaid(tmp_path, stated, "paper").bit_studies["bits_3_6"]
    assert (found.training.batch, found.training.learning_rate) == (80, 4)
    own = found.trained("mnist", "mlp").training
    assert (own.epochs, own.batch, own.learning_rate) == (2, 24, 4)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"device": "tpu"}, r"'training\.device': .*'cpu' or 'gpu'"),
        ({"preset": "huge"}, r"'training\.preset': .*'large_batch'"),
        ({"devise": "gpu"}, r"unknown key 'training\.devise'; did you mean 'device'\?"),
    ],
)
def test_mistakes_name_the_key(stated: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configurations.of_scale(training=stated)
