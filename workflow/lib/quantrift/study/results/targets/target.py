"""Settings that targets share; a target is a table or figure with a name."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from quantrift.core.settings.fields import OfKind, Strict
from quantrift.core.settings.references import (
    CalibrationId,
    CompressionId,
    DatasetId,
    ExperimentId,
    ModelId,
    StudyId,
    SubjectsId,
    ToolId,
)


class Target(OfKind):
    """A table or figure; each kind (``tables/kinds``, ``figures/kinds``) adds settings of its own."""

    shows_inputs: ClassVar[bool] = False
    """Whether it shows inputs of a dataset, which nobody but its owner may hand out."""
    kind: str
    """Name of its kind, the module that makes it."""
    title: str
    """Heading in the report."""
    question: Annotated[str, Field(exclude=True)] = ""
    """Question that it answers, for docs/targets.md. Not part of the stated settings, as no result shows it."""
    caption: str = ""
    """Caption, a few sentences: content, and how it was computed."""
    source: str = ""
    """Table or figure of a paper that this one reproduces."""

    @property
    def published_files(self) -> list[str]:
        """Files of published numbers in workflow/published that it shows."""
        return []


class Published(Target):
    """A target with published numbers beside ours."""

    published: str | None = None
    """File of published numbers in workflow/published, shown beside our rows of the datasets that it has."""

    @property
    def published_files(self) -> list[str]:
        """The one file, if it is given."""
        return [self.published] if self.published else []


class PlannedTest(Strict):
    """Tests that a table is made for, by what they compare."""

    tool: str
    """Tool or group of the row."""
    against: str | None = None
    """The other one; any where it is not given."""
    rate: str | None = None
    """Rate that is tested; any where it is not given."""

    def plans(self, tool: str, against: str | None, rate: str | None = None) -> bool:
        """Whether a test is one of them."""
        return (
            tool == self.tool
            and (against is not None and self.against in (None, against))
            and self.rate in (None, rate)
        )


class TestedTarget(Target):
    """A target whose tests are one family, or a few of them that were planned."""

    __test__ = False

    planned: list[PlannedTest] = Field(default_factory=list)
    """Tests whose p-values are adjusted together; the others explore, and their p-values are not adjusted. Where it is
    not given, all tests of the table are one family."""

    def names_of_rows(self, tools: Iterable[str]) -> set[str]:
        """Tools and groups that have rows; ``tools``: those of the experiments."""
        return {*tools}

    def plans(self, tool: str, against: str | None, rate: str | None = None) -> bool:
        """Whether a test belongs to the family."""
        return not self.planned or any(one.plans(tool, against, rate) for one in self.planned)


class PublishedOfTools(Published):
    """A target with published numbers of single tools beside ours."""

    published_as: dict[ToolId, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that differs from its id."""


class SubjectTarget(Target):
    """A target over networks or compressed models."""

    subjects: list[SubjectsId] | None = None
    """Groups of subjects; by default all that the targets of ``all`` use."""


class PublishedSubjects(SubjectTarget):
    """A target over networks or compressed models with published numbers of several papers beside ours."""

    published: list[str] = Field(default_factory=list)
    """Files of published numbers in workflow/published, shown beside ours in columns of their own."""
    published_rows: bool | Literal["all"] = False
    """Whether to add rows that only the papers have, with our columns empty: for the datasets that the table shows, or
    for ``all`` datasets of the papers."""

    @property
    def published_files(self) -> list[str]:
        """See ``Target``."""
        return self.published


class Searching(Target):
    """A target that needs searches."""

    @property
    @abstractmethod
    def experiments(self) -> list[str]:
        """Experiments whose searches are used."""

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether it needs the searches of a tool under a protocol, where its experiments have them.

        A target that names ``tools`` needs those of these alone.
        """
        tools: Sequence[str] | None = getattr(self, "tools", None)
        return tools is None or tool in tools

    def covers(self, model: str, compression: str) -> bool:
        """Whether it shows a compressed network, where its experiments have it."""
        return True


class SearchTarget(Searching):
    """A target over searches."""

    from_: Annotated[list[ExperimentId], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""

    @property
    def experiments(self) -> list[str]:
        """See ``Searching``."""
        return self.from_


class ToolTarget(SearchTarget):
    """A target over the searches of some tools."""

    tools: list[ToolId] | None = None
    """Tools to show; all of the experiments by default."""


class Pair(Strict):
    """A network and one compression of it."""

    model: ModelId
    compression: CompressionId


class PairTarget(ToolTarget):
    """A target over the searches of some tools on some compressed networks."""

    pairs: list[Pair] | None = None
    """Networks and compressions to show; all of the experiments by default."""

    def covers(self, model: str, compression: str) -> bool:
        """See ``Searching``."""
        return self.pairs is None or Pair(model=model, compression=compression) in self.pairs


def with_paired(studies: Sequence[str], paired: Mapping[str, str]) -> list[str]:
    """Some studies, then those of pairs (study -> other study), each once."""
    return list(dict.fromkeys([*studies, *(name for pair in paired.items() for name in pair)]))


class StudyTarget(Target):
    """A target over the settings of bit studies."""

    studies: Annotated[list[StudyId], Field(min_length=1)]

    @property
    def needed(self) -> list[str]:
        """The studies it is made from, each once."""
        return with_paired(self.studies, {})


class BitTarget(StudyTarget, Published):
    """A target over the networks of bit studies."""

    dataset: list[DatasetId] | None = None
    """Datasets to show, where the studies have them; all of the studies by default."""
    model: list[ModelId] | None = None
    """Networks to show; all of the studies by default."""


class SecondsTarget(SearchTarget):
    """A target with the seconds of its searches."""

    isolated: bool = False
    """Whether the timing file also has seconds of searches that ran by themselves, one after the other: those of the
    same tools and subjects under the protocols that are ``isolated_of`` those of the experiments."""


class QueryTarget(PairTarget):
    """A target over queries: candidates that searches need to their first disagreement, with which they end."""

    tools: Annotated[list[ToolId], Field(min_length=1)]
    """Tools whose searches are used."""


class UncertaintyTarget(SearchTarget):
    """A target over settings of one tool, whose searches go on after the first disagreement."""

    settings: Annotated[dict[str, ToolId], Field(min_length=2)]
    """Short name of a setting -> the tool that has it; the others are compared with the first."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return list(self.settings.values())


class VectorTarget(SearchTarget):
    """A target over the stored vectors of difference-inducing inputs that fitness functions lead to."""

    metaheuristics: Annotated[dict[str, dict[str, ToolId]], Field(min_length=1)]
    """Name of a metaheuristic -> name of a fitness function -> the tool that has both."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return [tool for fitness in self.metaheuristics.values() for tool in fitness.values()]


class CalibrationTarget(SubjectTarget):
    """A target over calibrations: strengths of distortions on the inputs of networks."""

    calibrations: Annotated[list[CalibrationId], Field(min_length=1)]
    """Each is shown on the inputs of each network."""
