"""Sides of a table's comparison must fit together; each mistake is one line before any job."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import ConfigError
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import searches_of
from quantrift.study.results.tables.kinds.compare_groups import Settings
from quantrift.study.results.targets.tool_groups import group_names

DIFFCHASERS = ("diffchaser_hsi_linf", "diffchaser_hsi_linf_wide", "diffchaser_hsi_free")
"""DiffChaser as DiverGet's Table 8 describes it; the radius is open."""


def searches(config: Config, target: str) -> set[tuple[str, str]]:
    return {(one.tool, one.protocol) for one in searches_of(config, config.targets[target])}


def test_a_table_needs_the_searches_of_its_groups_alone(tmp_path: Path) -> None:
    config = overlaid(tmp_path, {})
    assert searches(config, "diverget_table3") == {("random", "rq1")}
    div = {("pso_div", "rq2"), ("ga_div", "rq2")}
    assert searches(config, "diverget_table9") == div | {("diffchaser_hsi_linf", "rq2")}
    assert searches(config, "diverget_table10") == {
        (tool, "rq3_first") for tool in ("pso_div", "ga_div", *DIFFCHASERS, "diffchaser_hsi")
    }
    assert searches(config, "diverget_table9_forms") >= div | {
        (tool, protocol)
        for tool in (*DIFFCHASERS, "diffchaser_hsi", "ga_div")
        for protocol in ("rq2", "rq2_evaluations")
    }
    both = {(tool, "rq2") for tool in ("pso_div", "pso_cov", "ga_div", "ga_cov")}
    # So Table 7 after Table 5 runs no search.
    assert searches(config, "diverget_table5") == searches(config, "diverget_table7") == both


def test_the_published_diffchaser_is_bounded_by_a_norm_alone_and_our_own_by_the_psnr(tmp_path: Path) -> None:
    tools = overlaid(tmp_path, {}).tools
    constraints = [tools[name].constraint for name in DIFFCHASERS]
    assert [one.name for one in constraints] == ["linf", "linf", "none"]
    # Their PSNR is recorded with the peak of DiverGet's constraint.
    assert {one.params["peak"] for one in constraints} == {tools["pso_div"].constraint.params["peak"]}
    own = ("diffchaser_hsi", "diffchaser_hsi_wide", "diffchaser_hsi_code")
    assert {str(tools[name].constraint) for name in own} == {str(tools["pso_div"].constraint)}
    for published, ours in zip(DIFFCHASERS, own, strict=True):
        assert str(tools[published].searcher) == str(tools[ours].searcher)


def test_table_9_tests_three_pairs_in_dir_and_sr_alone(tmp_path: Path) -> None:
    stated = overlaid(tmp_path, {}).targets["diverget_table9"]
    assert isinstance(stated, Settings)
    assert (len(stated.groups), stated.baseline, stated.tests) == (3, None, ["dir", "sr"])


def test_float_controls_are_searched_where_an_overlay_says_so(tmp_path: Path) -> None:
    def controlled(config: Config) -> set[str]:
        return {
            one.subject.dataset
            for one in searches_of(config, config.targets["diverget_figure5"])
            if one.subject.compression == "qat_control"
        }

    subjects = {"diverget_controls": {"dataset": ["sim_pavia"], "model": ["hybridsn"]}}
    assert controlled(overlaid(tmp_path, {})) == set()
    assert controlled(overlaid(tmp_path, {"subjects": subjects})) == {"sim_pavia"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"targets": {"diverget_table9_forms": {"groups": {"ga": ["ga_div"]}}}},
            r"diverget_table9_forms\.groups: the tools of 'ga' are searched under rq2, rq2_evaluations; name one",
        ),
        (
            {"protocols": {"rq2_evaluations": {"inputs": 11}}},
            r"groups: rq2, rq2_evaluations draw different seed inputs.*state the same inputs",
        ),
        (
            {"targets": {"diverget_table9": {"baseline": "psso"}}},
            r"targets\.diverget_table9.*baseline: 'psso' is none of the groups; did you mean 'pso'",
        ),
        (
            {"protocols": {"rq3_first": {"first_attack": False}}},
            r"targets\.diverget_table10\.from: experiment 'rq3_first' goes on after the first",
        ),
        (
            {"targets": {"diverget_table5": {"groups": {"f_cov": ["pso_cof"]}}}},
            r"targets\.diverget_table5\.groups\.f_cov\.tools: unknown tool 'pso_cof'; did you mean 'pso_cov'",
        ),
        (
            {"targets": {"diverget_table9": {"groups": {"ga": {"tools": ["ga_div"], "protocol": "rq22"}}}}},
            r"targets\.diverget_table9\.groups\.ga\.protocol: unknown protocol 'rq22'; did you mean 'rq2'",
        ),
        (
            {"targets": {"diverget_table9": {"planned": [{"tool": "pso_div", "against": "ga"}]}}},
            r"targets\.diverget_table9.*planned: 'pso_div' has no row of its own; did you mean 'pso'",
        ),
        (
            {"targets": {"diverget_table4": {"planned": [{"tool": "divergett"}]}}, "all": ["rq1"]},
            r"targets\.diverget_table4.*planned: 'divergett' has no row of its own; did you mean 'diverget'",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        overlaid(tmp_path, {"all": ["rq2", "rq3", "rq3_forms"], **changes})


def test_a_group_of_one_tool_may_bear_its_name_where_no_row_is_a_tool(tmp_path: Path) -> None:
    stated = overlaid(tmp_path, {}).targets["diverget_table9"]
    assert isinstance(stated, Settings)
    groups: dict[str, list[str]] = {name: [] for name in stated.groups} | {"pso_div": ["pso_div"]}
    config = overlaid(tmp_path, {"targets": {"diverget_table9": {"groups": groups}}})
    assert searches(config, "diverget_table9") == {("pso_div", "rq2")}


def test_a_group_is_called_by_its_only_tool_unless_another_group_has_it_too() -> None:
    groups = {"finder": ["finder_wide"], "two": ["a", "b"], "short": ["c"], "long": ["c"], "plain": ["d"]}
    titles = {"finder": "Another tool", "finder_wide": "Finder, wide", "c": "C"}
    named = {"finder": "Finder, wide", "two": "two", "short": "short", "long": "long", "plain": "d"}
    assert group_names(groups, titles) == named
