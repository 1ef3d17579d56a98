"""Results of one tool on one candidate: a part of ``assessment.json``."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["natural", "noise"]
"""Kind of changes: natural, as by cameras and weather, or noise and blurs without a limit, made to deceive."""


@dataclass(frozen=True)
class Rate:
    """A share with its 95 % interval (PROTOCOL: Intervals)."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ClassRate:
    """Results of a tool from the seed inputs of one class."""

    name: str
    """The true class; without labels, the one that the original gives."""
    seeds: int
    successes: int
    sr: Rate
    """Success rate with its Wilson interval."""
    evaluations: int
    dii: int


@dataclass(frozen=True)
class Confusion:
    """Number of difference-inducing inputs of a tool with a given pair of labels."""

    original: str
    compressed: str
    dii: int


@dataclass(frozen=True)
class DistortionOdds:
    """Odds of a difference-inducing input having a distortion switched on, against those of other valid candidates."""

    distortion: str
    ratio: float | None
    low: float | None
    high: float | None
    corrected: bool
    """Whether 1/2 was added to the counts, as one of them was 0."""


@dataclass(frozen=True)
class Queries:
    """Candidates put through both networks up to the first disagreement, over seed inputs on which they agree."""

    median: float
    """A search without disagreement counts with all its candidates."""
    average: float | None
    """Over successful searches alone, as TriggerFinder counts."""
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ToolResult:
    """Results of one tool on one candidate."""

    tool: str
    title: str
    kind: Kind
    judged: bool
    """Whether the limits are held against it: natural tools alone are."""
    samples: bool
    """Whether it draws changes as its space has them, so that shares of them are shares of natural changes."""
    searches: int
    successes: int
    """Searches with a disagreement."""
    evaluations: int
    valid: int
    dii: int
    seconds: float
    """Processor time charged to the searches; differs from run to run."""
    first_attack: bool
    """Whether searches end with their first disagreement, so that DiR says little and queries count."""
    dir: Rate
    """Difference-inducing candidates / candidates."""
    dir_unique: Rate
    """Distinct difference-inducing inputs / distinct inputs."""
    dir_valid: Rate
    """Difference-inducing inputs / valid candidates, pooled over seed inputs (``core.statistics.clustered``)."""
    vr: Rate
    """Valid candidates / candidates."""
    sr: Rate
    """Seed inputs with a disagreement / seed inputs."""
    net: dict[str, float | None]
    """``dir``, ``dir_unique``, ``dir_valid`` and ``sr`` without seed inputs on which the networks disagree already."""
    classes: list[ClassRate]
    confusions: list[Confusion]
    """Pairs of labels in the stored difference-inducing inputs, most frequent first."""
    odds: list[DistortionOdds]
    """Largest first; empty where a tool has no distortions to switch."""
    queries: Queries | None
    records: str
    """seeds_*.npz, from which ``quantrift replay`` decodes everything again."""
    shrunk: str | None
    """.npz (``quantrift.core.search.records.shrinking``)."""
    layers: str | None
    """.json, errors of layers on seed inputs and on what this tool found (``core.networks.layer_errors``)."""
