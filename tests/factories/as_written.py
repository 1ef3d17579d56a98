"""Words of one table and one figure of each kind, as they stand in ``tests/as_written``.

Where ``QUANTRIFT_AS_WRITTEN`` is set, these files are written anew, for a reader of their changes to judge.
"""

import difflib
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.factories.places import ROOT

FOLDER = ROOT / "tests" / "as_written"
TABLES = {
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
    "margins": "test_a_tool_that_searched_a_subject_has_its_success_beside",
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
FIGURES = {
    "accuracy_by_bits": "test_figures_of_accuracies_show_controls_and_published_numbers",
    "bit_shares": "test_shares_need_no_network",
    "boxes": "test_published_medians_are_labelled_so",
    "cell_verdicts": "test_a_subject_without_a_cell_stays_empty_and_the_file_is_the_same_twice",
    "checker_shares": "test_the_figure_has_the_checkers_that_ran_from_the_best_down",
    "checkers_by_rarity": "test_faults_that_act_on_few_inputs_stand_in_a_figure_of_their_own",
    "claim_outcomes": "test_the_figure_has_a_bar_for_each_claim_with_its_numbers_of_cells",
    "cooccurrence": "test_a_panel_names_its_tool_and_both_kinds_of_candidates",
    "forest": "test_several_tables_stand_below_their_titles_and_the_file_is_the_same_twice",
    "layer_errors": "test_equal_errors_give_equal_files",
    "layer_errors_dii": "test_two_tools_of_one_title_keep_their_lines",
    "learning_curves": "test_many_networks_stand_in_rows_of_three_without_empty_panels",
    "psnr_curves": "test_panels_lines_and_the_threshold_are_named",
    "published_against_measured": "test_a_table_without_published_numbers_gives_words_and_equal_tables_equal_files",
    "query_histograms": "test_panels_name_tools_failures_and_scale",
    "recall_curves": "test_a_panel_is_a_neighbourhood_and_one_without_disagreement_says_so",
    "robustness_by_strength": "test_figures_of_attacks_have_a_panel_for_each_attack",
    "success_curves": "test_curves_name_their_compressions_and_mark_what_is_published",
    "targeted_grid": "test_the_grid_shows_what_was_found_and_crosses_the_rest",
    "tsne": "test_a_perplexity_too_large_for_the_vectors_is_lowered_and_said",
    "uncertainty_boxes": "test_the_figure_has_a_column_a_network_and_says_how_many_found_nothing",
}
"""Likewise of figures; a gallery says what the searches of a trained network found, which depends on the processor."""
COMPUTED = ("activation", "cooccurrence", "minimal_distortions", "tsne", "vector_distances")
"""Kinds whose numbers come from a trained network here, and depend on the processor; other words alone are held."""
_seen: set[Path] = set()


def check_table(stem: Path, answer: Sequence[str]) -> None:
    """Its Markdown file and its answer, where the present test is the one that holds its kind."""
    lines = [*stem.with_name(f"{stem.name}.md").read_text(encoding="utf-8").splitlines(), *answer]
    if stem.name in COMPUTED:
        lines = [re.sub(r"\d[\d.,]*", "#", line) for line in lines if not line.startswith("|") and line not in answer]
    _check(TABLES, stem, FOLDER / "tables" / f"{stem.name}.md", lines)


def check_figure(stem: Path, size: str, texts: Sequence[str]) -> None:
    """Likewise the size of a figure and all its text, in the order in which it is drawn."""
    if stem.name in COMPUTED:
        texts = sorted({text for text in texts if not re.search(r"\d", text)})
    _check(FIGURES, stem, FOLDER / "figures" / f"{stem.name}.txt", [size, *texts])


def _check(held: dict[str, str], stem: Path, file: Path, lines: list[str]) -> None:
    test = os.environ["PYTEST_CURRENT_TEST"].partition(" ")[0].rpartition("::")[2]
    if held.get(stem.name) != test or file in _seen:
        return
    _seen.add(file)
    if os.environ.get("QUANTRIFT_AS_WRITTEN"):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    changes = difflib.unified_diff(file.read_text(encoding="utf-8").split("\n")[:-1], lines, "as written", "now", n=0)
    if told := "\n".join(changes):
        pytest.fail(f"{file.relative_to(ROOT)}:\n{told}", pytrace=False)
