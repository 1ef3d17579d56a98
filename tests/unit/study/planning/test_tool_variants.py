"""Tools that are like others, protocols that skip inputs, and targets that hold others."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations
from tests.factories.configurations import overlaid
from tests.factories.places import CONFIG

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.paths import Paths
from quantrift.core.settings.searches import Tool
from quantrift.study.planning import work
from quantrift.study.planning.collection import members
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.result_files import Results

OVERLAYS = ["config.yaml", "sample.yaml", "paper.yaml"]


def test_a_tool_like_another_differs_in_what_it_states_alone(tmp_path: Path) -> None:
    tools = overlaid(tmp_path, {"tools": {"mine": {"like": "pso_div_code", "searcher": {"pso": {"swarm": 7}}}}}).tools
    mine, base = (tools[name].model_dump() for name in ("mine", "pso_div_code"))
    assert mine["searcher"]["params"] == base["searcher"]["params"] | {"swarm": 7}
    assert mine["title"] is None
    assert {key: mine[key] for key in mine if key not in ("searcher", "title")} == {
        key: base[key] for key in base if key not in ("searcher", "title")
    }
    assert "like" not in mine


def test_a_tool_may_be_like_one_that_is_like_another(tmp_path: Path) -> None:
    changes = {"tools": {"mine": {"like": "pso_5", "searcher": {"pso": {"omega": 0.3}}}}}
    mine, base = (overlaid(tmp_path, changes).tools[name].searcher.params for name in ("mine", "pso_div"))
    assert mine == base | {"swarm": 5, "omega": 0.3}


def test_another_part_comes_with_its_own_settings(tmp_path: Path) -> None:
    changes = {"tools": {"mine": {"like": "pso_div_code", "searcher": "ga", "engine": "lockstep"}}}
    assert overlaid(tmp_path, changes).tools["mine"].searcher.params["variant"] == "paper"


def test_an_overlay_that_changes_a_tool_changes_those_like_it(tmp_path: Path) -> None:
    config = overlaid(tmp_path, {"tools": {"pso_div": {"constraint": {"psnr": {"min_db": 25}}}}})
    assert config.tools["pso_5"].constraint.params["min_db"] == 25
    assert config.tools["pso_5"].searcher.params["swarm"] == 5


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ({"like": "pso_dvi"}, "tools.mine.like: unknown tool 'pso_dvi'; did you mean 'pso_div'?"),
        ({"like": ["pso_div"]}, "tools.mine.like: unknown tool"),
        ({"like": "mine"}, "tools.mine.like: leads back to itself, mine -> mine; state its parts"),
        ({"like": "pso_div", "searcher": {"pso": {"swarms": 5}}}, "unknown key 'swarms'; did you mean 'swarm'?"),
        ({"like": "pso_div", "searcher": 5}, "tools.mine.searcher: expected one part"),
    ],
)
def test_a_mistake_in_a_tool_like_another_is_one_line(tmp_path: Path, tool: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        overlaid(tmp_path, {"tools": {"mine": tool}})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def params(tool: Tool) -> dict[str, Any]:
    """Settings of a tool's searcher, and of an objective that has some: coverage."""
    return {**tool.searcher.params, **tool.objective.params}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_tools_of_the_sensitivity_tables_differ_from_the_baseline_in_one_setting(overlay: str) -> None:
    config = load(CONFIG, [CONFIG / overlay])
    for label in config.targets["diverget_sensitivity"].targets:
        target = config.targets[label]
        base = params(config.tools[str(target.baseline)])
        for name in config.experiments[target.from_[0]].tools[1:]:
            own = params(config.tools[name])
            changed = {key for key in base if base[key] != own[key]}
            assert len(changed) == 1 or changed == {"phip", "phig"}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_sensitivity_shares_no_input_with_other_protocols_on_its_datasets(overlay: str) -> None:
    config = load(CONFIG, [CONFIG / overlay])
    searched: dict[str, set[str]] = {}
    for one in config.experiments.values():
        searched.setdefault(one.protocol, set()).update(config.subjects[one.subjects].dataset)
    others = [
        config.protocols[name]
        for name in searched
        if name != "sensitivity" and searched[name] & searched["sensitivity"] and not config.protocols[name].skip
    ]
    assert others
    assert config.protocols["sensitivity"].skip >= max(one.run_seeds * int(one.inputs) for one in others)


