"""Settings that targets share: the tables and figures that one can ask for by name."""

from typing import Annotated, Literal, Protocol, runtime_checkable

from pydantic import Field

from quantrift.config.fields import Strict
from quantrift.config.references import CompressionId, ExperimentId, ModelId, SubjectsId, ToolId


class Target(Strict):
    """A table or figure; each kind (``tables/kinds``, ``figures/kinds``) adds settings of its own."""

    kind: str
    """Name of the module that makes it."""
    title: str
    """Heading in the report."""
    question: Annotated[str, Field(exclude=True)] = ""
    """Question that it answers, for docs/targets.md. Left out where settings are written out, as no result shows it."""
    caption: str = ""
    """What the reader sees and how it was computed, a few sentences."""
    source: str = ""
    """Table or figure of a paper that this one rebuilds."""

    @property
    def published_files(self) -> list[str]:
        """Files of the papers' numbers in workflow/published that it shows."""
        return []


class Published(Target):
    """A target with the papers' numbers beside ours."""

    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours where it is said that they are its."""

    @property
    def published_files(self) -> list[str]:
        """The one file, if it is given."""
        return [self.published] if self.published else []


class PublishedOfTools(Published):
    """A target beside whose tools the papers' numbers of single tools stand."""

    published_as: dict[ToolId, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that is not its own id."""


class SubjectTarget(Target):
    """A target over networks or compressed models."""

    subjects: list[SubjectsId] | None = None
    """Groups of subjects; all that the targets of ``all`` use where it is not given."""


class PublishedSubjects(SubjectTarget):
    """A target over networks or compressed models with the numbers of several papers beside ours."""

    published: list[str] = Field(default_factory=list)
    """Files of the papers' numbers in workflow/published, shown beside ours in columns that say so."""
    published_rows: bool | Literal["all"] = False
    """Whether rows that only the papers have follow, with our columns empty: of the datasets that the table shows, or
    of ``all`` that the papers have."""

    @property
    def published_files(self) -> list[str]:
        """See ``Target``."""
        return self.published


@runtime_checkable
class Searching(Protocol):
    """A target that needs searches."""

    @property
    def experiments(self) -> list[str]:
        """Experiments whose searches are used."""

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether it needs the searches of a tool under a protocol, where its experiments have them."""

    def covers(self, model: str, compression: str) -> bool:
        """Whether it shows a compressed network, where its experiments have it."""


class SearchTarget(Target):
    """A target over searches."""

    from_: Annotated[list[ExperimentId], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""

    @property
    def experiments(self) -> list[str]:
        """See ``Searching``."""
        return self.from_

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return True

    def covers(self, model: str, compression: str) -> bool:
        """See ``Searching``."""
        return True


class ToolTarget(SearchTarget):
    """A target over the searches of some tools."""

    tools: list[ToolId] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return self.tools is None or tool in self.tools


class Pair(Strict):
    """A network and one compression of it."""

    model: ModelId
    compression: CompressionId


class PairTarget(ToolTarget):
    """A target over the searches of some tools on some compressed networks."""

    pairs: list[Pair] | None = None
    """Of these networks and compressions alone; all that the experiments have where it is not given."""

    def covers(self, model: str, compression: str) -> bool:
        """See ``Searching``."""
        return self.pairs is None or Pair(model=model, compression=compression) in self.pairs
