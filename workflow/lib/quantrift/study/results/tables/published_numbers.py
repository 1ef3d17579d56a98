"""Published numbers in a table of ours: beside the row they belong to, or in a row of their own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from quantrift.core.base.errors import refuse
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.study.results.tables.answer_words import grouped, subject_of

Key = tuple[str, ...]
"""Key of a row: dataset, then network and whatever else names it."""
Published = Mapping[Key, Mapping[str, float]]
OfTools = Mapping[Key, Mapping[str, Mapping[str, float]]]
"""Subject -> tool -> name of the number -> number. A subject without names is what the paper states of all."""
Rows = list[dict[str, Any]]
T = TypeVar("T")


def read(files: Sequence[Path], keys: Key) -> Published:
    """Row -> its published numbers, in the order of the files; a later file's row goes over an earlier one's."""
    return {row: numbers for file in files for row, numbers in read_published(file, keys).items()}


def beside(papers: Published, row: Key, published_as: Mapping[str, str]) -> Mapping[str, float]:
    """Published numbers of a row of ours, by name; empty where there are none."""
    return papers.get(filed(row, published_as), {})


def cells(numbers: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Published ones of some numbers, by the names of their columns."""
    return {f"published_{name}": numbers[name] for name in names if name in numbers}


def alone(
    papers: Mapping[Key, T], rows: Iterable[Key], published_as: Mapping[str, str], wanted: bool | Literal["all"] = True
) -> dict[Key, T]:
    """Published rows without a row of ours, if wanted: those of the datasets of our rows, or all of them."""
    shown = {filed(row, published_as) for row in rows}
    of = {row[0] for row in shown} if wanted else set()
    return {row: numbers for row, numbers in papers.items() if row not in shown and (wanted == "all" or row[0] in of)}


def beside_and_alone(
    rows: Mapping[Key, dict[str, Any]],
    papers: Published,
    keys: Sequence[str],
    shown: Sequence[str],
    published_as: Mapping[str, str],
    wanted: bool | Literal["all"],
) -> Rows:
    """Rows of ours with published numbers beside them, then those that only the papers have.

    Args:
        rows: by key.
        papers: published numbers.
        keys: columns of the parts of a key.
        shown: the numbers shown, in columns ``published_<name>``.
        published_as: id -> id of its published numbers, where that is another.
        wanted: see ``alone``.
    """
    return [
        *(
            dict(zip(keys, name, strict=True)) | row | cells(beside(papers, name, published_as), shown)
            for name, row in rows.items()
        ),
        *(
            dict(zip(keys, name, strict=True)) | cells(theirs, shown)
            for name, theirs in alone(papers, rows, published_as, wanted).items()
        ),
    ]


def filed(row: Key, published_as: Mapping[str, str]) -> Key:
    """The name of a row in files of published numbers; ``published_as`` as in ``Given``."""
    return tuple(published_as.get(name, name) for name in row)


def read_of_tools(published: Path | None, allowed: Sequence[str]) -> OfTools:
    """The numbers of a file with columns ``<tool>_<what>``.

    Args:
        published: the file, if any.
        allowed: endings that a column may have.

    Raises:
        QuantriftError: a column has another ending.
    """
    found: dict[Key, dict[str, dict[str, float]]] = {}
    for subject, numbers in read_published(published, SUBJECT).items():
        for column, value in numbers.items():
            what = max((one for one in allowed if column.endswith(f"_{one}")), key=len, default="")
            refuse((not what, f"{published}: column '{column}' ends with none of {', '.join(allowed)}"))
            found.setdefault(subject, {}).setdefault(column.removesuffix(f"_{what}"), {})[what] = value
    return found


def beside_tools(
    rows: Iterable[dict[str, Any]],
    papers: OfTools,
    shown: Sequence[str],
    names: Mapping[str, str],
    published_as: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """The rows with published numbers, then rows that only the papers have: tools of a subject, and other subjects.

    Subjects are of the datasets of the rows. A row that only a paper has bears the id of the tool of ours beside
    which its other numbers stand, so that both have one name.

    Args:
        rows: with names of subject and ``tool``, those of a subject together.
        papers: published numbers.
        shown: the numbers shown, in columns ``published_<what>``.
        names: tool -> its name in the file, where that is another.
        published_as: id -> id of its published numbers, where that is another.
    """
    subjects = grouped(rows, subject_of)
    ours = {filed(subject, published_as): subject for subject in subjects}
    # A mean over datasets bears no name of one.
    means = {""} if any(subject[0] in published_as for subject in subjects) else set()
    of = {subject[0] for subject in ours} - {""} | means
    tools = {name: tool for tool, name in names.items()}
    for subject in dict.fromkeys([*subjects, *(ours.get(one, one) for one in papers if one[0] in of)]):
        own = subjects.get(subject, [])
        numbers = papers.get(filed(subject, published_as), {})
        ran = {names.get(row["tool"], row["tool"]) for row in own}
        yield from (row | cells(numbers.get(names.get(row["tool"], row["tool"]), {}), shown) for row in own)
        keys = dict(zip(SUBJECT, subject, strict=True))
        yield from (
            keys | {"tool": tools.get(tool, tool)} | cells(values, shown)
            for tool, values in numbers.items()
            if tool not in ran
        )
