"""The findings of DiverGet as the project states them: names that exist, and what the paper's own tables say."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations
from tests.factories.places import PUBLISHED

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.results.tables.finding_details import published_cells
from quantrift.study.results.tables.kinds.findings import Settings


@pytest.fixture(scope="module")
def target(paper: Config) -> Settings:
    found = paper.targets["diverget_findings"]
    assert isinstance(found, Settings)
    return found


def test_all_seven_findings_are_stated(target: Settings) -> None:
    assert {one.finding for one in target.claims.values()} == set(range(1, 8))


def test_the_papers_own_tables_speak_as_the_protocol_says(target: Settings) -> None:
    files = [PUBLISHED / name for name in target.published_files]
    counts = Counter((cell.label, cell.metric, cell.verdict) for cell in published_cells(target.hypotheses, files))
    assert {key: number for key, number in counts.items() if key[0] == "pso_over_ga"} == {
        ("pso_over_ga", "dir", "for"): 1,  # PU-PTQ
        ("pso_over_ga", "dir", "against"): 3,
        ("pso_over_ga", "sr", "for"): 8,
    }
    # Quantization in training is worse everywhere but on SSRN with PU.
    assert counts["in_training_over_after", "dir", "for"] == 3
    assert counts["in_training_over_after", "dir", "against"] == 1
    # More in number everywhere; of 800 inputs more often than of 200,000 candidates in three cells.
    assert counts["distortions_over_test_data", "n_dii", "for"] == 8
    assert counts["distortions_over_test_data", "dir", "against"] == 3
    assert counts["search_over_random", "dir", "for"] == 8
    assert counts["divergence_over_coverage", "dir", "for"] == 4
    assert counts["pso_over_diffchaser", "dir", "for"] + counts["pso_over_diffchaser", "sr", "for"] == 16


def test_only_searches_that_a_hypothesis_needs_are_asked_for(paper: Config) -> None:
    paths = Paths(Path("results"))
    files = Results(paper, paths).files("diverget_findings")
    needed = Results(paper, paths).of("diverget_findings")
    assert {experiment for experiment, *_ in needed["metrics"]} == set(paper.targets["diverget_findings"].experiments)
    distances = {paths.table("diverget_table6").with_suffix(end) for end in (".csv", ".columns.json")}
    assert {paths.metrics(*searched) for _, *searched in needed["metrics"]} == {*files} - distances
    assert work.datasets_of(paper, paper.targets["diverget_findings"]) == ["pavia_university", "salinas"]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"larger": {"tools": ["pso_dvi"]}}, r"pso_over_ga\.larger\.tools: unknown tool 'pso_dvi'.*did you mean"),
        ({"larger": {"minus": "qat"}}, r"larger\.minus: unknown compression 'qat'"),
        (
            {"paired": False, "larger": {"dataset": "salinass"}, "smaller": {"dataset": "salinas"}},
            r"larger\.dataset: unknown published dataset 'salinass'; did you mean 'salinas'",
        ),
        ({"from": ["rq1", "rq2"]}, "'PSO' is searched under rq1, rq2"),
        ({"larger": {"from": ["rq1"]}}, "rq1, rq2 draw different seed inputs"),
    ],
)
def test_a_hypothesis_about_what_does_not_exist_or_pair_is_refused(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configurations.of_scale("paper", targets={"diverget_findings": {"hypotheses": {"pso_over_ga": stated}}})


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"distances": "diverget_table4"}, "unknown table of distances 'diverget_table4'; did you mean"),
        ({"larger": "cov"}, "diverget_table6 does not compare cov with f_div under GA"),
    ],
)
def test_a_spread_names_what_a_table_of_distances_compares(stated: dict[str, Any], message: str) -> None:
    spreads = {"coverage_more_spread_ga": stated}
    with pytest.raises(ConfigError, match=message):
        configurations.of_scale("paper", targets={"diverget_findings": {"spreads": spreads}})
