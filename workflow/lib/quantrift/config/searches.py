"""Settings of searches: tools, protocols, subjects, experiments, records and the engine."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from quantrift.config import parts
from quantrift.config.base import Id, Strict
from quantrift.config.errors import first_mistake, nearest


def _one_part(value: Any) -> Any:
    """``random`` and ``{pso: {swarm: 10}}`` as ``{"name": ..., "params": {...}}``."""
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, dict) and set(value) <= {"name", "params"} and "name" in value:
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(name, params)] = value.items()
        return {"name": name, "params": params or {}}
    raise ValueError("expected one part: a name, or one name with its settings")


class PartSettings(Strict):
    """The name of a part and its settings."""

    name: str
    params: dict[str, Any] = Field(default_factory=dict)


Part = Annotated[PartSettings, BeforeValidator(_one_part)]


class Tool(Strict):
    """A search tool: space + constraint + objective + searcher."""

    title: str | None = None
    """Name for people; the id where it is not given."""
    space: Part
    constraint: Part
    objective: Part
    searcher: Part

    @model_validator(mode="after")
    def _parts_exist(self) -> "Tool":
        for kind in parts.FOLDERS:
            part: PartSettings = getattr(self, kind)
            names = parts.available(kind)
            if part.name not in names:
                raise ValueError(f"{kind}: unknown {kind} '{part.name}'; {nearest(part.name, names)}")
            params = parts.load(kind, part.name).Params
            for key in part.params:
                if key not in params.__dataclass_fields__:
                    hint = nearest(key, params.__dataclass_fields__)
                    raise ValueError(f"{kind}.{part.name}: unknown key '{key}'; {hint}")
            try:
                full = TypeAdapter(params).validate_python(part.params)
            except ValidationError as error:
                raise ValueError(f"{kind}.{part.name}.{first_mistake(error)}") from None
            part.params.clear()
            part.params.update(asdict(full))
        return self


class Protocol(Strict):
    """Seeds, inputs, budget and stop of a set of searches."""

    run_seeds: Annotated[int, Field(ge=1)]
    """Independent repetitions, numbered from 0."""
    inputs: Annotated[int, Field(ge=1)]
    """Seed inputs of each run seed."""
    generations: Annotated[int, Field(ge=1)] = 25
    """Evaluated generations of a search, the initial one included."""
    overlap: bool = False
    """Whether run seeds may share inputs; p-values are then left out."""


class Subjects(Strict):
    """All combinations of some datasets, networks and compressions."""

    dataset: list[Id]
    model: list[Id]
    compression: list[Id]


class Experiment(Strict):
    """Some tools on some subjects under one protocol."""

    subjects: Id
    tools: list[Id]
    protocol: Id


class Sample(Strict):
    """A fixed number of difference-inducing inputs of each search, drawn evenly."""

    sample: Annotated[int, Field(ge=1)]


class RecordSettings(Strict):
    """What is stored of each search beside its counts."""

    vectors: Literal["all", "first"] | Sample = Sample(sample=20)
    """Of which difference-inducing inputs the transformation vector is stored."""


class EngineSettings(Strict):
    """How searches are run; nothing here changes a result."""

    block: Annotated[int, Field(ge=1)] = 5
    """Run seeds searched by one job."""
    batch: Annotated[int, Field(ge=1, le=256)] = 256
    """Candidates decoded, checked and run together; also the largest number of inputs a model is given at once."""
    memory_mb: Annotated[int, Field(ge=50)] = 500
    """Room for the decoded inputs of a batch; where they are so large that it matters, batches are smaller."""
