"""Sentences that answer a target's question: they hold cells of the table, and say nothing that rows do not carry."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories import datasets, targets
from tests.unit.study.results.tables.conftest import unknown

from quantrift.core.page.arrangement import Names
from quantrift.core.page.shared_columns import SEARCHED
from quantrift.core.statistics.column import Column, with_interval
from quantrift.study.results.tables.answer_words import LISTED, Words, of_each, of_pairs, percent

SR = with_interval(Column("sr", "SR", "fraction"))
COLUMNS = (*SEARCHED, *SR, Column("p", "p", "p"), Column("p_holm", "p", "p"), Column("shift", "shift", "points"))
NAMES = Names({"pso": "PSO", "digits": "Digits", "sim": "Scene"}, frozenset({"sim"}))
WORDS = Words(COLUMNS, NAMES)


def row(dataset: str = "digits", tool: str = "pso", sr: str = "0.75", **more: str) -> dict[str, str]:
    own = {"dataset": dataset, "model": "net", "compression": "q", "tool": tool, "sr": sr}
    return {column.name: "" for column in COLUMNS} | own | more


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.75, "75"),
        (0.3611, "36.1"),
        (0, "0"),
        (1, "100"),
        (0.99999, "99.999"),
        (0.00004, "0.004"),
        (-0.021, "\u22122.1"),
    ],
)
def test_a_percentage_has_a_decimal_and_never_reads_0_or_100_where_it_is_neither(value: float, text: str) -> None:
    assert percent(value) == text


def test_each_tool_has_its_value_with_the_interval_and_simulated_data_are_called_so() -> None:
    rows = [row("sim", sr_low="0.66", sr_high="0.83"), row("sim", "random", "0.36"), row("sim", "ga", "")]
    [sentence] = of_each(None, rows, WORDS, "sr", "disagreements from {} of the seed inputs")
    assert sentence == (
        "Scene \u00b7 net \u00b7 q (simulated data): disagreements from 75\u00a0% [66, 83] of the seed "
        "inputs with PSO, 36\u00a0% with random."
    )


def test_of_many_subjects_the_least_and_the_most_are_told_and_of_many_tools_the_first() -> None:
    rows = [row(dataset, sr=sr) for dataset, sr in (("sim", "0.1"), ("a", "0.2"), ("b", "0.5"), ("c", "0.4"))]
    assert [*of_each(None, rows, WORDS, "sr", "{}")] == [
        "4 subjects (1 of simulated data): 10\u00a0% to 50\u00a0% with PSO."
    ]
    rows = [row(tool=f"tool_{number}") for number in range(LISTED + 2)]
    assert next(of_each(None, rows, WORDS, "sr", "{}")).endswith("with tool_4, and 2 more in the table.")


def test_what_rows_do_not_carry_is_left_out() -> None:
    assert [*of_each(None, [row(sr="")], WORDS, "sr", "{}")] == []
    assert [*of_each(None, [row(dataset="")], WORDS, "sr", "{}")] == [], "a mean over datasets"
    [sentence] = of_pairs(WORDS, [(row(), row(tool="ga"))], "sr", "SR", "")
    assert sentence.endswith("; not tested.")
    [sentence] = of_pairs(WORDS, [(row(p="0.01", shift="0.1"), row(tool="ga"))], "sr", "SR", "")
    assert sentence.endswith("; not a planned test.")
    [sentence] = of_pairs(WORDS, [(row(p_holm="0.03", shift="0.1"), row(tool="ga"))], "sr", "SR", "")
    assert sentence.endswith("; a significant difference (p 0.0300 after Holm's correction).")


def test_of_many_pairs_of_tools_the_first_are_told_and_the_others_counted() -> None:
    pairs = [(row(), row(tool=f"ga_{number}")) for number in range(LISTED + 2)]
    assert len(of_pairs(WORDS, pairs[:LISTED], "sr", "SR", "")) == LISTED
    assert of_pairs(WORDS, pairs[:-1], "sr", "SR", "")[LISTED:] == ["1 more comparison in the table."]
    assert of_pairs(WORDS, pairs, "sr", "SR", "")[LISTED:] == ["2 more comparisons in the table."]


def test_a_number_that_the_table_does_not_have_is_found() -> None:
    rows = [row(sr="0.7512")]
    assert unknown(["PSO: 75.1 % of 1 subject."], rows, COLUMNS, NAMES) == []
    assert len(unknown(["PSO: 75.2 % of 1 subject."], rows, COLUMNS, NAMES)) == 1
    assert len(unknown(["PSO: 75 %, of 12."], rows, COLUMNS, NAMES)) == 1


def test_the_answer_stands_beside_the_table(
    tmp_path: Path, write_metrics: Callable[..., Path], answers_say_what_their_tables_say: list[str]
) -> None:
    metrics = [write_metrics("random", [0, 1, 2, 3, 4, 5]), write_metrics("pso_div", [10, 11, 12, 13, 14, 15])]
    known = {"sim_pavia": datasets.scene("pavia_university", "Pavia-like")}
    given = targets.given({"metrics": targets.of_metrics(metrics)}, known, titles={"pso_div": "PSO"})
    stated = {"from": ["rq1"], "baseline": "random", "groups": {}}
    targets.table(tmp_path, given, kind="compare_to_baseline", **stated)
    assert answers_say_what_their_tables_say[0] == (
        "Pavia-like \u00b7 hybridsn \u00b7 ptq_int8 (simulated data): DiR 6.2\u00a0% [5, 7.5] with PSO, 1.2\u00a0% "
        "[0, 2.5] with random; no significant difference (p 0.1250 after Holm's correction)."
    )
