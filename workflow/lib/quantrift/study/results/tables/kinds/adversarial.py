"""Adversarial samples on which an original and its compressed model disagree."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from quantrift.core.networks.own.litert import SUFFIXES
from quantrift.core.page.number_format import distinct
from quantrift.core.page.number_format import whole as with_commas
from quantrift.core.page.shared_columns import SUBJECT
from quantrift.core.settings.references import AttackId
from quantrift.core.statistics.column import SCALE, Column, frame, key, published, with_interval
from quantrift.core.statistics.intervals import wilson
from quantrift.study.compression.adversarial_labels import Verdicts, read
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import of_each
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Published, SubjectTarget


class Settings(SubjectTarget, Published):
    """Number of adversarial samples of the original on which it and its compressed model disagree."""

    attacks: Annotated[list[AttackId], Field(min_length=1)]
    published: str | None = None
    """File of the paper's number in workflow/published, shown beside the mean in a column that says so."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Labels that both models of each subject give to adversarial samples."""
    return {"verdicts": results.verdicts(settings, settings.attacks)}


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Networks must have gradients, which attacks follow."""
    files = whole.models.files
    for group in settings.subjects or ():
        for model in whole.subjects[group].model:
            if model in files and files[model].original.path.endswith(SUFFIXES):
                yield (
                    f"subjects: attacks follow gradients, and models.{model} of '{group}' has a .tflite file; leave it "
                    "out, or give its .keras or .h5 file"
                )


KEYS = (*SUBJECT, key("attack", "Attack"))
SHARE = Column("differing_share", "Differing share", "fraction", "Share of all samples on which the models disagree.")
COLUMNS = (
    *KEYS,
    Column("attacked_inputs", "Inputs attacked", "count", "Test inputs from which a sample was made."),
    Column("differing_before", "Differ before", "count", "Attacked inputs with a disagreement before the attack."),
    Column(
        "n_fooled",
        "Fool the original",
        "count",
        "Samples that the original labels wrongly, of inputs that it labels correctly.",
    ),
    # The mean of counts is no whole number.
    Column("n_differing", "Differ", meaning="Samples on which the models disagree."),
    *with_interval(SHARE),
    Column(
        "n_differing_anew",
        "Differ anew",
        "count",
        "Samples on which the models disagree although they agree on the input behind it.",
    ),
    Column(
        "fooled_share",
        "Fooled, differ",
        "fraction",
        "Of the samples that fool the original, those on which the models disagree.",
    ),
    published(SHARE),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each subject and attack, then the mean over each dataset's rows beside the published mean."""
    names = tuple(column.name for column in KEYS)
    numbers = published_numbers.read(given.published, names)
    verdicts = given.one("verdicts")
    rows = [dict(zip(names, about, strict=True)) | _row(read(file)) for about, file in verdicts.items()]
    for dataset in dict.fromkeys(about[0] for about in verdicts):
        own = [row for row in rows if row["dataset"] == dataset]
        beside = published_numbers.beside(numbers, (dataset, "", "", ""), given.published_as)
        rows.append(
            dict.fromkeys(names, "")
            | {"dataset": dataset}
            | {name: sum(row[name] for row in own) / len(own) for name in ("n_differing", "differing_share")}
            | {f"published_{name}": value for name, value in beside.items()}
        )
    data = frame(rows, COLUMNS).assign(scale=given.scale)
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: none, each input is attacked once. Test inputs attacked: "
            f"{distinct(data['attacked_inputs'], with_commas)}. A row without a network is the mean of all rows of its "
            "dataset.",
            "The published number is a mean over networks that the paper does not name, and both attacks."
            if given.published
            else "",
        ],
    )


answer = partial(
    of_each,
    column="differing_share",
    template="the models disagree on {} of the samples",
    key="attack",
    join=" of ",
)
"""The share of samples of each attack on which the models disagree."""


def _row(found: Verdicts) -> dict[str, Any]:
    low, high = wilson(found.differing, found.attacked)
    return {
        "attacked_inputs": found.attacked,
        "differing_before": found.differing_before,
        "n_fooled": found.fooled,
        "n_differing": found.differing,
        "differing_share": found.differing / found.attacked,
        "differing_share_low": low,
        "differing_share_high": high,
        "n_differing_anew": found.differing_anew,
        "fooled_share": found.fooled_differing / found.fooled if found.fooled else None,
    }
