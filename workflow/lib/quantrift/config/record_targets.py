"""Settings of targets that are made from the records of searches: distortions and vectors."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from quantrift.config.base import Id
from quantrift.config.dii_targets import DiiFigure
from quantrift.config.target import Target


class CooccurrenceFigure(DiiFigure):
    """Which distortions are switched on together, a panel a subject and tool."""

    kind: Literal["cooccurrence"]


class ActivationTable(Target):
    """Odds ratio of each distortion being switched on in difference-inducing inputs against other valid ones."""

    kind: Literal["activation"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    groups: dict[str, list[Id]] = Field(default_factory=dict)
    """Name of a group -> its tools, over which odds ratios are pooled (Mantel-Haenszel)."""


class MinimalTable(Target):
    """Smallest sets of distortions with which difference-inducing inputs still are some."""

    kind: Literal["minimal_distortions"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""
    sets: Annotated[int, Field(ge=0)] = 3
    """Most frequent smallest sets shown of each size."""


class VectorTarget(Target):
    """What targets over the stored vectors of difference-inducing inputs state."""

    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    metaheuristics: Annotated[dict[str, dict[str, Id]], Field(min_length=1)]
    """Name of a metaheuristic -> name of a fitness function -> the tool that has both."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return [tool for fitness in self.metaheuristics.values() for tool in fitness.values()]


class DistanceTable(VectorTarget):
    """Pairwise distances of the vectors that two fitness functions lead to."""

    kind: Literal["vector_distances"]
    vectors: Annotated[int, Field(ge=2)] = 10_000
    """Of each fitness function in a draw; fewer where fewer are stored, which the table states."""
    draws: Annotated[int, Field(ge=1)] = 3
    """Repetitions, whose results are averaged."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""

    @field_validator("metaheuristics")
    @classmethod
    def _two_of_each(cls, value: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for name, fitness in value.items():
            if len(fitness) != 2:
                raise ValueError(f"{name}: two fitness functions are compared, got {len(fitness)}; name two")
        return value


class TsneFigure(VectorTarget):
    """The vectors of all fitness functions in the plane, by t-SNE and by principal components."""

    kind: Literal["tsne"]
    form: Literal["scaled", "raw"] = "scaled"
    """``raw``: genes as they are, as published. ``scaled``: see ``quantrift.metrics.vectors``."""
    vectors: Annotated[int, Field(ge=2)] = 1000
    """Of each fitness function; fewer where fewer are stored, which the figure states."""
    perplexity: Annotated[float, Field(gt=0)] = 30
    seed: Annotated[int, Field(ge=0)] = 0
    """Of the embedding."""
