"""The readings of the configuration: which there are, and what must fit together."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import ConfigError
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import searches_of
from quantrift.study.results.tables.judged_readings import Reading, Search, readings
from quantrift.study.results.tables.kinds.readings import Settings


def found(config: Config) -> tuple[list[Reading], list[Search]]:
    searches = list(dict.fromkeys((one.tool, one.protocol) for one in searches_of(config, target(config))))
    tools = {tool: config.tools[tool].model_dump(mode="json") for tool, _ in searches}
    protocols = {name: config.protocols[name].model_dump(mode="json") for _, name in searches}
    return readings(searches, tools, protocols)


def target(config: Config) -> Settings:
    stated = config.targets["diverget_readings"]
    assert isinstance(stated, Settings)
    return stated


DEMO = configurations.of_scale()


@pytest.mark.parametrize("scale", ["config", "sample", "paper"])
def test_each_search_with_pso_is_a_reading_of_its_own(scale: str) -> None:
    config = configurations.of_scale(scale)
    whole, alone = found(config)
    assert alone == []
    ways = [tuple(one.keys.values()) for one in whole]
    assert len(set(ways)) == len(ways)
    shown = {search for one in whole for search in one.of.values()}
    assert shown == {(one.tool, one.protocol) for one in searches_of(config, target(config))}


def test_all_peaks_ranges_bests_and_stops_are_combined_where_that_makes_sense() -> None:
    ways = {tuple(one.keys.values()) for one in found(DEMO)[0]}
    for peak, ranges in [
        ("patch_max", "full"),
        ("patch_range", "full"),
        ("data_range", "full"),
        ("patch_max", "psnr"),
        ("patch_range", "psnr_patch_range"),
    ]:
        for best in ("start", "zero"):
            for stop in ("none", "patience 6", "pyswarm"):
                assert (peak, ranges, "paper", best, stop) in ways
    earlier = {way for way in ways if way[2] == "code"}
    assert earlier == {("patch_max", "full", "code", "zero", stop) for stop in ("pyswarm", "patience 6, pyswarm")}
    listed = {way for way in ways if way[3] == "ranked"}
    assert listed == {("patch_max", "full", "paper", "ranked", stop) for stop in ("none", "patience 6")}
    assert len(ways) == 5 * 2 * 3 + len(earlier) + len(listed)


def test_the_default_is_the_reading_of_the_papers_tables() -> None:
    default = target(DEMO).default
    [own] = [one for one in found(DEMO)[0] if one.of["pso"] == (default.tool, default.protocol)]
    assert {tool for tool, _ in own.of.values()} == {"random", "pso_div", "ga_div"}
    assert own.keys == {
        "peak": "patch_max",
        "ranges": "full",
        "distortions": "paper",
        "infeasible": "start",
        "stop": "none",
    }


def test_a_tool_that_an_overlay_changes_loses_its_partners_and_nothing_is_refused(tmp_path: Path) -> None:
    config = overlaid(tmp_path, {"tools": {"pso_div": {"constraint": {"psnr": {"min_db": 25}}}}})
    assert ("pso_div", "readings") in found(config)[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"experiments": {"readings": {"tools": ["random", "pso_div", "de_div"]}}},
            r"from: 'de_div' has none of the searchers random, pso, ga",
        ),
        ({"protocols": {"readings_patience": {"inputs": 7}}}, r"from: readings, readings_patience may differ in pati"),
        ({"experiments": {"readings": {"tools": ["random", "ga_div"]}}}, r"default: no experiment searches 'pso_div'"),
        ({"targets": {"diverget_readings": {"default": {"tool": "pso_dvi"}}}}, r"unknown tool 'pso_dvi'; did you mean"),
        (
            {"experiments": {"readings_patience": {"subjects": "diverget"}}},
            r"from: its experiments search different subjects",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        overlaid(tmp_path, {"all": ["diverget_readings"], **changes})
