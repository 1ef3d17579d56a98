"""Layers of configuration: an overlay's settings replace those of the layers below and the defaults."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.merge import merged
from quantrift.core.settings.datasets import SourceFile, official_files
from quantrift.study.datasets.addresses import OFFICIAL, of_job, stated
from quantrift.study.planning.configuration_files import load, overlays

SCALARS = st.one_of(st.integers(), st.booleans(), st.none(), st.text(max_size=2))
SETTINGS = st.recursive(
    SCALARS, lambda inner: st.dictionaries(st.sampled_from("abcde"), inner, max_size=4), max_leaves=12
)
MAPPINGS = st.dictionaries(st.sampled_from("abcde"), SETTINGS, max_size=4)


def demo(**changes: Any) -> Any:
    return configurations.of_scale(**changes)


def test_a_compressions_recipe_lies_over_that_of_its_method() -> None:
    plain = demo().compressions
    for name in ("qat_int8", "qat_control", "prune", "distill", "homogeneous_2"):
        changed = demo(compressions={name: {"training": {"epochs": 7}}}).compressions[name]
        training = plain[name].training.model_copy(update={"epochs": 7})
        assert changed == plain[name].model_copy(update={"training": training})


def test_a_new_compression_and_a_new_study_have_the_recipes_of_their_kinds() -> None:
    config = demo(
        compressions={"mine": {"method": "qat_int8", "training": {"epochs": 1}}},
        bit_studies={
            "mine": {
                "dataset": ["digits"],
                "model": ["mlp"],
                "settings": ["homogeneous_2"],
                "strengths": {"digits": [0, 0.1]},
                "training": {"epochs": 20},
            }
        },
    )
    assert config.compressions["mine"].training.learning_rate == 0.00001
    study = config.bit_studies["mine"].training
    assert (study.epochs, study.batch, study.learning_rate, study.threads) == (20, 32, 0.00001, 1)


def test_a_repairs_recipe_lies_over_its_default() -> None:
    repair = demo(repair={"training": {"epochs": 1}}).repair
    assert (repair.training.epochs, repair.training.batch, repair.training.learning_rate) == (1, 64, 0.0001)


@pytest.mark.parametrize(
    "own", [{"kind": "per_class", "train": 0.2, "validation": 0.1}, {"kind": "overall", "test": 1}]
)
@pytest.mark.parametrize(
    "where", [lambda split: {"split": split}, lambda split: {"per_dataset": {"x": {"split": split}}}]
)
def test_a_split_of_another_kind_comes_whole(own: dict[str, Any], where: Any) -> None:
    for model in ("hybridsn", "ssrn"):
        datasets = {"x": {"kind": "simulated_scene", "title": "X", "class_names": ["a", "b"], "bands": 16}}
        config = demo(datasets=datasets, models={model: where(own)})
        split = config.network(model, "x").split
        assert split.model_dump(exclude_none=True, exclude={"seed"}) == own


def test_a_compression_of_another_method_keeps_nothing_of_the_first() -> None:
    config = demo(compressions={"homogeneous_4": {"method": "linear"}})
    assert config.compressions["homogeneous_4"].bits == 8


def test_a_part_of_another_name_comes_with_its_own_settings() -> None:
    # pso_50 is like pso_div with a swarm of 50; diffchaser has a linf constraint of its own in the demo.
    tools = {"pso_50": {"searcher": {"ga": {"population": 5}}}, "diffchaser": {"constraint": {"psnr": {}}}}
    config = demo(tools=tools)
    assert config.tools["pso_50"].searcher.name == "ga"
    assert config.tools["pso_50"].searcher.params["population"] == 5
    assert config.tools["diffchaser"].constraint.params == {"min_db": 20.0, "peak": "patch_max", "guides": True}


@pytest.mark.parametrize(
    "searcher", ["pso", {"pso": {}}, {"pso": None}, {"name": "pso"}, {"name": "pso", "params": {}}]
)
def test_a_part_of_the_same_name_keeps_what_is_not_stated_anew(searcher: Any) -> None:
    assert demo(tools={"pso_50": {"searcher": searcher}}).tools["pso_50"].searcher.params["swarm"] == 50


@pytest.mark.parametrize("searcher", [{"pso": {"omega": 0.1}}, {"name": "pso", "params": {"omega": 0.1}}])
def test_a_parts_settings_are_merged_in_whichever_form_they_are_written(searcher: Any) -> None:
    params = demo(tools={"pso_50": {"searcher": searcher}}).tools["pso_50"].searcher.params
    assert (params["swarm"], params["omega"]) == (50, 0.1)


def test_a_tool_that_becomes_like_another_takes_its_parts() -> None:
    config = demo(tools={"pso_div": {"like": "ga_cov"}})
    assert config.tools["pso_div"].searcher == config.tools["ga_cov"].searcher
    assert config.tools["pso_div"].objective == config.tools["ga_cov"].objective


def test_generations_stand_in_for_the_evaluations_of_a_layer_below() -> None:
    assert demo().protocols["rq2_evaluations"].evaluations == 250
    changed = demo(protocols={"rq2_evaluations": {"generations": 4}}).protocols["rq2_evaluations"]
    assert (changed.generations, changed.evaluations) == (4, None)
    both = demo(protocols={"rq2_evaluations": {"generations": 4, "evaluations": 30}}).protocols["rq2_evaluations"]
    assert both.evaluations == 30


def test_drops_stand_in_for_a_decay_below_and_none_change_nothing() -> None:
    training = demo(models={"hybridsn": {"training": {"drops": [5]}}}).models.hybridsn.training
    assert (training.drops, training.decay) == ((5,), 0)
    assert demo(models={"hybridsn": {"training": {"drops": []}}}).models.hybridsn.training.decay == 1e-6


def test_a_protocols_settings_lie_over_those_below_one_by_one() -> None:
    assert demo(protocols={"rq1": {"patience": 6}}).protocols["rq1"] == demo().protocols["rq1"].model_copy(
        update={"patience": 6}
    )


@pytest.mark.parametrize("wrong", [3, {"pso": {}, "ga": {}}, ["pso"]])
def test_what_is_no_part_is_still_named(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"tools\.pso_50\.searcher: expected one part"):
        demo(tools={"pso_50": {"searcher": wrong}})


@given(MAPPINGS, MAPPINGS)
def test_laying_the_same_on_twice_changes_nothing_more(base: dict[str, Any], over: dict[str, Any]) -> None:
    once = merged(base, over)
    assert merged(once, over) == once
    assert merged({}, over) == over
    assert merged(base, {}) == base


def snakemakes(files: list[Path], command_line: dict[str, Any]) -> dict[str, Any]:
    """The configuration that Snakemake makes of files and ``--config``."""
    from snakemake.utils import update_config

    whole: dict[str, Any] = {}
    for layer in [*(yaml.safe_load(file.read_text()) for file in files), command_line]:
        update_config(whole, layer)
    return whole


@pytest.mark.parametrize(
    "command_line",
    [
        {},
        {"tools": {"mine": {"searcher": {"pso": {"swarm": 5}}}}},
        {"models": {"ssrn": {"split": {"kind": "overall", "test": 0.5}}}},
        {"data": {"mirror": "/elsewhere"}},
    ],
)
def test_two_files_and_the_command_line_make_of_a_run_what_they_make_of_layers(
    tmp_path: Path, command_line: dict[str, Any]
) -> None:
    first = {"tools": {"mine": {"like": "pso_div", "searcher": {"ga": {"mutation": 0.2}}}}}
    second = {
        "tools": {"mine": {"searcher": {"pso": {"omega": 0.3}}}},
        "models": {"ssrn": {"split": {"kind": "spatial_blocks", "test": 0.3, "block": 9}}},
    }
    files = [CONFIG / "config.yaml"]
    for number, layer in enumerate((first, second)):
        files.append(tmp_path / f"{number}.yaml")
        files[-1].write_text(yaml.safe_dump(layer))
    paths, beyond = overlays(files, snakemakes(files, command_line))
    config = load(CONFIG, paths, beyond)
    assert config == load(CONFIG, files, command_line)
    assert config.tools["mine"].searcher.name == "pso"


def test_a_job_reads_where_data_come_from() -> None:
    file = {"path": "a.keras", "sha256": "0" * 64, "urls": ["https://example.org/a"], "bytes": 5}
    config = demo(data={"mirror": "/somewhere"}, models={"net": {"source": "file", "original": file}})
    found = of_job({OFFICIAL: stated(config.data, config.datasets.values(), config.models.files.values())})
    assert found.data.mirror == "/somewhere"
    assert found.files["0" * 64] == SourceFile.model_validate(file)
    for dataset in config.datasets.values():
        assert all(found.files[one.sha256].urls == one.urls for one in official_files(dataset))
    assert len(found.files) > 5
