"""Results of one tool, and of one certification, on one candidate: parts of ``assessment.json``; fractions are 0 to 1.

The room ``certify`` certifies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from quantrift.core.page.shared_columns import RATES
from quantrift.core.statistics.column import Column, key, with_interval

if TYPE_CHECKING:
    from quantrift.core.base.inputs import Inputs
    from quantrift.judge.intake.given_networks import Ready

Kind = Literal["natural", "noise"]
"""Kind of changes: natural, as by cameras and weather, or noise and blurs without a limit, made to deceive."""

CERTIFICATES = "certificates"
"""Folder of the certificates of a candidate, within its own."""
TOOL = key("tool", "Tool", kind="text")
CLASS = key("class", "Class", "True class of the seed inputs; without labels, what the original says.", "text")
SEEDS = Column("seeds", "Seed inputs", "count", "Inputs that searches start from.")
SR = with_interval(RATES["sr"])
N_DII = Column("n_dii", "DIIs", "count", "Difference-inducing inputs among the candidates.")
N_GENERATED = Column("n_generated", "Candidates", "count", "Candidates of all searches.")
KINDS = (
    "Natural: changes that cameras, sensors and weather cause too, within a limit. Noise: changed pixels and blurs "
    "without a limit, until the models disagree."
)
ODDS = with_interval(
    Column(
        "odds_ratio",
        "Odds ratio",
        meaning="Odds that the distortion is switched on in difference-inducing inputs, divided by its odds in other "
        "valid candidates.",
    )
)
CERTIFIED = with_interval(
    Column(
        "certified_share",
        "Certified",
        "fraction",
        "Inputs certified by running every member, or proven by bounds.",
    )
)


@dataclass(frozen=True)
class Rate:
    """A share with its 95 % interval (PROTOCOL: Intervals)."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ClassRate:
    """Results of a tool from the seed inputs of one class."""

    name: Annotated[str, CLASS]
    """The true class; without labels, the one that the original gives."""
    seeds: Annotated[int, SEEDS]
    successes: Annotated[
        int,
        Column(
            "n_success",
            "Inputs with a DII",
            "count",
            "Seed inputs for which at least one difference-inducing input was found.",
        ),
    ]
    sr: Annotated[Rate, SR]
    """Success rate with its Wilson interval."""
    evaluations: Annotated[int, N_GENERATED]
    dii: Annotated[int, N_DII]


@dataclass(frozen=True)
class Confusion:
    """Number of difference-inducing inputs of a tool with a given pair of labels."""

    original: Annotated[str, key("label_original", "Original says", kind="text")]
    compressed: Annotated[str, key("label_compressed", "Compressed says", kind="text")]
    dii: Annotated[int, N_DII]


@dataclass(frozen=True)
class DistortionOdds:
    """Odds of a difference-inducing input having a distortion switched on, against those of other valid candidates."""

    distortion: Annotated[str, key("distortion", "Distortion", "Distortion of the space.", "text")]
    ratio: Annotated[float | None, ODDS[0]]
    low: Annotated[float | None, ODDS[1]]
    high: Annotated[float | None, ODDS[2]]
    corrected: Annotated[
        bool, Column("corrected", "Corrected", "flag", "Whether 1/2 was added to the counts because one of them is 0.")
    ]
    """Whether 1/2 was added to the counts, as one of them was 0."""


