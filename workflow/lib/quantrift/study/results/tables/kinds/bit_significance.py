"""Tests of accuracy between numbers of bits, beside the thesis's statements (Section 4.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.settings.references import StudyId
from quantrift.core.statistics import bit_study_accuracy, statistics
from quantrift.core.statistics.bit_study_accuracy import Distribution, counterpart
from quantrift.core.statistics.bit_tests import against_published, anova, significant, welch
from quantrift.core.statistics.column import SCALE, Column, end, frame, key
from quantrift.core.statistics.statistics import ALPHA
from quantrift.study.results.tables import bit_rows, published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject
from quantrift.study.results.tables.finished_table import Detail, Table, adjust
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.target import BitTarget, with_paired


class Settings(BitTarget):
    """Tests of differences in accuracy, within a study and between counterparts of two studies."""

    within: bool = True
    """Whether the settings of each study are compared with each other."""
    paired: Annotated[dict[StudyId, StudyId], Field(alias="against", default_factory=dict)]
    """Study -> study whose settings are the counterparts of its own: the same shares of other numbers of bits, or two
    adjacent numbers of bits of the same mean."""

    @property
    def needed(self) -> list[str]:
        """See ``StudyTarget``."""
        return with_paired(self.studies, self.paired)

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {"neither within nor against: nothing is compared; give one of them": not (self.within or self.paired)}


needs = over_bit_studies.accuracies


KEYS = ("dataset", "model", "study", "against", "distribution")
"""Columns that name a row, in the table and in the file of the thesis's statements; ``against`` is empty within one."""
CHAPTERS = {"": "chapter 4", "_discussion": "chapter 5"}
"""Suffix of a column -> section of the thesis."""
VERDICTS = ("agrees", "differs", "undecided")
DIFFERENCE = Column(
    "accuracy_difference",
    "Difference",
    "points",
    "The counterpart's mean accuracy less the setting's, with its 95 % interval.",
    low="difference_low",
    high="difference_high",
)
P = {column.name: column for column in statistics.COLUMNS}
DETAILS = ("statements",)
COLUMNS = (
    *bit_rows.NAMED[:3],
    key("against", "Against", "Study of the counterparts; empty in an analysis of variance."),
    key("distribution", "Distribution", "Short name of the setting.", "text"),
    key("setting", "Setting", "Numbers of bits of the weights."),
    Column(
        "other_setting",
        "Counterpart",
        "id",
        "Setting with the same shares of other numbers of bits, or with two adjacent numbers of bits of the same mean.",
    ),
    Column("groups", "Groups", "count", "Settings compared."),
    Column("repetitions", "Repetitions", "count", "Repetitions of all groups together.", "runs"),
    Column("accuracy", "Accuracy", "fraction", "Mean over repetitions."),
    Column("other_accuracy", "Accuracy of the counterpart", "fraction", "Mean over repetitions."),
    DIFFERENCE,
    end("difference_low", DIFFERENCE),
    end("difference_high", DIFFERENCE),
    *statistics.columns(
        "Accuracy",
        of=(
            Column("statistic", "statistic", "number", "F of the analysis of variance; t of Welch's test."),
            Column("freedom", "degrees of freedom", "number", "Within the groups."),
            Column("effect", "eta squared", "effect", "Share of the variance that lies between the groups."),
            P["p"],
            P["p_holm"],
            Column("kruskal_p", "p, ranks", "p", "Kruskal and Wallis's rank test of the same groups, as a check."),
        ),
    ),
    Column(
        "significant",
        "Significant",
        "text",
        "Whether the difference is significant at 5 %; undecided where it is so only before Holm's correction.",
    ),
    *(
        column
        for suffix, chapter in CHAPTERS.items()
        for column in (
            Column(
                f"published_significant{suffix}",
                f"significant, {chapter}",
                "flag",
                "Whether the thesis calls the difference significant there.",
                "published",
                as_number=True,
            ),
            Column(
                f"verdict{suffix}", f"Verdict, {chapter}", "text", "Whether our finding agrees with the published one."
            ),
        )
    ),
    SCALE,
)
COUNTS = (
    *bit_rows.NAMED[:2],
    *(
        Column(f"{word}{suffix}", f"{chapter}: {word}", "count")
        for suffix, chapter in CHAPTERS.items()
        for word in VERDICTS
    ),
)
"""Columns that count the statements of the thesis by verdict."""


