"""Settings of searches: tools, protocols, subjects, experiments."""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from quantrift.core.base import search_parts
from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.fields import Id, Strict, refuse
from quantrift.core.settings.part_settings import Part
from quantrift.core.settings.references import (
    CalibrationId,
    CompressionId,
    DatasetId,
    ModelId,
    ProtocolId,
    SubjectsId,
    ToolId,
)

_ID = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}
Compressions = Annotated[
    list[CompressionId],
    WithJsonSchema({"anyOf": [{"type": "array", "items": _ID}, {"type": "string", "const": "all"}]}),
]
"""Ids of compressions; a file may say ``all``."""
DRAW = ("inputs", "skip", "overlap", "correct", "agree", "per_class")
"""Settings of a protocol that decide which inputs a run seed has. They stand, as the number of run seeds does, in the
list of seed inputs; how one was drawn changes no search that starts from it."""


class Tool(Strict):
    """A search tool: space + constraint + objective + searcher."""

    title: str | None = None
    """Display name; the id where it is not given."""
    like: Annotated[Id | None, Field(exclude=True)] = None
    """Tool that this one is like: only what differs is stated, parts setting by setting."""
    space: Part
    constraint: Part
    objective: Part
    searcher: Part
    engine: Literal["lockstep", "library"] = "lockstep"
    """``library`` runs the published library that the searcher follows (pyswarm, geneticalgorithm) itself, one search
    and one candidate at a time: the same search, slowly."""
    calibration: CalibrationId | None = None
    """Calibration whose strengths narrow the ranges of the space; full ranges where it is not given."""

    @model_validator(mode="after")
    def _parts_exist(self) -> "Tool":
        for kind in search_parts.FOLDERS:
            getattr(self, kind).resolve(kind)
        self._check_searcher()
        return self

    def _check_searcher(self) -> None:
        """Check that the searcher works in the space, where it names its spaces, and that a library runs it, if asked.

        The library checks the settings of the searcher too.
        """
        searcher = search_parts.load("searcher", self.searcher.name)
        spaces, levels = getattr(searcher, "SPACES", (self.space.name,)), getattr(searcher, "LEVELS", None)
        elsewhere = f"space: searcher '{self.searcher.name}' needs {' or '.join(spaces)}; name that space"
        of_8_bits = (
            f"space.{self.space.name}.levels: searcher '{self.searcher.name}' mutates images of 8 bits, whatever scale "
            f"a network wants them on; take levels: {levels}"
        )
        refuse(
            {
                elsewhere: self.space.name not in spaces,
                of_8_bits: levels and self.space.params.get("levels", levels) != levels,
                f"engine: no library runs searcher '{self.searcher.name}'; use lockstep": self.engine == "library"
                and not hasattr(searcher, "LIBRARY"),
            }
        )
        if self.engine == "library":
            try:
                import_module(searcher.LIBRARY).check(searcher.Params(**self.searcher.params))
            except QuantriftError as error:
                raise ValueError(f"searcher.{self.searcher.name}: {error}") from None


class Protocol(Strict):
    """Seeds, inputs, budget and stop of a set of searches."""

    run_seeds: Annotated[int, Field(ge=1)]
    """Independent repetitions, numbered from 0."""
    inputs: Annotated[int, Field(ge=1)] | Literal["all"]
    """Seed inputs of each run seed. ``all`` takes each test input that ``correct`` and ``agree`` admit, and needs a
    single run seed."""
    generations: Annotated[int, Field(ge=1)] = 25
    """Evaluated generations of a search, the initial one included (DiverGet counts these; PROTOCOL: Budgets)."""
    evaluations: Annotated[int, Field(ge=1)] | None = None
    """Largest number of candidates of a search, in place of ``generations``. Searchers whose generations differ in
    size then get the same budget, and each spends it in whole generations. Tools whose first generation is larger are
    refused."""
    batch: Annotated[int, Field(ge=1)] = 1
    """Seed inputs that one search distorts together: mean fitness, median PSNR (DiverGet §4.4.2, batch mode)."""
    goal: Literal["differ", "one_keeps", "targeted"] = "differ"
    """Candidates that a search looks for. ``differ``: the models give different labels. ``one_keeps``: exactly one of
    them keeps the label that both gave the seed input (DiffChaser, Section 3.1). ``targeted``: one keeps that label
    and the other gives a wanted class; every seed input is then searched once for each class but its own."""
    first_attack: bool = False
    """End a search with the generation in which it first reaches the goal."""
    patience: Annotated[int, Field(ge=1)] | None = None
    """End a search when neither the best fitness nor the number of difference-inducing inputs has changed for this
    number of generations (DiverGet Algorithm 1, line 14; the authors' earlier tool: 6)."""
    overlap: bool = False
    """Whether run seeds may share inputs; p-values are then left out."""
    skip: Annotated[int, Field(ge=0)] = 0
    """Inputs that are passed over before the first is drawn. All protocols draw from the same order of inputs, so a
    protocol that skips as many inputs as another one draws shares none with it."""
    correct: bool = True
    """Whether the original must classify a seed input correctly (DiverGet §5.2)."""
    agree: Compressions = Field(default_factory=list)
    """Compressions of the network whose models must give a seed input the same label as the original does; ``all``
    means those of the groups of subjects that experiments search under the protocol."""
    per_class: bool = False
    """Whether the inputs of each run seed are drawn equally over the classes."""
    candidates: Literal["all", "found"] = "all"
    """Candidates that have a row in the records: all valid ones, or only those on which the models differ. Counts are
    of all candidates in both cases."""
    isolated_of: Annotated[ProtocolId | None, Field(exclude_if=lambda name: name is None)] = None
    """Another protocol. The first ``inputs`` of its first run seed are searched again, one search after the other, each
    in the batches that it asks for. So the seconds of these records are those of each search alone. All other settings
    are those of that protocol; only ``first_attack`` may differ."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        of_all, targeted = self.inputs == "all", self.goal == "targeted"
        given = {name: of_all and getattr(self, name) for name in ("overlap", "skip", "per_class")}
        several = of_all and (self.run_seeds > 1 or self.batch > 1)
        batches = f"batch: {self.inputs} inputs do not make whole batches of {self.batch}; change one"
        isolated = f"isolated_of: a search by itself has one seed input, got batch: {self.batch}; remove it"
        return {
            **{f"{name}: inputs: all leaves nothing to choose from; remove {name}": own for name, own in given.items()},
            "inputs: all needs a single run seed and no batches; set run_seeds: 1 and batch: 1": several,
            batches: isinstance(self.inputs, int) and self.inputs % self.batch,
            isolated: self.isolated_of and self.batch > 1,
            "skip: run seeds that overlap draw from the whole pool; give only one of skip and overlap": self.skip
            and self.overlap,
            f"batch: a targeted search has one seed input, got {self.batch}; set it to 1": targeted and self.batch > 1,
            "correct: targets are all classes but a seed input's own; set correct: true": targeted and not self.correct,
        }

    @property
    def draw(self) -> list[Any]:
        """Values of the settings that decide which inputs a run seed has."""
        return [getattr(self, key) for key in DRAW]


class Subjects(Strict):
    """All combinations of some datasets, networks and compressions."""

    dataset: list[DatasetId]
    model: list[ModelId]
    compression: list[CompressionId]


class Experiment(Strict):
    """An experiment: some tools on some subjects under one protocol."""

    subjects: SubjectsId
    tools: list[ToolId]
    protocol: ProtocolId