@dataclass(frozen=True)
class Queries:
    """Candidates put through both networks up to the first disagreement, over seed inputs on which they agree."""

    median: Annotated[
        float,
        Column(
            "queries_median",
            "Queries median",
            meaning="Median over seed inputs; a failed search counts with all of its queries.",
        ),
    ]
    """A search without disagreement counts with all its candidates."""
    average: float | None
    """Over successful searches alone, as TriggerFinder counts."""
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ToolResult:
    """Results of one tool on one candidate."""

    tool: str
    title: Annotated[str, TOOL]
    kind: Annotated[Kind, Column("kind", "Changes", "text", KINDS)]
    judged: bool
    """Whether the limits are held against it: natural tools alone are."""
    samples: bool
    """Whether it draws changes as its space has them, so that shares of them are shares of natural changes."""
    searches: Annotated[int, SEEDS]
    successes: int
    """Searches with a disagreement."""
    evaluations: Annotated[int, N_GENERATED]
    valid: int
    dii: Annotated[int, N_DII]
    seconds: float
    """Processor time charged to the searches; differs from run to run."""
    first_attack: bool
    """Whether searches end with their first disagreement, so that DiR says little and queries count."""
    dir: Annotated[Rate, RATES["dir"]]
    """Difference-inducing candidates / candidates."""
    dir_unique: Rate
    """Distinct difference-inducing inputs / distinct inputs."""
    dir_valid: Annotated[Rate, with_interval(RATES["dir_valid"])]
    """Difference-inducing inputs / valid candidates, pooled over seed inputs (``core.statistics.clustered``)."""
    vr: Annotated[Rate, RATES["vr"]]
    """Valid candidates / candidates."""
    sr: Annotated[Rate, SR]
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


@dataclass(frozen=True)
class Counted:
    """Outcomes of a certification of one neighbourhood over all inputs, as certificates and assessments state them."""

    neighbourhood: Annotated[
        str,
        key("neighbourhood", "Neighbourhood", "Changes of an input, in numbers that quantrift certify takes.", "text"),
    ]
    members: Annotated[
        int | None,
        Column(
            "members",
            "Members",
            "count",
            "Images of one input's neighbourhood; a dash for boxes, as nobody counts them.",
        ),
    ]
    """Of one input; None of boxes, which are too large to count."""
    distinct: int
    """Different images that were run, over all inputs; of boxes, some are counted more than once."""
    certified: Annotated[
        int,
        Column(
            "certified", "By enumeration", "count", "Inputs of which both networks give every member the same label."
        ),
    ]
    counterexamples: Annotated[
        int,
        Column(
            "counterexamples",
            "Counterexample",
            "count",
            "Inputs with a member to which the networks give different labels.",
        ),
    ]
    unfinished: Annotated[int, Column("unfinished", "Unfinished", "count", "Inputs of which not all members were run.")]
    share: Annotated[float, CERTIFIED[0]]
    """Certified and proven inputs among all."""
    low: Annotated[float, CERTIFIED[1]]
    """Ends of its 95 % interval, Clopper and Pearson over inputs."""
    high: Annotated[float, CERTIFIED[2]]
    proven: Annotated[int, Column("proven", "By bounds", "count", "Inputs of which bounds prove it, for boxes.")] = 0
    """Inputs all of whose boxes are proven by bounds."""
    unknown: Annotated[
        int,
        Column(
            "unknown", "Unknown", "count", "Inputs of which bounds neither prove it nor a counterexample was found."
        ),
    ] = 0
    """Inputs of which bounds could neither prove a box nor a search refute it."""

    @property
    def inputs(self) -> int:
        """All inputs."""
        return self.certified + self.counterexamples + self.unfinished + self.proven + self.unknown

    @property
    def text(self) -> str:
        """The outcomes on one line."""
        how = "proven by bounds" if self.members is None else "certified by running all members"
        left = {"with a counterexample": self.counterexamples, "unfinished": self.unfinished, "unknown": self.unknown}
        return (
            f"{self.neighbourhood}: {self.certified + self.proven} of {self.inputs} inputs {how}, "
            f"{100 * self.share:.1f} % (95 % interval {100 * self.low:.1f} to {100 * self.high:.1f} %)"
            + "".join(f", {count} {what}" for what, count in left.items() if count)
        )


class Certifier(Protocol):
    """Certification of the compressed networks of an assessment."""

    def check(self, inputs: "Inputs") -> None:
        """Make sure, before anything is computed, that they can be certified.

        Raises:
            QuantriftError: they are no images of 8 bits, or what is asked for does not suit them.
        """
        ...

    def __call__(
        self, original: "Ready", compressed: "Ready", inputs: "Inputs", file: Path, assumed: Sequence[str], out: Path
    ) -> list[Counted]:
        """Write certificates of one compressed network to ``out``; ``file`` holds the inputs."""
        ...
