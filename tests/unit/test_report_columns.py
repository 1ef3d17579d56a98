"""What column names are taken to mean."""

import pytest

from quantrift.report.columns import describe


@pytest.mark.parametrize(
    ("name", "group", "kind"),
    [
        ("dir", "measured", "fraction"),
        ("dir_unique_net", "measured", "fraction"),
        ("accuracy_original", "measured", "fraction"),
        ("int8_mac_share", "measured", "fraction"),
        ("queries", "measured", "number"),
        ("size_bytes_original", "measured", "bytes"),
        ("published_dir", "published", "fraction"),
        ("train_inputs", "measured", "number"),
        ("published_train", "published", "number"),
        ("published_accuracy_original", "published", "fraction"),
        ("published_accuracy", "published", "fraction"),
        ("dir_low", "statistics", "fraction"),
        ("dir_valid_p_holm", "statistics", "p"),
        ("p_as_published", "statistics", "p"),
        ("vr_a12", "statistics", "number"),
        ("vr_shift_low", "statistics", "points"),
        ("dir_pooled", "measured", "fraction"),
        ("dir_pooled_high", "statistics", "fraction"),
        ("pairs", "statistics", "number"),
        ("published_p_below", "published", "p"),
        ("published_a12_above", "published", "number"),
        ("run_seeds", "runs", "number"),
        ("subjects", "runs", "number"),
        ("differing_share_low", "statistics", "fraction"),
        ("fdi_restricted", "measured", "number"),
    ],
)
def test_group_and_kind_follow_from_the_name(name: str, group: str, kind: str) -> None:
    column = describe(name, numeric=True)
    assert (column.group, column.kind) == (group, kind)


def test_a_column_of_text_is_never_a_number() -> None:
    assert describe("dir_magnitude", numeric=False).kind == "text"


def test_headings_are_words_for_people() -> None:
    assert describe("published_dir", numeric=True).label == "DiR"
    assert describe("published_accuracy_original", numeric=True).label == "Accuracy original"
    assert describe("something_else", numeric=True).label == "Something else"


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_sizes_are_explained_alike_whether_ours_or_published(part: str) -> None:
    ours, theirs = describe(f"{part}_inputs", numeric=True), describe(f"published_{part}", numeric=True)
    assert (ours.label, ours.meaning) == (theirs.label, theirs.meaning)
    assert ours.meaning


@pytest.mark.parametrize(
    ("name", "part", "label"),
    [
        ("dir_valid_p_holm", "DiR valid", "p Holm"),
        ("dir_pooled_low", "DiR", "pooled low"),
        ("odds_ratio_rests_on", "Odds ratio", "rests on"),
        ("dir_low", "DiR", "low"),
        ("p_as_published", "DiR", "p as published"),
        ("queries_mean", "Queries", "mean"),
        ("some_share_high", "Some share", "high"),
        ("vr_p_exact", "Other", "Vr p exact"),
    ],
)
def test_a_statistic_says_what_it_is_of(name: str, part: str, label: str) -> None:
    column = describe(name, numeric=True)
    assert (column.part, column.label) == (part, label)
