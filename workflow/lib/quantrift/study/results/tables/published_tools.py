"""Published numbers of tools on subjects: beside our rows, or in rows of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.datasets import Dataset
from quantrift.core.statistics.published import SUBJECT, have_published, published_dataset, read_published

Rows = list[dict[str, Any]]
Subject = tuple[str, ...]
Published = Mapping[Subject, Mapping[str, Mapping[str, float]]]
"""Subject -> tool -> name of the number -> number. A subject without names is what the paper states of all."""


def read(published: Path | None, allowed: Sequence[str]) -> dict[Subject, dict[str, dict[str, float]]]:
    """The numbers of a file with columns ``<tool>_<what>``.

    Args:
        published: the file, if any.
        allowed: endings that a column may have.

    Raises:
        QuantriftError: a column has another ending.
    """
    found: dict[Subject, dict[str, dict[str, float]]] = {}
    for subject, numbers in read_published(published, SUBJECT).items():
        for column, value in numbers.items():
            endings = [one for one in allowed if column.endswith(f"_{one}")]
            if not endings:
                raise QuantriftError(f"{published}: column '{column}' ends with none of {', '.join(allowed)}")
            what = max(endings, key=len)
            found.setdefault(subject, {}).setdefault(column.removesuffix(f"_{what}"), {})[what] = value
    return found


def beside(
    rows: Rows, papers: Published, shown: Sequence[str], names: Mapping[str, str], datasets: Mapping[str, Dataset]
) -> Rows:
    """The rows with published numbers, then rows that only the papers have: tools of a subject, and other subjects.

    Subjects are of the datasets of the rows. A row that only a paper has bears the id of the tool of ours beside
    which its other numbers stand, so that both have one name.

    Args:
        rows: with names of subject and ``tool``, those of a subject together.
        papers: published numbers.
        shown: the numbers shown, in columns ``published_<what>``.
        names: tool -> its name in the file, where that is another.
        datasets: settings, which name the published dataset that each stands for.
    """
    subjects: dict[Subject, Rows] = {}
    for row in rows:
        subjects.setdefault(tuple(str(row[key]) for key in SUBJECT), []).append(row)
    filed = {(published_dataset(subject[0], datasets), *subject[1:]): subject for subject in subjects}
    of = {subject[0] for subject in filed} - {""}
    if have_published([subject[0] for subject in subjects], datasets):
        # A mean over datasets bears no name of one.
        of.add("")
    for subject in papers:
        if subject[0] in of:
            subjects.setdefault(filed.get(subject, subject), [])
    ours = {name: tool for tool, name in names.items()}
    found: Rows = []
    for subject, own in subjects.items():
        numbers = papers.get((published_dataset(subject[0], datasets), *subject[1:]), {})
        for row in own:
            of_tool = numbers.get(names.get(row["tool"], row["tool"]), {})
            found.append(row | {f"published_{what}": of_tool.get(what) for what in shown})
        ran = {names.get(row["tool"], row["tool"]) for row in own}
        keys = dict(zip(SUBJECT, subject, strict=True))
        found += [
            keys | {"tool": ours.get(tool, tool)} | {f"published_{what}": values.get(what) for what in shown}
            for tool, values in numbers.items()
            if tool not in ran
        ]
    return found
