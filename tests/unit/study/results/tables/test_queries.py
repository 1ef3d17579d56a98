"""Queries to the first disagreement, tool against tool, by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.places import PUBLISHED
from tests.factories.searches import first_attack

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.statistics import query_counts
from quantrift.core.statistics.intervals import wilson

Write = Callable[..., Path]
DATASETS = {"digits": datasets.digits("mnist")}
OWN = datasets.digits()
"""The same, which names no published numbers."""
PAPERS = """dataset,model,compression,triggerfinder_sr,triggerfinder_seconds,triggerfinder_queries,diffchaser_sr,\
diffchaser_seconds,diffchaser_queries
mnist,lenet5,ptq_int8,1,0.5,10,0.98,5,400
mnist,lenet5,prune,1,0.5,20,0.96,1,200
mnist,lenet1,ptq_int8,1,0.5,30,0.94,2,2100
"""
TOOLS = ["triggerfinder_code", "diffchaser_code"]
AS = {"triggerfinder_code": "triggerfinder", "diffchaser_code": "diffchaser"}


@pytest.fixture
def searched(tmp_path: Path) -> Write:
    """Writes searches of a tool: queries to success of each input of each run seed, 0 for none of 1000."""

    def write(
        tool: str, *repetitions: list[int], compression: str = "ptq_int8", protocol: str = "q", differ: int = -1
    ) -> Path:
        rows = []
        for run_seed, found in enumerate(repetitions):
            for number, queries in enumerate(found, start=100 * run_seed):
                more = {"seconds": (queries or 1000) / 10, "seed_disagrees": number == differ}
                rows.append(first_attack(run_seed, number, queries, 1000, **more))
        folder = Paths(tmp_path).searches("digits", "lenet5", compression, tool, protocol)
        return searches.write(rows, folder, "seeds_000-001")

    return write


def table(
    folder: Path,
    files: list[Path],
    published: str | None = PAPERS,
    known: Any = DATASETS,
    alone: list[Path] | None = None,
    **target: Any,
) -> tuple[Any, Any]:
    """The CSV and the timing CSV; ``alone``: files of searches by themselves."""
    settings = {"kind": "queries", "from": ["q"], "tools": TOOLS, "published_as": AS, **target}
    folder.mkdir(exist_ok=True)
    titles = {"triggerfinder_code": "TriggerFinder"}
    papers = targets.published(folder, published)
    needed = {"searches": targets.of_searches(files)}
    if alone:
        needed["isolated"] = targets.of_searches(alone)
        settings["isolated"] = True
    given = targets.given(needed, known, published=papers, titles=titles)
    stem = targets.table(folder, given, **settings)
    return pd.read_csv(f"{stem}.csv"), pd.read_csv(f"{stem}.timing.csv")


def row(data: pd.DataFrame, tool: str, compression: str = "ptq_int8", model: str = "lenet5") -> pd.Series:
    found = data[(data["tool"] == tool) & (data["compression"] == compression) & (data["model"] == model)]
    assert len(found) == 1
    return found.iloc[0]


def test_means_are_over_successes_and_charged_ones_over_all(tmp_path: Path, searched: Write) -> None:
    data, times = table(tmp_path, [searched("triggerfinder_code", [10, 30, 0], [20, 40, 60])], timeout=5)
    own = row(data, "triggerfinder_code")
    assert own[["run_seeds", "inputs", "differing_inputs", "n_success"]].tolist() == [2, 6, 0, 5]
    assert own[["sr", "sr_low", "sr_high"]].tolist() == pytest.approx([5 / 6, *wilson(5, 6)])
    assert own["queries_average"] == 32
    assert own["queries_penalised"] == pytest.approx(1160 / 6)
    assert own[["queries_median", "queries_most"]].tolist() == [35, 1000]
    assert own["queries_average_low"] < 32 < own["queries_average_high"]
    assert own[["published_sr", "published_queries"]].tolist() == [1, 10]
    assert np.isnan(own["queries_ratio"])
    assert own["scale"] == "demo"
    seconds = row(times, "triggerfinder_code")
    assert seconds[["seconds", "seconds_success_average", "sr_within"]].tolist() == pytest.approx([116, 3.2, 4 / 6])
    repetitions = pd.read_csv(tmp_path / "tables" / "queries.repetitions.csv")
    assert repetitions["queries_average"].tolist() == [20, 40]
    assert repetitions["n_success"].tolist() == [2, 3]


def test_tools_are_compared_input_by_input(tmp_path: Path, searched: Write) -> None:
    first, second = [10, 20, 40, 80], [5, 10, 20, 40]
    files = [
        searched("triggerfinder_code", first, second),
        searched("diffchaser_code", [8 * n for n in first], [2 * n for n in second]),
    ]
    data, times = table(tmp_path, files, baseline="triggerfinder_code")
    own = row(data, "diffchaser_code")
    assert own["against"] == "triggerfinder_code"
    assert own["queries_factor"] == pytest.approx((8 * 150 + 2 * 75) / 225)
    # Four ratios of 8 and four of 2.
    assert own["queries_ratio"] == pytest.approx(4)
    assert 2 <= own["queries_ratio_low"] < 4 < own["queries_ratio_high"] <= 8
    # Of eight inputs that all need more, both directions.
    assert own[["queries_p", "queries_p_min", "queries_p_holm"]].tolist() == pytest.approx([2 / 2**8] * 3)
    assert own["queries_rank_biserial"] == 1
    assert own[["published_queries_factor"]].tolist() == [40]
    assert row(times, "diffchaser_code")["published_seconds_factor"] == 10
    text = targets.markdown(tmp_path / "tables" / "queries")
    assert "Against TriggerFinder, on the same inputs" in text
    assert "| Digits | lenet5 | ptq_int8 | TriggerFinder |  | 100.00 [67.56, 100.00] |" in text
    assert (
        "| Digits | lenet5 | ptq_int8 | diffchaser_code | TriggerFinder | 6 | 4 [2, 7.38] | 0.797 | 1.000 | 0.0078 |"
        in text
    )
    assert "published Factor |" in text
    assert np.isnan(row(data, "triggerfinder_code")["queries_factor"])


def test_factors_over_subjects_are_those_of_the_paper_and_ours(tmp_path: Path, searched: Write) -> None:
    files = [
        searched("triggerfinder_code", [10] * 8),
        searched("diffchaser_code", [100] * 7 + [0]),
        searched("triggerfinder_code", [20] * 8, compression="prune"),
        searched("diffchaser_code", [40] * 8, compression="prune"),
    ]
    data, times = table(tmp_path, files, baseline="triggerfinder_code")
    over = data[data["dataset"].isna() & (data["tool"] == "diffchaser_code")]
    assert over["subjects"].tolist() == [2, 3]
    ours, papers = over.iloc[0], over.iloc[1]
    factors = [f"queries_factor{end}" for end in ("", "_of_averages", "_geometric", "_least", "_most")]
    # 100 over 10 and 40 over 20; published 400 over 10, 200 over 20 and 2100 over 30.
    assert ours[factors].tolist() == pytest.approx([6, 140 / 30, np.sqrt(20), 2, 10])
    assert ours[[f"published_{name}" for name in factors]].tolist() == pytest.approx([25, 20, 20, 10, 40])
    assert ours[["sr", "sr_least", "queries_average"]].tolist() == pytest.approx([(7 / 8 + 1) / 2, 7 / 8, 70])
    assert ours["published_sr_least"] == 0.96
    assert papers[[f"published_{name}" for name in factors]].tolist() == pytest.approx(
        [40, 45, (40 * 10 * 70) ** (1 / 3), 10, 70]
    )
    assert papers[["sr", "queries_average", "queries_factor", "scale"]].isna().all()
    # The failure is charged with 1000: ratios 10 seven times, 100 once; and 2.
    assert ours["queries_ratio"] == pytest.approx(np.sqrt(10 ** (9 / 8) * 2))
    assert ours["queries_ratio_low"] < ours["queries_ratio"] < ours["queries_ratio_high"]
    seconds = times[times["dataset"].isna() & (times["tool"] == "diffchaser_code")]
    assert seconds["seconds_factor"].tolist()[0] == pytest.approx(6)
    assert seconds["published_seconds_factor"].tolist() == pytest.approx([6, (10 + 2 + 4) / 3])


def test_seconds_of_searches_by_themselves_have_factors_of_their_own(tmp_path: Path, searched: Write) -> None:
    both = {"triggerfinder_code": {"ptq_int8": 10, "prune": 20}, "diffchaser_code": {"ptq_int8": 100, "prune": 40}}
    files = [searched(tool, [n] * 8, compression=one) for tool, own in both.items() for one, n in own.items()]
    alone = [
        # The models differ on the first input already, and the last of these finds nothing within 100 s.
        searched(tool, [500, n, 3 * n, 0], compression=one, protocol="q_isolated", differ=0)
        for tool, own in both.items()
        for one, n in own.items()
    ]
    stated: Any = {"baseline": "triggerfinder_code", "timeout": 240}
    without, charged = table(tmp_path, files, **stated)
    data, times = table(tmp_path, files, alone=alone, **stated)
    pd.testing.assert_frame_equal(data, without)
    pd.testing.assert_frame_equal(times[list(charged)], charged)
    own = row(times, "diffchaser_code")
    assert own[["isolated_inputs", "isolated_seconds", "isolated_seconds_success_average"]].tolist() == [3, 140, 20]
    assert own["isolated_sr_within"] == pytest.approx(2 / 3)
    assert own["isolated_ended_before"] == "1 of 3 searches had spent their candidates before 240 s"
    assert own[["isolated_seconds_factor", "seconds_factor", "published_seconds"]].tolist() == [10, 10, 5]
    over = times[times["dataset"].isna() & (times["tool"] == "diffchaser_code")]
    factors = [f"isolated_seconds_factor{end}" for end in ("", "_of_averages", "_geometric", "_least", "_most")]
    # 20 over 2 and 8 over 4; the paper's row over all its pairs has none.
    assert over.iloc[0][factors].tolist() == pytest.approx([6, 28 / 6, np.sqrt(20), 2, 10])
    assert over.iloc[1][factors].isna().all()


def test_what_is_stated_of_all_subjects_has_a_row_of_its_own(tmp_path: Path, searched: Write) -> None:
    files = [searched("triggerfinder_code", [10] * 6), searched("triggerfinder_r", [11] * 6)]
    stated = "dataset,model,compression,triggerfinder_r_sr,triggerfinder_r_queries_factor_most\n,,,1,1.134\n"
    data, _ = table(
        tmp_path, files, stated, tools=["triggerfinder_code", "triggerfinder_r"], baseline="triggerfinder_code"
    )
    assert row(data, "triggerfinder_r")["queries_ratio"] == pytest.approx(1.1)
    over = data[data["dataset"].isna()]
    assert over[["tool", "published_sr", "published_queries_factor_most"]].to_numpy().tolist() == [
        ["triggerfinder_r", 1, 1.134]
    ]
    assert over["scale"].isna().all()


def test_inputs_on_which_the_models_disagree_are_no_seeds(tmp_path: Path, searched: Write) -> None:
    data, _ = table(tmp_path, [searched("triggerfinder_code", [10, 1, 30], differ=1)], None)
    own = row(data, "triggerfinder_code")
    assert own[["inputs", "differing_inputs", "queries_average", "sr"]].tolist() == [2, 1, 20, 1]


def test_what_the_authors_tool_gave_is_called_reference_and_never_published(tmp_path: Path, searched: Write) -> None:
    reference = tmp_path / "reference.csv"
    quantiles = ",".join(f"triggerfinder_queries_{name}" for name in query_counts.QUANTILES)
    values = [*range(1, len(query_counts.QUANTILES) + 1)]
    numbers = ",".join(map(str, values))
    head = f"dataset,model,compression,triggerfinder_inputs,triggerfinder_queries,{quantiles}"
    reference.write_text(f"{head}\nmnist,lenet5,ptq_int8,1000,103.8,{numbers}\n")
    files = [searched("triggerfinder_code", [10, 20]), searched("diffchaser_code", [10, 20])]
    papers = targets.published(tmp_path, PAPERS)
    given = targets.given({"searches": targets.of_searches(files)}, DATASETS, published=[*papers, reference])
    stated = {"from": ["q"], "tools": TOOLS, "published_as": AS, "published": papers[0].name}
    stem = targets.table(tmp_path, given, kind="queries", reference="reference.csv", **stated)
    data = pd.read_csv(f"{stem}.csv")
    columns = [name for name in data.columns.astype(str) if name.startswith("reference_")]
    assert row(data, "triggerfinder_code")[columns].tolist() == [1000, 103.8, *values]
    assert row(data, "diffchaser_code")[columns].isna().all()
    assert row(data, "triggerfinder_code")["published_queries"] == 10
    assert not [name for name in data.columns.astype(str) if name.startswith("published_queries_q")]
    text = targets.markdown(stem)
    assert "Reference: reference.csv, measured with the public tool of the paper's authors" in text
    assert "reference Queries median |" in text
    without, _ = table(tmp_path, files)
    assert not [name for name in without.columns.astype(str) if name.startswith("reference_")]


def test_subjects_that_only_the_paper_has_are_empty(tmp_path: Path, searched: Write) -> None:
    data, _ = table(tmp_path, [searched("triggerfinder_code", [10, 20])])
    assert row(data[data["dataset"] == "mnist"], "diffchaser_code", "prune")["published_queries"] == 200
    assert data[data["dataset"] == "mnist"][["sr", "inputs", "scale"]].isna().all(axis=None)


def test_data_of_ones_own_get_no_rows_of_the_papers_data(tmp_path: Path, searched: Write) -> None:
    files = [searched("triggerfinder_code", [10, 20]), searched("diffchaser_code", [10, 20])]
    stated = PAPERS + ",,,1,,,0.9,,\n"
    cifar = stated + "cifar10,lenet5,ptq_int8,1,0.5,10,0.98,5,400\n"
    data, _ = table(tmp_path, files, cifar)
    assert set(data["dataset"].fillna("")) == {"digits", "mnist", ""}
    own, _ = table(tmp_path, files, cifar, known={"digits": OWN})
    assert set(own["dataset"]) == {"digits"}
    assert own.filter(like="published").isna().all(axis=None)


def test_what_cannot_be_compared_is_refused(tmp_path: Path, searched: Write) -> None:
    files = [searched("triggerfinder_code", [10, 20]), searched("diffchaser_code", [10, 20, 30])]
    with pytest.raises(QuantriftError, match="digits/lenet5/ptq_int8: its tools started from different inputs"):
        table(tmp_path, files, baseline="triggerfinder_code")
    with pytest.raises(QuantriftError, match="searched under q and other"):
        table(tmp_path, [files[0], searched("triggerfinder_code", [10, 20], protocol="other")])
    with pytest.raises(QuantriftError, match="table queries: its experiments have no searches"):
        table(tmp_path, [])
    with pytest.raises(QuantriftError, match="column 'triggerfinder_dir' ends with none of"):
        table(tmp_path, files[:1], "dataset,model,compression,triggerfinder_dir\nmnist,lenet5,prune,1\n")
    with pytest.raises(ValueError, match="'diffchaser' is none of the tools"):
        table(tmp_path, files[:1], baseline="diffchaser")


def test_repetitions_are_ranked_by_themselves(tmp_path: Path, searched: Write) -> None:
    # The second repetition's ratios all exceed the first's; ranked together its signs would decide.
    files = [
        searched("triggerfinder_code", [10] * 4, [10] * 4),
        searched("diffchaser_code", [9, 8, 7, 13], [20, 30, 40, 1000]),
    ]
    loaded = query_counts.load(targets.of_searches(files))
    tool, other = (loaded[loaded["tool"] == name] for name in ("diffchaser_code", "triggerfinder_code"))
    found = query_counts.ratio(tool, other)
    # Logarithms -.105, -.223, -.357, .262 in one block and four positive ones in the other: 10 - 7 + 3... of 20.
    assert found.rank_biserial == pytest.approx((-1 - 2 - 4 + 3 + 10) / 20)
    assert found.p_min == pytest.approx(2 / 2**8)
    again = query_counts.ratio(tool.assign(input=tool["input"] % 100), other.assign(input=other["input"] % 100))
    assert (again.p, again.p_min) == (None, None)


def test_the_papers_factors_follow_from_its_table() -> None:
    papers = pd.read_csv(PUBLISHED / "triggerfinder_table2.csv")

    def of(what: str) -> dict[str, float]:
        pairs = list(zip(papers[f"diffchaser_{what}"], papers[f"triggerfinder_{what}"], strict=True))
        assert len(pairs) == 18
        return query_counts.factors(pairs)

    # As the text prints them: 289.8x (51.8x to 535.6x) and 43.8x; of times it prints up to 115.8 from unrounded ones.
    count, seconds = of("queries"), of("seconds")
    ends = [count[name] for name in ("factor", "factor_least", "factor_most")]
    assert ends == pytest.approx([289.8, 51.8, 535.6], rel=1e-3)
    assert [count["factor_of_averages"], count["factor_geometric"]] == pytest.approx([162.6, 238.6], rel=1e-3)
    means = [seconds[name] for name in ("factor", "factor_of_averages", "factor_geometric")]
    assert means == pytest.approx([43.8, 17.5, 29.4], rel=2e-3)
    assert papers["triggerfinder_queries"].mean() == pytest.approx(24.97, abs=0.005)
    assert papers["diffchaser_queries"].mean() == pytest.approx(4059.53, abs=0.005)
