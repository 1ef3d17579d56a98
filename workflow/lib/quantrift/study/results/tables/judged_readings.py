"""Readings of a paper that leaves settings open, and their distances from its printed rates.

A reading is tools that read these settings alike, one of each searcher. Distances are over all seed inputs, and over
resamples of them.
"""

import json
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

Searcher = Literal["random", "pso", "ga"]
SEARCHERS: tuple[Searcher, ...] = ("random", "pso", "ga")
Search = tuple[str, str]
"""(tool, protocol)."""
Stated = Mapping[str, Any]
"""Resolved settings of a tool or a protocol, as plain values."""


@dataclass(frozen=True)
class Reading:
    """A search with PSO, and the searches with GA and random sampling that read the open settings alike."""

    of: Mapping[Searcher, Search]
    """Searcher -> its search."""
    keys: Mapping[str, str]
    """Open setting -> how it is read: ``peak``, ``ranges``, ``distortions``, ``infeasible`` and ``stop``."""


def readings(
    searches: Sequence[Search], tools: Mapping[str, Stated], protocols: Mapping[str, Stated]
) -> tuple[list[Reading], list[Search]]:
    """The reading of each search with PSO, and the searches with PSO that lack a partner, in their order.

    A partner has the same space, constraint and calibration; GA also the same objective, patience and variant as PSO.
    Random sampling never stops early.

    Args:
        searches: of tools whose searchers are among ``SEARCHERS``.
        tools: settings of the tools, by id.
        protocols: settings of the protocols, by id.
    """
    of_searcher = grouped(searches, lambda search: tools[search[0]]["searcher"]["name"])
    # Of several that read alike the first stays.
    partners = {
        (searcher, _shared(searcher, tools[tool], protocols[protocol])): (tool, protocol)
        for searcher in ("random", "ga")
        for tool, protocol in reversed(of_searcher.get(searcher, []))
        if searcher == "ga" or protocols[protocol]["patience"] is None
    }
    found: list[Reading] = []
    alone: list[Search] = []
    for tool, protocol in of_searcher.get("pso", []):
        stated = tools[tool], protocols[protocol]
        sampling, genetic = (partners.get((other, _shared(other, *stated))) for other in ("random", "ga"))
        if sampling and genetic:
            found.append(Reading({"random": sampling, "pso": (tool, protocol), "ga": genetic}, _keys(*stated)))
        else:
            alone.append((tool, protocol))
    return found, alone


def _shared(searcher: str, tool: Stated, protocol: Stated) -> str:
    """Parts that a tool has in common with another of its searcher, where both read the open settings alike."""
    shared: list[Any] = [tool["space"], tool["constraint"], tool["calibration"]]
    if searcher == "ga":
        shared += [tool["objective"], tool["searcher"]["params"]["variant"], protocol["patience"]]
    return json.dumps(shared, sort_keys=True)


def _keys(tool: Stated, protocol: Stated) -> dict[str, str]:
    swarm, patience = tool["searcher"]["params"], protocol["patience"]
    stops = {f"patience {patience}": patience is not None, "pyswarm": swarm["minfunc"] or swarm["minstep"]}
    return {
        "peak": str(tool["constraint"]["params"].get("peak", "")),
        "ranges": tool["calibration"] or "full",
        "distortions": str(tool["space"]["params"].get("variant", "")),
        "infeasible": swarm["infeasible"] if tool["constraint"]["params"].get("guides", True) else "ranked",
        "stop": ", ".join(name for name, given in stops.items() if given) or "none",
    }


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
