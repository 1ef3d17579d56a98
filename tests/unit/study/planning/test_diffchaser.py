"""DiffChaser's experiments: the paper's sizes at paper scale, its published numbers, and mistakes in a line."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import configurations
from tests.factories.places import PUBLISHED

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

TRUNCATED = [f"float16_truncation_{share}" for share in (1, 50, 100)]
CUT = [name.replace("truncation", "cut") for name in TRUNCATED]
NETWORKS = {("mnist", "lenet1"), ("mnist", "lenet5"), ("cifar10", "resnet20")}


def test_paper_scale_has_the_papers_sizes(paper: Config) -> None:
    tools = {name: tool for name, tool in paper.tools.items() if name.startswith("diffchaser") and "hsi" not in name}
    assert {tool.searcher.params["population"] for tool in tools.values()} == {1000}
    first, second, third, fourth = (paper.protocols[f"diffchaser_q{number}"] for number in range(1, 5))
    assert [(one.run_seeds, one.inputs) for one in (first, second, third, fourth)] == [
        (1, 50),
        (1, 100),
        (1, 100),
        (1, 10),
    ]
    assert (first.generations, fourth.generations) == (100, 300)
    assert not first.first_attack
    assert all(one.first_attack for one in (second, third, fourth))
    # Evaluations in place of 120 and 180 seconds: at least the 100 iterations of 1000 that the paper allows elsewhere.
    assert third.evaluations == 1.5 * (second.evaluations or 0)
    assert (second.evaluations or 0) >= 1000 + 99 * 998
    assert (first.agree, second.agree, fourth.agree) == (TRUNCATED[2:], TRUNCATED, TRUNCATED[2:])
    assert (first.correct, second.correct) == (True, False)
    assert fourth.per_class
    assert [one.goal for one in (first, second, third, fourth)] == ["one_keeps"] * 3 + ["targeted"]


def test_paper_scale_searches_what_the_papers_tables_and_figures_show(paper: Config) -> None:
    def searched(target: str) -> set[tuple[str, str, str, str]]:
        found = work.searches_of(paper, paper.targets[target])
        return {(one.subject.dataset, one.subject.model, one.subject.compression, one.tool) for one in found}

    k_uf = ["diffchaser_code", *(f"diffchaser_{k}" for k in range(2, 10))]
    assert [paper.tools[name].objective.params["k"] for name in k_uf] == [*range(1, 10)]
    assert searched("diffchaser_figure2") == {(*net, TRUNCATED[2], tool) for net in NETWORKS for tool in k_uf}
    rivals = ("diffchaser", "diffchaser_code", "deepxplore", "deepxplore_code", "tensorfuzz")
    assert searched("diffchaser_table1") == {
        (*net, c, tool) for net in NETWORKS for c in (*TRUNCATED, *CUT) for tool in rivals
    }
    products = ("tflite_float", "ptq_dynamic", "ptq_int8", "coreml_float", "coreml_16", "coreml_8")
    assert searched("diffchaser_table2") == {
        (*net, c, tool) for net in NETWORKS for c in products for tool in rivals[:2]
    }
    both = ("diffchaser_targeted", "diffchaser_targeted_code")
    assert searched("diffchaser_figure3") == {("mnist", "lenet5", TRUNCATED[2], tool) for tool in both}
    assert searched("diffchaser_figure4") == {("cifar10", "resnet20", TRUNCATED[2], tool) for tool in both}


def test_each_published_row_stands_beside_a_search(paper: Config) -> None:
    for target in ("diffchaser_table1", "diffchaser_table2", "diffchaser_targeted"):
        table = pd.read_csv(PUBLISHED / getattr(paper.targets[target], "published"))  # noqa: B009
        tools = {str(column).rsplit("_", 1)[0] for column in table if str(column).endswith(("_sr", "_searches"))}
        searches = work.searches_of(paper, paper.targets[target])
        names = getattr(paper.targets[target], "published_as")  # noqa: B009
        assert {names.get(one.tool, one.tool) for one in searches} == tools
        keys = set(table[["dataset", "model", "compression"]].itertuples(index=False, name=None))
        assert {(one.subject.dataset, one.subject.model, one.subject.compression) for one in searches} == keys


def test_the_paper_has_one_number_for_weights_that_are_rounded_and_cut() -> None:
    table = pd.read_csv(PUBLISHED / "diffchaser_table1.csv")
    for rounded, cut in zip(TRUNCATED, CUT, strict=True):
        one, other = (table[table["compression"] == name].drop(columns="compression") for name in (rounded, cut))
        pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def test_published_times_fit_the_published_timeout_where_the_errata_say_nothing() -> None:
    first = pd.read_csv(PUBLISHED / "diffchaser_table1.csv")
    for tool in ("diffchaser", "deepxplore", "tensorfuzz"):
        # Failures alone take 120 s each; 100 inputs at most that.
        assert (first[f"{tool}_seconds"] >= 120 * 100 * (1 - first[f"{tool}_sr"]) - 1).all()
        assert (first[f"{tool}_seconds"] <= 12_000).all()
    second = pd.read_csv(PUBLISHED / "diffchaser_table2.csv")
    impossible = second[second["diffchaser_seconds"] < 180 * 100 * (1 - second["diffchaser_sr"]) - 1]
    keys = impossible[["model", "compression"]].itertuples(index=False, name=None)
    assert set(keys) == {("lenet1", "tflite_float"), ("lenet5", "tflite_float")}


def test_a_grid_needs_candidates_and_counts_and_the_inputs(paper: Config) -> None:
    files = [str(file) for file in Results(paper, Paths(Path("r"))).files("diffchaser_figure3")]
    of_first, of_other = work.searches_of(paper, paper.targets["diffchaser_figure3"])
    assert (of_first.tool, of_other.tool) == ("diffchaser_targeted", "diffchaser_targeted_code")
    folder = "r/search/mnist/lenet5/float16_truncation_100"
    blocks = [
        f"{folder}/{one.tool}/diffchaser_q4/{block}"
        for one in (of_first, of_other)
        for block in work.blocks(paper, one)
    ]
    assert files == ["r/data/mnist/lenet5.npz", *(f"{one}.parquet" for one in blocks),
                     *(f"{one}.searches.parquet" for one in blocks)]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "changed", "message"),
    [
        (
            "diffchaser_table1",
            {"from": ["diffchaser_q2_mnist", "diffchaser_q3_mnist"]},
            "under diffchaser_q2, diffchaser_q3",
        ),
        ("diffchaser_table1", {"from": ["diffchaser_q4_lenet5"]}, "the goal of 'diffchaser_q4' is targeted"),
        ("diffchaser_figure3", {"from": ["diffchaser_q2_mnist"]}, "the goal of 'diffchaser_q2' is one_keeps"),
        ("diffchaser_figure2", {"from": ["diffchaser_q2_mnist"]}, "end with their first disagreement"),
        ("diffchaser_figure2", {"settings": {"1-UF": "diffchasr"}}, "unknown tool 'diffchasr'; did you mean"),
    ],
)
def test_a_mistake_is_one_line(target: str, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        configurations.of_scale("paper", targets={target: changed})
    assert "\n" not in str(error.value)
