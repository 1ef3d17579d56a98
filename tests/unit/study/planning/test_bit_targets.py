"""Targets over bit studies: which files they are made from, and names that do not exist."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from quantrift.core.base.merge import merged
from quantrift.core.base.paths import Paths
from quantrift.study.planning import bit_blocks, work
from quantrift.study.planning.collection import members
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

PATHS = Paths(Path("results"))


def files(config: Config, target: str) -> list[str]:
    """What a target is made from, each once whatever blocks it is trained in."""
    found = [file.relative_to("results/bits") for file in Results(config, PATHS).files(target)]
    return list(dict.fromkeys(str(file.parents[1] / file.name) for file in found))


def test_a_figure_shows_one_network_and_its_controls(paper: Config) -> None:
    assert files(paper, "heterogeneous_figure4_1") == ["mnist/vgg16/bits_homogeneous/accuracies.parquet"]
    names = ["bits_3_6", "bits_3_6_matched"]
    assert files(paper, "heterogeneous_figure4_11") == [f"cifar10/mlp/{name}/accuracies.parquet" for name in names]
    assert files(paper, "heterogeneous_figure4_25") == ["cifar10/mlp/bits_1_4/robustness.parquet"]
    assert work.datasets_of(paper, paper.targets["heterogeneous_figure4_25"]) == ["cifar10"]


def test_tables_show_all_networks_of_their_studies(paper: Config) -> None:
    networks = ["mnist/mlp", "mnist/vgg16", "cifar10/mlp", "cifar10/vgg16"]
    assert files(paper, "heterogeneous_table3_2") == [f"{name}/bits_3_6/drawn.parquet" for name in networks]
    assert len(files(paper, "heterogeneous_anova")) == 2 * len(networks)
    # Of 1 to 4 bits, the perceptron on CIFAR-10 alone.
    assert len(files(paper, "heterogeneous_robustness")) == 5 * len(networks) + 1


def test_blocks_without_an_attacked_network_are_not_attacked(paper: Config) -> None:
    trained = {file.parent for file in Results(paper, PATHS).files("heterogeneous_figure4_11")}
    attacked = {file.parent for file in Results(paper, PATHS).files("heterogeneous_figure4_25")}
    study = paper.bit_studies["bits_1_4"]
    for folder in attacked:
        settings = {setting for setting, _ in bit_blocks.networks(study, folder.name)}
        assert settings <= {*study.attacked_settings}
    assert len(attacked) == study.repetitions * len(study.attacked_settings) < len(trained)


def test_shares_need_no_network_and_no_data(paper: Config) -> None:
    assert files(paper, "heterogeneous_figure3_3") == []
    assert work.datasets_of(paper, paper.targets["heterogeneous_figure3_3"]) == []


def test_the_collection_has_every_target_of_the_thesis(paper: Config) -> None:
    own = {name for name in paper.targets if name.startswith("heterogeneous_")}
    assert set(members("heterogeneous", paper.targets)) == own
    assert {f"heterogeneous_figure4_{number}" for number in range(1, 26)} < own


@pytest.mark.parametrize(
    ("target", "settings", "message"),
    [
        ("heterogeneous_table5_1", {"studies": ["bits"]}, "studies: unknown bit study 'bits'"),
        (
            "heterogeneous_figure4_3",
            {"controls": {"bits_3_6": "bits_3_7"}},
            "controls.bits_3_6: unknown bit study 'bits_3_7'",
        ),
        ("heterogeneous_figure4_3", {"dataset": ["mnits"]}, "dataset: unknown dataset 'mnits'; did you mean 'mnist'?"),
        (
            "heterogeneous_robustness",
            {"claims": {"vgg16_3_6": {"best": ["heterogeneous_3_6_9"]}}},
            "claims.vgg16_3_6.best: unknown compression 'heterogeneous_3_6_9'",
        ),
        (
            "heterogeneous_robustness",
            {"studies": ["bits_3_6", "bits_1_4"]},
            "claims.perceptron_digits.study: unknown study of the target 'bits_homogeneous'",
        ),
    ],
)
def test_names_that_do_not_exist_are_said(paper: Config, target: str, settings: dict[str, Any], message: str) -> None:
    whole = paper.model_dump(by_alias=True)
    whole["targets"][target] = merged(whole["targets"][target], settings)
    try:
        said = [*Config.model_validate(whole).mistakes([target])]
    except ValidationError as error:
        said = [str(error)]
    assert any(f"targets.{target}.{message}" in line for line in said)
