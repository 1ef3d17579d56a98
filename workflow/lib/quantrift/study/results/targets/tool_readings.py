"""Readings of a paper that leaves settings open: tools that read them alike, one of each searcher."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Searcher = Literal["random", "pso", "ga"]
SEARCHERS: tuple[Searcher, ...] = ("random", "pso", "ga")
Search = tuple[str, str]
"""(tool, protocol)."""
Stated = Mapping[str, Any]
"""Resolved settings of a tool or a protocol, as plain values."""


@dataclass(frozen=True)
class Reading:
    """A search with PSO, and the searches with GA and random sampling that read the open settings alike."""

    of: Mapping[Searcher, Search]
    """Searcher -> its search."""
    keys: Mapping[str, str]
    """Open setting -> how it is read: ``peak``, ``ranges``, ``distortions``, ``infeasible`` and ``stop``."""


def readings(
    searches: Sequence[Search], tools: Mapping[str, Stated], protocols: Mapping[str, Stated]
) -> tuple[list[Reading], list[Search]]:
    """The reading of each search with PSO, and the searches with PSO that lack a partner, in their order.

    A partner has the same space, constraint and calibration; GA also the same objective, patience and variant as PSO.
    Random sampling never stops early.

    Args:
        searches: of tools whose searchers are among ``SEARCHERS``.
        tools: settings of the tools, by id.
        protocols: settings of the protocols, by id.
    """
    partners: dict[tuple[str, str], Search] = {}
    swarms: list[Search] = []
    for tool, protocol in searches:
        searcher = tools[tool]["searcher"]["name"]
        if searcher == "pso":
            swarms.append((tool, protocol))
        elif searcher == "ga" or (searcher == "random" and protocols[protocol]["patience"] is None):
            partners.setdefault((searcher, _shared(searcher, tools[tool], protocols[protocol])), (tool, protocol))
    found: list[Reading] = []
    alone: list[Search] = []
    for tool, protocol in swarms:
        stated = tools[tool], protocols[protocol]
        sampling, genetic = (partners.get((other, _shared(other, *stated))) for other in ("random", "ga"))
        if sampling and genetic:
            found.append(Reading({"random": sampling, "pso": (tool, protocol), "ga": genetic}, _keys(*stated)))
        else:
            alone.append((tool, protocol))
    return found, alone


def _shared(searcher: str, tool: Stated, protocol: Stated) -> str:
    """What a tool shares with one of this searcher that reads the open settings alike."""
    shared: list[Any] = [tool["space"], tool["constraint"], tool["calibration"]]
    if searcher == "ga":
        shared += [tool["objective"], tool["searcher"]["params"]["variant"], protocol["patience"]]
    return json.dumps(shared, sort_keys=True)


def _keys(tool: Stated, protocol: Stated) -> dict[str, str]:
    swarm, patience = tool["searcher"]["params"], protocol["patience"]
    stops = {f"patience {patience}": patience is not None, "pyswarm": swarm["minfunc"] or swarm["minstep"]}
    return {
        "peak": str(tool["constraint"]["params"].get("peak", "")),
        "ranges": tool["calibration"] or "full",
        "distortions": str(tool["space"]["params"].get("variant", "")),
        "infeasible": swarm["infeasible"],
        "stop": ", ".join(name for name, given in stops.items() if given) or "none",
    }
