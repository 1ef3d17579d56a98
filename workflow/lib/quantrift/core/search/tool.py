"""A search tool, built from its parts: space, constraint, objective and searcher."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from quantrift.core.base import search_parts
from quantrift.core.base.streams import stream
from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.search.carrying_parts import carrying_constraint, carrying_space
from quantrift.core.search.constraint import Constraint
from quantrift.core.search.messages import Problem, Search, Searcher
from quantrift.core.search.objective import Objective
from quantrift.core.search.space import Domain, Space

OBSERVED, TWINS = "quantrift.core.pairs.observed_pair", "quantrift.core.pairs.twins"
"""Modules loaded by name, so that the searches of other tools do not depend on their code."""


@dataclass(frozen=True, eq=False)
class Tool:
    """A tool for inputs of one kind."""

    id: str
    space: Space
    constraint: Constraint
    objective: Objective
    searcher: Searcher
    params: Any
    """Settings of the searcher."""

    def start(self, problem: Problem) -> Search:
        """A search on its own random stream, which depends on run seed, tool, seed input and target alone."""
        return self.searcher.search(problem, self.params, self.stream(problem))

    def stream(self, problem: Problem) -> np.random.Generator:
        """The random stream of a search; the first seed input stands for all of a batch."""
        target = [] if problem.target is None else [problem.target]
        return stream("search", self.id, problem.run_seed, problem.dataset, problem.indices[0], *target)


def build(
    tool_id: str,
    settings: Mapping[str, Mapping[str, Any]],
    domain: Domain,
    profile: Profile | None = None,
) -> Tool:
    """The tool of resolved settings: each kind of part has its ``name`` and all its ``params``.

    Args:
        tool_id: name of the tool; part of the key of its random streams.
        settings: ``{"space": {"name": ..., "params": {...}}, "constraint": ..., "objective": ..., "searcher": ...}``.
        domain: the inputs it is for.
        profile: values that the neurons take on the training inputs, for an objective that looks into the networks.
    """
    modules = {kind: search_parts.load(kind, settings[kind]["name"]) for kind in search_parts.FOLDERS}
    params = {kind: modules[kind].Params(**settings[kind]["params"]) for kind in search_parts.FOLDERS}
    objective = params["objective"]
    if hasattr(modules["objective"], "bind"):
        objective = modules["objective"].bind(objective, *([profile] if profile else []))
    return Tool(
        id=tool_id,
        space=carrying_space(modules["space"].bind(params["space"], domain), domain),
        constraint=carrying_constraint(modules["constraint"].bind(params["constraint"], domain), domain),
        objective=objective,
        searcher=cast(Searcher, modules["searcher"]),
        params=params["searcher"],
    )


def looks_into_networks(settings: Mapping[str, Mapping[str, Any]]) -> bool:
    """True where the objective of a tool's settings needs values of neurons, and thus a profile of the original."""
    return bool(getattr(search_parts.load("objective", settings["objective"]["name"]), "NEURONS", False))


def follows_gradients(settings: Mapping[str, Mapping[str, Any]]) -> bool:
    """True where the searcher of a tool's settings follows gradients, and so needs twins of both models."""
    return bool(getattr(search_parts.load("searcher", settings["searcher"]["name"]), "GRADIENTS", False))


def modules_by_name(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Modules that the searches of a tool load by name, beside those of its parts."""
    needed = {OBSERVED: looks_into_networks(settings), TWINS: follows_gradients(settings)}
    return [name for name, is_needed in needed.items() if is_needed]
