"""Sides of a table's comparison must fit together; each mistake is one line before any job."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories.configurations import overlaid

from quantrift.base.errors import ConfigError
from quantrift.plan.root import Config
from quantrift.plan.work import searches_of
from quantrift.tables.kinds.compare_groups import Settings
from quantrift.targets.tool_groups import group_names


def searches(config: Config, target: str) -> set[tuple[str, str]]:
    return {(one.tool, one.protocol) for one in searches_of(config, config.targets[target])}


def test_a_table_needs_the_searches_of_its_groups_alone(tmp_path: Path) -> None:
    config = overlaid(tmp_path, {})
    assert searches(config, "diverget_table3") == {("random", "rq1")}
    div = {("pso_div", "rq2"), ("ga_div", "rq2"), ("ga_div", "rq2_evaluations")}
    chasers = {(tool, "rq2") for tool in ("diffchaser_hsi", "diffchaser_hsi_wide", "diffchaser_hsi_code")}
    assert searches(config, "diverget_table9") == div | chasers
    both = {(tool, "rq2") for tool in ("pso_div", "pso_cov", "ga_div", "ga_cov")}
    # So Table 7 after Table 5 runs no search.
    assert searches(config, "diverget_table5") == searches(config, "diverget_table7") == both


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
            {"targets": {"diverget_table9": {"groups": {"ga": ["ga_div"]}}}},
            r"targets\.diverget_table9\.groups: the tools of 'ga' are searched under rq2, rq2_evaluations; name one",
        ),
        (
            {"protocols": {"rq2_evaluations": {"inputs": 11}}},
            r"groups: rq2, rq2_evaluations draw different seed inputs.*state the same inputs",
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
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        overlaid(tmp_path, changes)


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
