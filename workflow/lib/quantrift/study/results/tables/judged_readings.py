"""Distances of readings from printed rates, over all seed inputs and over resamples of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from quantrift.core.settings.fields import Strict
from quantrift.core.statistics.intervals import ends
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.reading_distance import COUNTINGS, Sums, cohens_h
from quantrift.study.results.tables.answer_words import grouped
from quantrift.study.results.targets.tool_readings import Reading, Searcher

Subject = tuple[str, ...]
"""(dataset, network, compression)."""


class Printed(Strict):
    """A rate that the paper prints, one number a subject; a key of the subject may be empty where it is a mean."""

    searcher: Searcher
    metric: Literal["vr", "dir", "sr"]
    file: str
    """File of published numbers in workflow/published."""
    column: str


@dataclass(frozen=True)
class Term:
    """A printed number, and the subjects of ours whose mean stands beside it."""

    of: Printed
    subject: Subject
    """As we call it; a key is ``""`` where the number is a mean over it."""
    subjects: Sequence[Subject]
    value: float


@dataclass(frozen=True)
class Judged:
    """A reading beside the printed numbers."""

    reading: Reading
    terms: Sequence[Term]
    sums: Mapping[Searcher, Mapping[Subject, Sums]]

    @cached_property
    def distances(self) -> dict[str, np.ndarray]:
        """Count of survivors -> distance over all seed inputs, then over each resample, float64 (1 + resamples,)."""
        quantities = grouped(self.terms, lambda term: (term.of.searcher, term.of.metric)).values()
        apart = {
            counting: [[cohens_h(self._beside(one, counting), one.value) for one in of] for of in quantities]
            for counting in COUNTINGS
        }
        return {counting: np.mean([np.mean(of, axis=0) for of in each], axis=0) for counting, each in apart.items()}

    def _beside(self, term: Term, counting: str) -> np.ndarray:
        sums = (self.sums[term.of.searcher][subject] for subject in term.subjects)
        return np.mean([one.rates(counting)[term.of.metric] for one in sums], axis=0)

    @property
    def counting(self) -> str:
        """Count of survivors of the least distance; the first of equals."""
        return min(COUNTINGS, key=lambda counting: float(self.distances[counting][0]))

    @property
    def drawn(self) -> np.ndarray:
        """Least distance of any count of survivors in each resample, float64 (resamples,)."""
        return np.min([of[1:] for of in self.distances.values()], axis=0)

    def distance(self) -> dict[str, float]:
        """The distance with the ends of its interval."""
        clusters = min(sums.clusters for of in self.sums.values() for sums in of.values())
        drawn = self.distances[self.counting]
        low, high = ends(float(drawn[0]), drawn[1:], clusters)
        return {"distance": float(drawn[0]), "distance_low": low, "distance_high": high}

    def mean(self, searcher: Searcher, metric: str, counting: str) -> float:
        """A rate over all seed inputs, mean over subjects."""
        return float(np.mean([sums.rates(counting)[metric][0] for sums in self.sums[searcher].values()]))

    def cells(self) -> Iterator[dict[str, Any]]:
        """Each printed number, ours beside it, and Cohen's h of the two."""
        for term in self.terms:
            ours = float(self._beside(term, self.counting)[0])
            yield {
                **dict(zip(SUBJECT, term.subject, strict=True)),
                "searcher": term.of.searcher,
                "metric": term.of.metric,
                "value": ours,
                "published_value": term.value,
                "h": float(cohens_h(ours, term.value)),
            }
