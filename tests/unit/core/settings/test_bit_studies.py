"""Bit studies: the thesis's at paper size, smaller ones said so, and mistakes in one line before anything runs."""

import re
from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError
from tests.factories import configurations

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.merge import merged
from quantrift.core.settings.bit_studies import BitStudy, mistakes
from quantrift.core.settings.networks import Networks
from quantrift.study.compression.methods.heterogeneous import Settings as Heterogeneous

SCALES = {"config": "demo", "sample": "sample", "paper": "paper"}
SHA = "0" * 64
STUDY = "bits_homogeneous"
FILE = {"mine": {"source": "file", "original": {"path": "m.tflite", "sha256": SHA}}}


configured = cache(configurations.of_scale)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"settings": ["homogeneous_7"]}, r"settings: unknown compression 'homogeneous_7'; did you mean"),
        ({"per_network": {"mnits": {"mlp": {"width": 0.5}}}}, "per_network: unknown dataset 'mnits'"),
        ({"per_network": {"mnist": {"mlp": {"epochs": 3}}}}, r"per_network\.mnist\.mlp: epochs: unknown key"),
        ({"strengths": {"mnist": [0.03, 0]}}, "strengths start with 0 and ascend"),
    ],
)
def test_a_mistake_in_the_files_is_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(QuantriftError, match=message) as error:
        configurations.of_scale("paper", bit_studies={STUDY: settings})
    assert f"bit_studies.{STUDY}" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"settings": ["ptq_int8"]},
            "settings: 'ptq_int8' is of method ptq_int8; take compressions of method",
        ),
        ({"settings": ["homogeneous_1", "homogeneous_1"]}, "settings: 'homogeneous_1' stands twice"),
        ({"dataset": ["mnist", "mnist"]}, "dataset: 'mnist' stands twice"),
        ({"model": ["hybridsn"]}, "model: 'hybridsn' is a network for scenes .* valid: .*mlp"),
        ({"model": ["mine"]}, "model: 'mine' is a file"),
        ({"attacked": ["heterogeneous_3_6_1"]}, "attacked: 'heterogeneous_3_6_1' is no setting of the study"),
        ({"dataset": ["sim_pavia"]}, "strengths: none for dataset 'sim_pavia'"),
    ],
)
def test_a_study_that_cannot_be_trained_or_attacked_is_said_in_one_line(settings: dict[str, Any], message: str) -> None:
    whole = configured("paper")
    study = whole.bit_studies[STUDY].model_copy(update=settings)
    networks = Networks.model_validate({**whole.models.model_dump(), **FILE})
    [line] = mistakes({STUDY: study}, networks, whole.compressions)
    assert re.match(rf"bit_studies\.{STUDY}\.{message}", line)
    assert "\n" not in line


@pytest.mark.parametrize(
    "settings",
    [
        {"training": {"augment": ["shift"]}},
        {"per_network": {"mnist": {"mlp": {"training": {"augment": ["shift"]}}}}},
    ],
)
def test_augmentation_is_refused(settings: dict[str, Any]) -> None:
    stated = merged(configured("paper").bit_studies[STUDY].model_dump(), settings)
    with pytest.raises(ValidationError, match="without augmentation; take augment away"):
        BitStudy.model_validate(stated)


def test_at_paper_scale_the_studies_are_the_thesis() -> None:
    studies = configured("paper").bit_studies
    for study in studies.values():
        assert study.repetitions == 5
        assert study.per_network == {}
        training = study.training
        assert (training.epochs, training.optimizer, training.learning_rate) == (500, "adam", 1e-5)
        assert (training.batch, training.threads) == (32, 1)
        assert study.width is None
        assert study.inputs is None
        assert study.strengths["mnist"] == [0, 0.03, 0.06, 0.1]
        assert study.strengths["cifar10"] == [0, 0.01, 0.03, 0.045, 0.06, 0.075, 0.1]
    thesis = {STUDY, "bits_3_6", "bits_6_9", "bits_3_6_matched", "bits_6_9_matched"}
    assert {(*studies[name].dataset, *studies[name].model) for name in thesis} == {("mnist", "cifar10", "mlp", "vgg16")}
    assert (studies["bits_1_4"].dataset, studies["bits_1_4"].model) == (["cifar10"], ["mlp"])
    assert set(studies) == thesis | {"bits_1_4"}
    homogeneous = studies[STUDY].settings
    assert homogeneous == [f"homogeneous_{bits}" for bits in (1, 2, 3, 4, 5, 8, 32)]
    for name in ("3_6", "6_9", "1_4"):
        attacked = [f"heterogeneous_{name}_{number}" for number in (1, 3, 5, 7)]
        assert studies[f"bits_{name}"].attacked_settings == attacked
    assert studies[STUDY].attacked_settings == homogeneous


@pytest.mark.parametrize("label", ["3_6", "6_9"])
def test_each_distribution_has_a_control_of_two_adjacent_numbers_of_bits_with_its_mean(label: str) -> None:
    whole = configured("paper")

    def distributions(study: str) -> list[Heterogeneous]:
        named = [whole.compressions[name] for name in whole.bit_studies[study].settings]
        assert all(isinstance(one, Heterogeneous) for one in named)
        return [one for one in named if isinstance(one, Heterogeneous)]

    def mean(one: Heterogeneous) -> float:
        return round(sum(bits * share for bits, share in zip(one.bits, one.shares, strict=True)), 9)

    controls = distributions(f"bits_{label}_matched")
    assert all(one.bits[1] == one.bits[0] + 1 and len(one.bits) == 2 for one in controls)
    own = distributions(f"bits_{label}")
    assert {mean(one) for one in controls} == {mean(one) for one in own}
    assert len(controls) == len({mean(one) for one in controls})
    assert {one.budget for one in controls} == {one.budget for one in own}


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_trains_every_study_its_own_way(scale: str) -> None:
    whole = configured(scale)
    assert whole.scale == SCALES[scale]
    assert set(whole.bit_studies) == set(configured("paper").bit_studies)
    for study in whole.bit_studies.values():
        for dataset in study.dataset:
            for model in study.model:
                training = study.trained(dataset, model).training
                assert (training.epochs == 500) == (scale == "paper")
                assert training.threads == 1


def test_settings_of_one_dataset_and_network_go_over_the_study_s() -> None:
    narrow = {"mnist": {"vgg16": {"width": 0.5, "dense": [64], "training": {"epochs": 7}}}}
    study = configured("paper").bit_studies[STUDY].model_copy(update={"per_network": narrow})
    own = study.trained("mnist", "vgg16")
    assert (own.width, own.dense, own.training.epochs, own.training.learning_rate) == (0.5, (64,), 7, 1e-5)
    assert study.trained("nowhere", "vgg16").dense == (4096, 4096)
    assert study.trained("cifar10", "vgg16") == study.trained("mnist", "mlp") == study.trained("nowhere", "mlp")
    assert study.trained("nowhere", "mlp").training == study.training
