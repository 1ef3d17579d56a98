"""A search tool put together from its parts: space + constraint + objective + searcher."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from quantrift.config import parts
from quantrift.config.streams import stream
from quantrift.search.constraint import Constraint
from quantrift.search.messages import Problem, Search, Searcher
from quantrift.search.objective import Objective
from quantrift.search.space import Space


@dataclass(frozen=True, eq=False)
class Tool:
    """A tool for inputs of one shape."""

    id: str
    space: Space
    constraint: Constraint
    objective: Objective
    searcher: Searcher
    params: object
    """Settings of the searcher."""

    def start(self, problem: Problem) -> Search:
        """A search on its own random stream, which depends on run seed, tool and seed input alone."""
        rng = stream("search", self.id, problem.run_seed, problem.dataset, problem.index)
        return self.searcher.search(problem, self.params, rng)


def build(tool_id: str, settings: Mapping[str, Mapping[str, Any]], shape: tuple[int, int, int]) -> Tool:
    """The tool of resolved settings: each kind of part has its ``name`` and all its ``params``.

    Args:
        tool_id: name of the tool; part of the key of its random streams.
        settings: ``{"space": {"name": ..., "params": {...}}, "constraint": ..., "objective": ..., "searcher": ...}``.
        shape: (H, W, C) of the inputs.
    """
    modules = {kind: parts.load(kind, settings[kind]["name"]) for kind in parts.FOLDERS}
    params = {kind: modules[kind].Params(**settings[kind]["params"]) for kind in parts.FOLDERS}
    return Tool(
        id=tool_id,
        space=modules["space"].bind(params["space"], shape),
        constraint=modules["constraint"].bind(params["constraint"]),
        objective=modules["objective"].bind(params["objective"]),
        searcher=cast(Searcher, modules["searcher"]),
        params=params["searcher"],
    )