def make(settings: Settings, given: Given) -> Table:
    """For each dataset and network a row of each study, then of each setting and its counterpart.

    Holm's correction is over the table. How many statements of the thesis agree is a detail.
    """
    found = bit_study_accuracy.clean(bit_study_accuracy.load(given.files["accuracies"]))
    bits = over_bit_studies.distributions(given.stated)
    rows = [
        {"dataset": str(dataset), "model": str(model)} | row
        for (dataset, model), own in found.groupby(["dataset", "model"], sort=False)
        for row in _rows(settings, own, bits)
    ]
    numbers = published_numbers.read(given.published, KEYS)
    adjust(rows, "p")
    for row in rows:
        said = published_numbers.beside(numbers, tuple(str(row[name]) for name in KEYS), given.published_as)
        ours = significant(row["p"], row["p_holm"])
        row |= {"significant": ours or "", "scale": given.scale}
        for suffix in CHAPTERS:
            theirs = said.get(f"significant{suffix}")
            row |= {f"published_significant{suffix}": theirs, f"verdict{suffix}": against_published(ours, theirs)}
    data = frame(rows, COLUMNS)
    return Table(
        data,
        COLUMNS,
        [*bit_rows.notes(found, given), *_explanation(data)],
        details={"statements": Detail("Statements of the thesis", _counts(data), COUNTS)},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Numbers of tests by outcome."""
    return [
        f"{words.where(own)}: significant after Holm's correction in {sums['yes']}, only before it in "
        f"{sums['undecided']}, and not in {sums['no']} of {len(own)} tests."
        for own in by_subject([row for row in rows if row["significant"]])
        for sums in [Counter(row["significant"] for row in own)]
    ]


def _rows(settings: Settings, found: pd.DataFrame, bits: Mapping[str, Distribution]) -> Iterator[dict[str, Any]]:
    """The comparisons of one dataset and network."""
    of_study = {study: list(dict.fromkeys(own["setting"])) for study, own in found.groupby("study", sort=False)}
    for study in settings.studies if settings.within else ():
        if study in of_study:
            groups = [bit_study_accuracy.values(found, study, setting) for setting in of_study[study]]
            # They are empty in an analysis of variance.
            yield (
                dict.fromkeys(("against", "distribution", "setting", "other_setting"), "")
                | {"study": study, "groups": len(groups), "repetitions": sum(map(len, groups))}
                | anova(groups)
            )
    for study, other in settings.paired.items():
        if study not in of_study or other not in of_study:
            continue
        short = bit_study_accuracy.short_names(of_study[study])
        candidates = {name: bits[name] for name in of_study[other]}
        for setting in of_study[study]:
            if (partner := counterpart(bits[setting], candidates)) is None:
                continue
            first, second = (bit_study_accuracy.values(found, *one) for one in ((study, setting), (other, partner)))
            yield {
                "study": study,
                "against": other,
                "distribution": short[setting],
                "setting": setting,
                "other_setting": partner,
                "groups": 2,
                "repetitions": len(first) + len(second),
                "accuracy": first.mean(),
                "other_accuracy": second.mean(),
            } | welch(first, second)


def _explanation(data: pd.DataFrame) -> list[str]:
    """Notes: tests, adjustment, meaning of a verdict."""
    return [
        "Unit: the repetition. Within a study: one-way analysis of variance. Between a setting and its counterpart: "
        "Welch's t-test, whose variances may differ. Check: Kruskal and Wallis's rank test of the same groups. Holm "
        f"over the {int(data['p'].notna().sum())} tests of this table.",
        (
            f"The thesis calls a raw p below {ALPHA:g} significant. Here a difference is significant (yes) where the "
            "adjusted p is below it, not significant (no) where the raw p is not, and otherwise undecided. A verdict "
            "says whether that agrees with the thesis, which states no p-values."
        )
        if data[[f"published_significant{suffix}" for suffix in CHAPTERS]].notna().any(axis=None)
        else "",
    ]


def _counts(data: pd.DataFrame) -> pd.DataFrame:
    """Verdicts of each dataset and network; no rows without any verdict."""
    if (data[[f"verdict{suffix}" for suffix in CHAPTERS]] == "").all(axis=None):
        return frame([], COUNTS)
    counted = data[["dataset", "model"]].assign(
        **{f"{word}{suffix}": data[f"verdict{suffix}"] == word for suffix in CHAPTERS for word in VERDICTS}
    )
    sums = counted.groupby(["dataset", "model"], sort=False).sum().reset_index()
    return frame(sums.to_dict("records"), COUNTS)
