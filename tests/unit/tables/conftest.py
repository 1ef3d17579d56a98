"""Every table that a test here makes is held to its answer: no number in it that the table does not have.

One table of each kind is held word by word, in ``as_written``. Where ``QUANTRIFT_AS_WRITTEN`` is set, these files are
written anew, for a reader of their changes to judge.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from quantrift.metrics.column import Columns
from quantrift.tables import make_table
from quantrift.tables.arrangement import records
from quantrift.tables.finished_table import write
from quantrift.tables.number_format import number
from quantrift.targets.display_names import Names
from quantrift.targets.table_meaning import meaning_of

NUMBER = re.compile(r"(?<![\w.])[\u2212+]?\d[\d\u202f]*(?:\.\d+)?(?:e[-+]\d+)?")


AS_WRITTEN = Path(__file__).parent / "as_written"
HELD = {
    "activation": "test_odds_ratios_stand_by_tool_and_pooled",
    "adversarial": "test_samples_have_a_row_each_and_the_paper_stands_beside_the_mean",
    "bit_accuracies": "test_accuracies_stand_beside_the_published_ones",
    "bit_distributions": "test_what_was_drawn_stands_beside_distribution_and_budget",
    "bit_robustness": "test_a_claim_quotes_its_weakest_setting_and_the_strongest_other_at_each_strength",
    "bit_significance": "test_significance_within_and_between_studies_is_compared_with_the_thesis",
    "calibration": "test_a_row_is_a_distortion_and_the_last_all_together_beside_the_published_rates",
    "certified": "test_rows_are_what_the_sets_say",
    "checkers": "test_a_difference_of_ranks_is_to_the_checker_that_is_named",
    "claims": "test_a_reason_stands_where_a_claim_does_not_hold_alone",
    "compare_groups": "test_pages_show_the_rates_asked_for_and_no_times",
    "compare_to_baseline": "test_a_group_of_one_tool_asks_the_question_of_that_tool_once",
    "compression": "test_compressed_networks_stand_beside_published_accuracies_and_the_other_pairs_follow",
    "difference_counts": "test_the_papers_counts_stand_beside_ours_and_alone_where_nothing_was_run",
    "divergence": "test_readers_see_networks_searches_and_attacks",
    "findings": "test_spread_is_told_from_a_table_of_distances",
    "first_attack": "test_what_only_the_paper_has_is_empty_here",
    "mended": "test_the_verdict_stands_beside_the_mended_network",
    "minimal_distortions": "test_the_table_of_a_real_search_adds_up",
    "models": "test_networks_that_only_the_paper_has_follow_on_all_datasets_where_asked_for_without_values_of_ours",
    "psnr_of_dii": "test_an_input_that_equals_its_seed_input_is_kept_and_has_an_infinite_psnr",
    "queries": "test_factors_over_subjects_are_those_of_the_paper_and_ours",
    "readings": "test_a_reading_joins_the_tools_that_read_the_settings_alike",
    "repair": "test_a_repair_is_a_share_of_the_other_half_with_its_control",
    "settings": "test_every_setting_stands_beside_those_of_other_tools",
    "success_rates": "test_one_published_number_may_stand_beside_two_tools",
    "targeted": "test_every_pair_of_an_input_and_another_class_is_counted",
    "uncertainty_tests": "test_time_to_the_first_is_in_proportion_and_in_the_timing_file",
    "vector_distances": "test_fewer_vectors_than_asked_for_are_stated",
}
"""Kind of table -> the test whose first table of the kind is held."""
COMPUTED = ("activation", "minimal_distortions", "vector_distances")
"""Kinds whose numbers come from a trained network here, and depend on the processor; their notes alone are held."""


def spoken(sentence: str, named: Sequence[str]) -> list[str]:
    """The numbers of a sentence; those in names are none."""
    for name in sorted(filter(None, named), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", sentence)
    return NUMBER.findall(re.sub("in 8 bits", "", sentence))


def equals(text: str, value: float, scale: float) -> bool:
    """Whether a number as it is spoken is a value, rounded to the digits that are spoken."""
    plain = text.replace("\u2212", "-").replace("\u202f", "")
    digits = len(plain.partition("e")[0].partition(".")[2])
    half = 0.5000001 * 10.0 ** (int(plain.partition("e")[2] or 0) - digits)
    return abs(float(plain) - scale * value) <= half


def unknown(answer: Sequence[str], rows: Sequence[Mapping[str, str]], columns: Columns, names: Names) -> list[str]:
    """Numbers of an answer that are neither a cell of the table nor a number of its rows."""
    words = [cell for row in rows for cell in row.values() if number(cell) is None]
    named = [*words, *names.titles.values(), *names.titles, *(column.label for column in columns)]
    cells = [
        (value, 100.0 if column.kind in ("fraction", "points") else 1.0)
        for row in rows
        for column in columns
        if (value := number(row[column.name])) is not None
    ]
    return [
        f"{text} in: {sentence}"
        for sentence in answer
        for text in spoken(sentence, [name.replace("_", " ") for name in named] + named)
        if not any(equals(text, value, scale) for value, scale in cells)
        and not (text.isdigit() and int(text) <= len(rows))
    ]


@pytest.fixture(autouse=True)
def answers_say_what_their_tables_say(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[str]:
    """The sentences of all tables that the test made."""
    told: list[str] = []
    seen: set[str] = set()

    def checked(table: Any, title: str, caption: str, stem: Path, names: Names, *more: Any) -> None:
        write(table, title, caption, stem, names, *more)
        meaning = meaning_of(stem.with_name(f"{stem.name}.csv"))
        own = names.with_own(meaning.names)
        assert unknown(meaning.answer, records(stem.with_name(f"{stem.name}.csv")), meaning.columns, own) == []
        told.extend(meaning.answer)
        if HELD.get(stem.name) == request.node.name and stem.name not in seen:
            seen.add(stem.name)
            _check_as_written(stem, meaning.answer)

    monkeypatch.setattr(make_table, "write", checked)
    return told


def _check_as_written(stem: Path, answer: Sequence[str]) -> None:
    file = AS_WRITTEN / f"{stem.name}.md"
    lines = [*stem.with_name(f"{stem.name}.md").read_text(encoding="utf-8").splitlines(), *answer]
    if stem.name in COMPUTED:
        lines = [re.sub(r"\d[\d.,]*", "#", line) for line in lines if not line.startswith("|") and line not in answer]
    if os.environ.get("QUANTRIFT_AS_WRITTEN"):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == file.read_text(encoding="utf-8").splitlines()
