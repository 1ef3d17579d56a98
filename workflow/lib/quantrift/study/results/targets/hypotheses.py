"""Hypotheses: the findings of a paper in a form that run seeds can support or contradict."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.references import CompressionId, ExperimentId, Ref, ToolId
from quantrift.core.settings.searches import DRAW
from quantrift.core.settings.searches import Protocol as Rules
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import Searching


class Side(Strict):
    """One of the two things that a hypothesis compares."""

    name: str
    """For people."""
    tools: list[ToolId]
    """Tools whose mean counts, in each run seed; empty where a tool does not exist here, so that nothing is run."""
    from_: Annotated[list[ExperimentId] | None, Field(alias="from")] = None
    """Experiments of this side; those of the hypothesis where it is not given."""
    seeds: bool = False
    """Take the undistorted seed inputs of these tools' searches: the share on which the two models disagree."""
    dataset: Annotated[str, Ref("published dataset")] | None = None
    """Only data of this dataset, or data whose published numbers are filed under it (``published_as``); those of the
    other side where it is not given."""
    compression: CompressionId | None = None
    """Only this compression; that of the other side where it is not given."""
    minus: CompressionId | None = None
    """Compression whose rate is subtracted, run seed by run seed."""


class PublishedNumber(Strict):
    """A column of a file of published numbers, divided by how many there were."""

    column: str
    of: Annotated[float, Field(gt=0)] = 1


class PublishedComparison(Strict):
    """Columns of a published file that hold the two numbers of one metric; each row of the file is a cell."""

    metric: str
    file: str
    """In workflow/published."""
    larger: PublishedNumber
    smaller: PublishedNumber


class Claim(Strict):
    """Settings that all hypotheses share."""

    finding: Annotated[int, Field(ge=1)]
    """Number of the finding in the paper."""
    sentence: str
    """Quotation of the finding."""
    claim: str
    """Tested hypothesis, in a few words."""


class Hypothesis(Claim):
    """One side has larger values than the other, on each subject and metric by itself."""

    from_: Annotated[list[ExperimentId], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""
    larger: Side
    smaller: Side
    metrics: Annotated[
        list[Literal["n_dii", "dir", "dir_real", "dir_unique", "dir_valid", "sr", "vr"]], Field(min_length=1)
    ]
    paired: bool = True
    """Whether both sides start from the same inputs in a run seed: a signed-rank test, else a rank-sum test."""
    control_of: Id | None = None
    """Hypothesis that means little where this one does not hold."""
    published: list[PublishedComparison] = Field(default_factory=list)

    @property
    def sides(self) -> tuple[Side, Side]:
        """The side that should be larger, and the one that should be smaller."""
        return self.larger, self.smaller

    def experiments(self, side: Side) -> list[str]:
        """Experiments whose searches a side uses."""
        return side.from_ or self.from_

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        pairs = {name: [getattr(side, name) for side in self.sides] for name in ("dataset", "compression")}
        alone = "{}: one side states it; state it in both or in none"
        unknown = [one.metric for one in self.published if one.metric not in self.metrics]
        return {
            **{alone.format(name): pair.count(None) == 1 for name, pair in pairs.items()},
            "paired: inputs of two datasets make no pairs; add paired: false": self.paired
            and self.larger.dataset != self.smaller.dataset,
            **{f"published: '{name}' is not among the metrics; add it there": True for name in unknown},
        }


class SpreadHypothesis(Claim):
    """The vectors that one fitness function leads to lie farther apart than another's, on each subject by itself."""

    distances: Annotated[Id, Ref("table of distances")]
    """Target of kind ``vector_distances``, whose scaled vectors are used."""
    metaheuristic: str
    """Metaheuristic, by its name in that target."""
    larger: str
    """Fitness function whose vectors should lie farther apart, by its name in that target."""
    smaller: str
    """The other one."""


class HypothesesTarget(Searching):
    """A target over hypotheses."""

    hypotheses: Annotated[dict[Id, Hypothesis], Field(min_length=1)]
    """About rates of searches."""
    spreads: dict[Id, SpreadHypothesis] = Field(default_factory=dict)
    """About the vectors they found."""

    @property
    def experiments(self) -> list[str]:
        """See ``Searching``."""
        return list(
            dict.fromkeys(
                name for one in self.hypotheses.values() for side in one.sides for name in one.experiments(side)
            )
        )

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return any(tool in side.tools for one in self.hypotheses.values() for side in one.sides)

    @property
    def published_files(self) -> list[str]:
        """Those that the hypotheses name."""
        return list(dict.fromkeys(published.file for one in self.hypotheses.values() for published in one.published))

    @property
    def claims(self) -> dict[str, Claim]:
        """All hypotheses."""
        return {**self.hypotheses, **self.spreads}

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        twice = "spreads.{0}: there is a hypothesis '{0}' already; give it a name of its own"
        of_none = "hypotheses.{}.control_of: no hypothesis '{}'; name one of these"
        return {
            **{twice.format(label): label in self.hypotheses for label in self.spreads},
            **{
                of_none.format(label, one.control_of): one.control_of and one.control_of not in self.hypotheses
                for label, one in self.hypotheses.items()
            },
        }


def mistakes(settings: HypothesesTarget, whole: Whole) -> Iterator[str]:
    """One line for each hypothesis whose sides do not fit, or whose table of distances lacks what it compares."""
    for name, one in settings.hypotheses.items():
        yield from _of_hypothesis(f"hypotheses.{name}", one, whole)
    for name, spread in settings.spreads.items():
        compared = getattr(whole.targets[spread.distances], "metaheuristics", {}).get(spread.metaheuristic, {})
        if {spread.larger, spread.smaller} != set(compared):
            yield (
                f"spreads.{name}: {spread.distances} does not compare {spread.larger} with "
                f"{spread.smaller} under {spread.metaheuristic}; name two fitness functions that it compares"
            )
    yield from protocol_checks.one_search_each(settings, whole)


def _of_hypothesis(where: str, one: Hypothesis, whole: Whole) -> Iterator[str]:
    used: dict[str, Rules] = {}
    for side in one.sides:
        found = protocol_checks.protocols(one.experiments(side), whole)
        if len(found) > 1:
            yield f"{where}: '{side.name}' is searched under {', '.join(found)}; name experiments under one of them"
        used |= found
    if one.paired and not protocol_checks.same_inputs(used.values()):
        yield (
            f"{where}: {', '.join(used)} draw different seed inputs, and sides are compared on the same ones; state "
            f"the same {', '.join(DRAW)}, or paired: false"
        )
