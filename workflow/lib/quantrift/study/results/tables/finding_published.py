"""Signs of the differences between published numbers that a hypothesis compares."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.published import read_published
from quantrift.study.results.tables.measured_runs import Subject
from quantrift.study.results.targets.hypotheses import Hypothesis, PublishedComparison, Side


@dataclass(frozen=True)
class PublishedCell:
    """Two published numbers that a hypothesis compares."""

    label: str
    """Label of the hypothesis."""
    metric: str
    file: str
    columns: tuple[str, str]
    """Column of the side that should be larger, and of the other."""
    subject: Subject
    """Subject of the side that should be larger; "" where the paper pools."""
    other: Subject
    larger: float
    smaller: float

    @property
    def verdict(self) -> str:
        """``for``, ``against`` or ``equal``."""
        if self.larger == self.smaller:
            return "equal"
        return "for" if self.larger > self.smaller else "against"


def published_cells(hypotheses: Mapping[str, Hypothesis], files: Sequence[Path]) -> list[PublishedCell]:
    """Every pair of published numbers that a hypothesis compares.

    Args:
        hypotheses: label -> hypothesis.
        files: those that the hypotheses name.

    Raises:
        QuantriftError: a file has no number in a column that a hypothesis names.
    """
    found = {file.name: read_published(file, ("dataset", "model", "compression")) for file in files}
    cells: list[PublishedCell] = []
    for label, one in hypotheses.items():
        for published in one.published:
            new = list(_of(label, one, published, found[published.file]))
            if not new:
                columns = f"'{published.larger.column}' and '{published.smaller.column}'"
                raise QuantriftError(
                    f"hypothesis {label}: {published.file} has no rows with {columns}; correct the columns"
                )
            cells += new
    return cells


def _of(
    label: str, one: Hypothesis, published: PublishedComparison, rows: Mapping[tuple[str, ...], Mapping[str, float]]
) -> Iterator[PublishedCell]:
    for (dataset, model, compression), numbers in rows.items():
        # A row without a dataset is the mean of all.
        if not dataset or not _belongs(one.larger, dataset, compression):
            continue
        other = (one.smaller.dataset or dataset, model, one.smaller.compression or compression)
        larger, smaller = numbers.get(published.larger.column), rows.get(other, {}).get(published.smaller.column)
        if larger is not None and smaller is not None:
            yield PublishedCell(
                label,
                published.metric,
                published.file,
                (published.larger.column, published.smaller.column),
                (dataset, model, compression),
                other,
                larger / published.larger.of,
                smaller / published.smaller.of,
            )


def _belongs(side: Side, dataset: str, compression: str) -> bool:
    return side.dataset in (None, dataset) and side.compression in (None, compression)
