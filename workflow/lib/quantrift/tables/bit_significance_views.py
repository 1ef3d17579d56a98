"""What people see of a table of kind ``bit_significance``."""

from collections.abc import Iterable, Mapping

import pandas as pd

from quantrift.config.bit_targets import SignificanceTable
from quantrift.config.datasets import Dataset
from quantrift.metrics.bit_tests import ALPHA
from quantrift.tables import printed
from quantrift.tables.text import missing, p_value, percent, plain, whole
from quantrift.tables.write import View

VERDICTS = ("agrees", "differs", "undecided")
CHAPTERS = {"": "chapter 4", "_discussion": "chapter 5"}
"""Suffix of a column -> where the thesis says it."""


def explanation(target: SignificanceTable, data: pd.DataFrame) -> list[str]:
    """Lines above the cells: the tests, the adjustment, what a verdict means."""
    tests = int(data["p"].notna().sum())
    lines = [
        "Unit: the repetition. Within a study: one-way analysis of variance. Between a setting and its counterpart: "
        "Welch's t-test, whose variances may differ. Check: Kruskal and Wallis's rank test of the same groups. Holm "
        f"over the {tests} tests of this table."
    ]
    if data[[f"published_significant{suffix}" for suffix in CHAPTERS]].notna().any(axis=None):
        lines.append(
            f"The thesis calls raw p below {ALPHA:g} significant. Ours is: yes, where the adjusted p is; no, where "
            "the raw one is not; undecided between. A verdict says whether that agrees with what is printed; the "
            "thesis prints no p-values."
        )
    return lines


def views(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> list[View]:
    """Counts of verdicts, then the rows within studies, and those between."""
    shown = []
    if (data["verdict"] != "").any() or (data["verdict_discussion"] != "").any():
        shown.append(_counts(data, datasets))
    within, between = data[data["against"] == ""], data[data["against"] != ""]
    if len(within):
        shown.append(View.of("Within a study", _keys(within, datasets) | _within(within) | _said(within)))
    if len(between):
        shown.append(View.of("Between counterparts", _keys(between, datasets) | _between(between) | _said(between)))
    return shown


def _counts(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    rows = []
    for (dataset, model), own in data.groupby(["dataset", "model"], sort=False):
        row = {"dataset": printed.title(str(dataset), datasets), "network": str(model)}
        for suffix, chapter in CHAPTERS.items():
            row |= {f"{chapter}: {word}": str((own[f"verdict{suffix}"] == word).sum()) for word in VERDICTS}
        rows.append(row)
    return View("Statements of the thesis", pd.DataFrame(rows))


def _keys(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> dict[str, Iterable[str]]:
    return {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"],
        "study": data["study"],
    }


def _within(data: pd.DataFrame) -> dict[str, Iterable[str]]:
    degrees = zip(data["groups"], data["freedom"], strict=True)
    return {
        "groups": map(whole, data["groups"]),
        "degrees of freedom": ["" if missing(last) else f"{int(first) - 1}, {last:g}" for first, last in degrees],
        "F": map(plain, data["statistic"]),
        "eta squared": map(plain, data["effect"]),
    }


def _between(data: pd.DataFrame) -> dict[str, Iterable[str]]:
    intervals = zip(data["accuracy_difference"], data["difference_low"], data["difference_high"], strict=True)
    return {
        "against": data["against"],
        "distribution": data["distribution"],
        "its counterpart": data["other_setting"],
        "accuracy %": map(percent, data["accuracy"]),
        "of the counterpart %": map(percent, data["other_accuracy"]),
        "difference, points [95 %]": [_points(*one) for one in intervals],
        "t": map(plain, data["statistic"]),
        "degrees of freedom": map(plain, data["freedom"]),
    }


def _points(difference: float, low: float, high: float) -> str:
    interval = "" if missing(low) else f" [{100 * low:+.2f}, {100 * high:+.2f}]"
    return "" if missing(difference) else f"{100 * difference:+.2f}{interval}"


def _said(data: pd.DataFrame) -> dict[str, Iterable[str]]:
    cells: dict[str, Iterable[str]] = {
        "p": map(p_value, data["p"]),
        "p, Holm": map(p_value, data["p_holm"]),
        "p, ranks": map(p_value, data["kruskal_p"]),
        "significant": data["significant"],
    }
    for suffix, chapter in CHAPTERS.items():
        theirs = data[f"published_significant{suffix}"]
        if theirs.notna().any():
            cells[f"published, {chapter}"] = ["" if missing(one) else ("yes" if one else "no") for one in theirs]
            cells[f"verdict, {chapter}"] = data[f"verdict{suffix}"]
    return cells
