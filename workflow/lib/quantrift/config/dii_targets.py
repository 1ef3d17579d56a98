"""Settings of figures that show stored difference-inducing inputs."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id
from quantrift.config.target import Pair, Target


class DiiFigure(Target):
    """What figures of stored difference-inducing inputs state."""

    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""
    pairs: list[Pair] | None = None
    """Of these networks and compressions alone; all that the experiments have where it is not given."""


class GalleryFigure(DiiFigure):
    """Some difference-inducing inputs beside their seed inputs, a row each."""

    kind: Literal["gallery"]
    number: Annotated[int, Field(ge=1, le=20)] = 3
    """Inputs of each search tool on each subject; fewer where fewer are stored."""
    spread: Literal["class", "generation"] = "class"
    """Over what they are spread: classes of the seed inputs, or the generation a search found its first in."""
    seed: int = 0
    """Of the choice among equals."""
    channels: dict[Id, tuple[int, int, int]] = Field(default_factory=dict)
    """Network -> channels of its inputs, from 0, shown as red, green and blue; three evenly spread ones where it is
    not given and there are more than three."""


class DiiLayerFigure(DiiFigure):
    """How far layers are from the original's on stored inputs and on their seed inputs, a panel a subject."""

    kind: Literal["layer_errors_dii"]