BOTH = {"all": ["rq1", "diverget_sensitivity"]}
"""Targets whose searches must not share inputs."""


def test_too_few_skipped_inputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"protocols\.sensitivity\.skip: 'rq1' draws the first 500 inputs"):
        overlaid(tmp_path, {"protocols": {"rq1": {"inputs": 50}, "sensitivity": {"skip": 499}}, **BOTH})
    assert overlaid(tmp_path, {"protocols": {"rq1": {"inputs": 50}, "sensitivity": {"skip": 500}}, **BOTH})


def test_protocols_on_other_networks_may_draw_as_they_like(tmp_path: Path) -> None:
    experiments = {
        name: {"subjects": "ssrn"} for name in ("sensitivity_pso", "sensitivity_ga", "sensitivity_diffchaser")
    }
    assert overlaid(tmp_path, {"protocols": {"sensitivity": {"skip": 1}}, "experiments": experiments})


def test_skipping_and_overlapping_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give only one of skip and overlap"):
        overlaid(tmp_path, {"protocols": {"sensitivity": {"overlap": True}}})
    with pytest.raises(ConfigError, match="'rq1' has overlap: true and draws from all inputs"):
        overlaid(tmp_path, {"protocols": {"rq1": {"overlap": True}}, **BOTH})


def test_a_collection_in_all_stands_for_its_targets(tmp_path: Path) -> None:
    both = {"kind": "collection", "title": "Both", "targets": ["diverget_table4", "diverget_table4_boxes"]}
    config = overlaid(tmp_path, {"targets": {"both": both}, "all": ["diverget_table4_boxes", "both", "report"]})
    assert config.shown == ["diverget_table4_boxes", "diverget_table4"]
    assert members("both", config.targets) == both["targets"]


@pytest.mark.parametrize(
    ("named", "message"),
    [("diverget_table44", "unknown table or figure 'diverget_table44'"), ("diverget_sensitivity", "unknown table or")],
)
def test_a_collection_holds_tables_and_figures_alone(tmp_path: Path, named: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"mine.yaml: line \d+: targets.mine.targets: {message}"):
        overlaid(tmp_path, {"targets": {"mine": {"kind": "collection", "title": "Mine", "targets": [named]}}})


@pytest.mark.parametrize(
    ("target", "change", "message"),
    [
        ("diverget_table8", {"protocol": "rq11"}, "targets.diverget_table8.protocol: unknown protocol 'rq11'"),
        (
            "diverget_table8",
            {"frameworks": {"diverget": ["pso"]}},
            "targets.diverget_table8.frameworks.diverget: unknown",
        ),
        ("diverget_gallery", {"tools": ["pso"]}, "targets.diverget_gallery.tools: unknown tool 'pso'"),
        ("diverget_gallery", {"channels": {"ssnr": [0, 1, 2]}}, "targets.diverget_gallery.channels: unknown model"),
    ],
)
def test_names_in_targets_are_checked(tmp_path: Path, target: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        overlaid(tmp_path, {"targets": {target: change}})


def test_a_gallery_is_made_from_inputs_and_records_of_its_tools() -> None:
    config = configurations.of_scale()
    found = [str(file) for file in Results(config, Paths(Path("results"))).files("diverget_gallery")]
    assert "results/data/sim_pavia/hybridsn.npz" in found
    tables = [name for name in found if name.endswith(".parquet")]
    assert {name.split("/")[5] for name in tables} == {"pso_div", "ga_div"}
    assert work.datasets_of(config, config.targets["diverget_gallery"]) == ["sim_pavia", "sim_salinas"]


def test_settings_are_made_from_the_configuration_alone() -> None:
    config = configurations.of_scale()
    assert Results(config, Paths(Path("results"))).files("diverget_table8") == []
    assert work.datasets_of(config, config.targets["diverget_table8"]) == []


def test_what_a_tool_is_like_is_no_part_of_the_digest(tmp_path: Path) -> None:
    plain = {"space": "hsi_distortions", "constraint": "psnr", "objective": "jensen_shannon"}
    stated = overlaid(tmp_path, {"tools": {"mine": plain | {"searcher": {"pso": {"swarm": 7}}}}})
    short = overlaid(tmp_path, {"tools": {"mine": {"like": "pso_div", "searcher": {"pso": {"swarm": 7}}}}})
    assert configurations.digest(stated) == configurations.digest(short)
