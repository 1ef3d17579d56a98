"""Shares certified by enumeration and recall of tools, by hand."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import configurations, datasets, searches, targets
from tests.factories.searches import reached, search

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.statistics.intervals import wilson
from quantrift.core.statistics.recall import read_enumerated
from quantrift.study.results.figures.finished_figure import steps
from quantrift.study.results.targets.given_files import Given

OF = "shift=1+brightness=4"
FOUND: dict[str, dict[int, list[Any]]] = {
    "exhaustive": {0: [3, 5, 5, 8], 1: [], 2: [9], 3: []},
    "random_members": {0: [5, 8, 8, 5], 1: [], 2: [], 3: []},
    "ga_members": {0: [None, None, None, 3], 1: [], 2: [None, 9], 3: []},
}
"""Tool -> seed input -> digest of each evaluation with a disagreement; None where there is none."""
SIZES = {"exhaustive": 81, "random_members": 10, "ga_members": 10}


def stated(of: str = OF) -> dict[str, Any]:
    tools = {tool: configurations.tool(tool) for tool in FOUND}
    for one in tools.values():
        one["space"]["params"]["of"] = of
    return {"tools": tools}


def given_searches(folder: Path, found: dict[str, dict[int, list[Any]]], valid: int = 81, first: int = 0) -> Given:
    counts, records = {}, {}
    for tool, of_seeds in found.items():
        key = ("digits", "lenet5", "ptq_int8", tool, "certified")
        place = Paths(folder).searches(*key)
        rows, events = [], []
        for seed, digests in of_seeds.items():
            own = [(number, one) for number, one in enumerate(digests) if one is not None]
            size = SIZES[tool]
            spent = {name: size for name in ("generated", "distinct", "memberships")}
            sizes = spent | {"valid": min(size, valid) if tool == "exhaustive" else size}
            several = reached(len(own), 10 if own else 0) | {
                name: len({one for _, one in own}) for name in ("dii_distinct", "reached_distinct")
            }
            rows.append(search(0, seed + (first if tool != "exhaustive" else 0), **sizes, **several))
            events += [
                {"run_seed": 0, "input": seed, "evaluation": number, "digest": one, "label_original": 1}
                for number, one in own
            ]
        counts[key] = searches.write(rows, place)
        records[key] = place / "seeds_000-000.parquet"
        columns = ["run_seed", "input", "evaluation", "digest", "label_original"]
        table = pd.DataFrame(events, columns=columns).astype({"digest": "uint64"})
        # A candidate on which the networks agree, where a protocol stores these too.
        table = pd.concat([table.assign(label_compressed=2), table.assign(label_compressed=1, evaluation=0, digest=99)])
        table.astype({"digest": "uint64"}).to_parquet(records[key])
    return targets.given({"searches": counts, "records": records}, {"digits": datasets.digits()}, stated=stated())


def make(folder: Path, found: dict[str, dict[int, list[Any]]], **changed: int) -> pd.DataFrame:
    given = given_searches(folder, found, **changed)
    stem = targets.table(folder, given, kind="certified", queries=[2, 4], **{"from": ["certified"]})
    return pd.read_csv(stem.with_suffix(".csv")).set_index(["tool", "queries"])


def test_rows_are_what_the_sets_say(tmp_path: Path, answers_say_what_their_tables_say: list[str]) -> None:
    found = make(tmp_path, FOUND)
    assert sorted(found.index) == [(tool, n) for tool in ("ga_members", "random_members") for n in (2, 4)]
    assert set(found["neighbourhood"]) == {OF}
    for _, row in found.iterrows():
        assert (row["members"], row["inputs"], row["n_truth"], row["dii_truth"]) == (81, 4, 2, 4)
        assert (row["certified"], row["certified_low"], row["certified_high"]) == pytest.approx((0.5, *wilson(2, 4)))
    random: Any = found.loc[("random_members", 2)]
    assert (random["sr"], random["n_found"], random["recall"], random["dii_found"]) == (0.25, 1, 0.5, 2)
    assert random["recall_dii"] == 0.5
    ga = found.loc["ga_members"]
    assert ga["recall"].tolist() == [0.5, 1]
    assert ga["dii_found"].tolist() == [1, 2]
    said = " ".join(answers_say_what_their_tables_say)
    assert "of the seed inputs are certified under " in said
    assert OF not in said, "neighbourhoods stand there in words"
    assert "4 queries find 50" in said


def test_a_curve_steps_where_a_tool_finds_an_input_for_the_first_time(tmp_path: Path) -> None:
    given = given_searches(tmp_path, FOUND)
    [one] = read_enumerated(given.searched("searches"), given.files["records"], given.stated["tools"])
    lines = {tool: steps(own.found_after(), 4, 1, one.queries[tool]) for tool, own in one.found.items()}
    found = {tool: [part.tolist() for part in line] for tool, line in lines.items()}
    assert found == {
        "random_members": [[1, 2, 10], [0.25, 0.5, 0.5]],
        "ga_members": [[1, 2, 4, 10], [0, 0.25, 0.5, 0.5]],
    }


def test_a_panel_is_a_neighbourhood_and_one_without_disagreement_says_so(tmp_path: Path) -> None:
    stated_as = {"kind": "recall_curves", "title": "Curves", "from": ["certified"]}
    path = targets.figure(tmp_path, given_searches(tmp_path, FOUND), **stated_as).with_suffix(".svg")
    said = targets.texts(path)
    assert {OF, "random_members", "ga_members", "4 seed inputs; scale: demo"} <= set(said)
    none: dict[str, dict[int, list[Any]]] = {tool: {seed: [] for seed in of} for tool, of in FOUND.items()}
    path = targets.figure(tmp_path, given_searches(tmp_path / "none", none), **stated_as).with_suffix(".svg")
    assert "no disagreement exists here" in targets.texts(path)


def test_an_enumeration_that_left_members_out_certifies_nothing(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="left members out"):
        make(tmp_path, FOUND, valid=80)


def test_tools_that_started_from_other_inputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="started from different inputs"):
        make(tmp_path, FOUND, first=1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"protocols": {"certified": {"first_attack": True}}}, "does not look for all disagreements"),
        ({"protocols": {"certified_searches": {"evaluations": 100}}}, "queries: 400"),
        ({"protocols": {"certified_searches": {"inputs": 9}}}, "different seed inputs"),
        ({"tools": {"ga_members": {"space": {"neighbourhood": {"of": "shift"}}}}}, "0 enumerate 'shift'"),
        ({"experiments": {"certified": {"tools": ["exhaustive", "random"]}}}, "searches no finite neighbourhood"),
        ({"experiments": {"certified": {"tools": ["exhaustive", "ga_members"]}}}, "a tool of several experiments"),
    ],
)
def test_settings_that_give_no_truth_are_mistakes(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(QuantriftError, match=said):
        configurations.overlaid(tmp_path, changed)
