"""TriggerFinder's experiments: the paper's sizes at paper scale, its published numbers, and mistakes in a line."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories.configurations import overlaid
from tests.factories.places import PUBLISHED

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

GROUPS = ("diffchaser", "resnet20", "mnist", "cifar")
QUERIES = {"kind": "queries", "title": "Q", "tools": ["triggerfinder_code"]}


def test_paper_scale_has_the_papers_sizes(paper: Config) -> None:
    for group in GROUPS:
        protocol = paper.protocols[f"triggerfinder_{group}"]
        assert (protocol.run_seeds, protocol.inputs, protocol.per_class) == (5, 500, True)
        assert (protocol.correct, protocol.goal, protocol.first_attack) == (False, "differ", True)
        # Non-triggering seeds: of every pair of the group.
        assert protocol.agree == paper.subjects[f"triggerfinder_{group}"].compression
    full = paper.protocols["triggerfinder_full"]
    assert (full.inputs, full.correct, full.agree) == ("all", False, [])


@pytest.mark.parametrize("target", ["triggerfinder_table2", "triggerfinder_ablation", "triggerfinder_full"])
def test_each_of_the_18_pairs_is_searched_by_each_tool(paper: Config, target: str) -> None:
    searches = work.searches_of(paper, paper.targets[target])
    tools = getattr(paper.targets[target], "tools")  # noqa: B009
    pairs = {(one.subject.dataset, one.subject.model, one.subject.compression) for one in searches}
    published = pd.read_csv(PUBLISHED / "triggerfinder_table2.csv")
    assert pairs == set(published[["dataset", "model", "compression"]].itertuples(index=False, name=None))
    assert len(searches) == 18 * len(tools)


def test_a_target_of_some_pairs_needs_the_searches_of_these_alone(paper: Config) -> None:
    files = Results(paper, Paths(Path("results"))).files("triggerfinder_figure3")
    pairs = {(file.parts[-5], file.parts[-4]) for file in files}
    assert pairs == {("lenet5", "ptq_int8"), ("resnet20", "distill")}


def test_the_same_file_says_the_same_of_a_pair() -> None:
    table, published = (
        pd.read_csv(PUBLISHED / f"triggerfinder_{name}.csv").set_index(["dataset", "model", "compression"])
        for name in ("table2", "full")
    )
    assert table.index.equals(published.index)
    lenet1 = pd.read_csv(PUBLISHED / "triggerfinder_lenet1.csv").iloc[0]
    of_lenet1 = table.loc[[("mnist", "lenet1", "ptq_int8")]].iloc[0]
    for name in ("sr", "seconds", "queries"):
        assert lenet1[f"triggerfinder_{name}"] == of_lenet1[f"triggerfinder_{name}"]


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ({"run_seeds": 2}, "inputs: all needs a single run seed"),
        ({"per_class": True}, "per_class: inputs: all leaves nothing to choose from"),
        ({"skip": 5}, "skip: inputs: all leaves nothing to choose from"),
        ({"overlap": True}, "overlap: inputs: all leaves nothing to choose from"),
        ({"batch": 2}, "inputs: all needs a single run seed"),
    ],
)
def test_all_inputs_leave_nothing_to_choose(tmp_path: Path, protocol: dict[str, Any], message: str) -> None:
    with pytest.raises(QuantriftError, match=message):
        overlaid(tmp_path, {"protocols": {"own": {"run_seeds": 1, "inputs": "all"} | protocol}})


def test_no_protocol_can_avoid_all_inputs(tmp_path: Path) -> None:
    protocols = {"own": {"run_seeds": 1, "inputs": "all"}}
    experiments = {"own": {"subjects": "diverget", "tools": ["pso_div"], "protocol": "own"}}
    with pytest.raises(QuantriftError, match="'own' draws all inputs, so none is left"):
        overlaid(tmp_path, {"protocols": protocols, "experiments": experiments, "all": ["diverget_sensitivity"]})


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            {"from": ["diffchaser_q1_mnist"]},
            "queries are counted to the first disagreement, but searches under 'diffchaser_q1'",
        ),
        (
            {"from": ["diffchaser_q4_lenet5"]},
            "queries are counted to the first disagreement, but searches under 'diffchaser_q4'",
        ),
        (
            {"from": ["triggerfinder_mnist", "triggerfinder_full_mnist"]},
            "'triggerfinder_mnist' are searched under triggerfinder_mnist and triggerfinder_full",
        ),
        ({"from": ["triggerfinder_mnist"], "baseline": "diffchaser"}, "'diffchaser' is none of the tools"),
        (
            {"from": ["triggerfinder_mnist"], "pairs": [{"model": "lenet6", "compression": "prune"}]},
            "targets.own.pairs.model: unknown model 'lenet6'",
        ),
    ],
)
def test_a_mistake_in_a_target_is_named(tmp_path: Path, target: dict[str, Any], message: str) -> None:
    with pytest.raises(QuantriftError, match=message):
        overlaid(tmp_path, {"targets": {"own": QUERIES | target}})
