"""Summary of a hypothesis in one metric: numbers of subjects for it, against it and undecided."""

from collections.abc import Sequence
from dataclasses import dataclass

from quantrift.study.results.tables.finding_cells import Cell
from quantrift.study.results.tables.finding_published import PublishedCell
from quantrift.study.results.tables.finding_spread import SPREAD
from quantrift.study.results.targets.hypotheses import HypothesesTarget


@dataclass(frozen=True)
class Summary:
    """The cells of one hypothesis in one metric."""

    label: str
    """Label of the hypothesis."""
    metric: str
    cells: Sequence[Cell]
    published: Sequence[PublishedCell]

    def count(self, verdict: str, *, unadjusted: bool = False) -> int:
        """Number of cells with a verdict."""
        return sum((cell.unadjusted if unadjusted else cell.verdict) == verdict for cell in self.cells)

    def count_published(self, verdict: str) -> int:
        """Number of published cells with a verdict."""
        return sum(cell.verdict == verdict for cell in self.published)

    @property
    def not_run(self) -> int:
        """Number of cells of which a side was not run; they count as undecided."""
        return sum(not cell.run for cell in self.cells)

    @property
    def vanishing(self) -> int:
        """Number of cells that support the hypothesis while one of its controls does not hold."""
        return sum(cell.control == "vanishes" for cell in self.cells)

    @property
    def verdict(self) -> str:
        """Verdict over all cells, in a few words."""
        total, towards, away = len(self.cells), self.count("for"), self.count("against")
        if total == self.not_run:
            return "not run"
        if towards and away:
            return "mixed"
        if not towards and not away:
            return "undecided"
        word = "holds" if towards else "fails"
        word += "" if max(towards, away) == total else " in part"
        return word + (", vanishes against the control" if towards and self.vanishing == towards else "")


def summaries(target: HypothesesTarget, cells: Sequence[Cell], published: Sequence[PublishedCell]) -> list[Summary]:
    """One of each hypothesis and metric, by number of the finding, else in the order they are stated in."""
    metrics: dict[str, Sequence[str]] = {label: one.metrics for label, one in target.hypotheses.items()}
    metrics |= {label: [SPREAD] for label in target.spreads}
    return [
        Summary(
            label,
            metric,
            [cell for cell in cells if (cell.label, cell.metric) == (label, metric)],
            [cell for cell in published if (cell.label, cell.metric) == (label, metric)],
        )
        for label in sorted(metrics, key=lambda label: target.claims[label].finding)
        for metric in metrics[label]
    ]
