"""Suites that tools of others can join: pairs, seed inputs, budgets and built-in tools, stated in ``suite/suites``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from quantrift.core.base.errors import QuantriftError, check_name, first_mistake
from quantrift.core.base.yaml_files import read_yaml
from quantrift.core.settings.fields import Strict

FOLDER = Path(__file__).parent / "suites"


class OfWorkflow(Strict):
    """A pair that the workflow builds."""

    configuration: str
    """File in the folder ``config`` of the project."""
    dataset: str
    model: str
    compression: str


class Pair(Strict):
    """An original and its compressed version, from the package or from the workflow."""

    title: str
    example: Literal["int8", "dynamic"] | None = None
    """Compressed version of the pair that the package brings."""
    workflow: OfWorkflow | None = None
    mirror: bool = False
    """Whether it needs official files, which a mirror holds."""

    @model_validator(mode="after")
    def _of_one_place(self) -> "Pair":
        if (self.example is None) == (self.workflow is None):
            raise ValueError("state either example or workflow")
        return self


class Comparison(Strict):
    """Seed inputs and budgets that all tools of one kind share."""

    title: str
    source: str
    """Work whose numbers these are."""
    seeds: Annotated[int, Field(ge=1)]
    """Seed inputs, at most."""
    evaluations: Annotated[int, Field(ge=1)]
    """Candidates of each search, at most."""
    first: bool
    """Whether a search ends with its first disagreement."""
    tools: Mapping[str, Mapping[str, Any]]
    """Id -> parts of a built-in tool; of natural ones the searcher alone, as inputs decide the other parts."""


class Suite(Strict):
    """A suite."""

    title: str
    pairs: Mapping[str, Pair]
    comparisons: Mapping[Literal["natural", "noise"], Comparison]
    """By the kind of their changes: natural ones, and noise without a limit."""

    def chosen(self, names: list[str] | None) -> dict[str, Pair]:
        """Pairs by name, all where none is named.

        Raises:
            QuantriftError: there is no such pair.
        """
        for name in names or ():
            check_name(f"the suite has no pair '{name}'", name, self.pairs)
        return {name: self.pairs[name] for name in names or self.pairs}


def names() -> tuple[str, ...]:
    """The suites there are, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def load(name: str) -> Suite:
    """A suite.

    Raises:
        QuantriftError: there is none of that name, or its file is wrong.
    """
    check_name(f"there is no suite '{name}'", name, names())
    path = FOLDER / f"{name}.yaml"
    try:
        return Suite.model_validate(read_yaml(path))
    except ValidationError as error:
        raise QuantriftError(f"{path}: {first_mistake(error)}") from None
