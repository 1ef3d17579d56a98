"""Readings of a paper that leaves settings open: tools that read them alike, one of each searcher."""

import json
from collections.abc import Iterator, Mapping, Sequence
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


def readings(searches: Sequence[Search], tools: Mapping[str, Stated], protocols: Mapping[str, Stated]) -> list[Reading]:
    """The reading of each search with PSO, in their order; one that lacks a partner is left out.

    A partner has the same space, constraint and calibration; GA also the same variant of PSO, objective and patience.
    Random sampling never stops early.
    """
    return [reading for _, reading in _paired(searches, tools, protocols) if isinstance(reading, Reading)]


def alone(searches: Sequence[Search], tools: Mapping[str, Stated], protocols: Mapping[str, Stated]) -> Iterator[str]:
    """One line for each search with PSO that lacks a partner, and for each tool of another searcher."""
    for tool, _ in searches:
        if tools[tool]["searcher"]["name"] not in SEARCHERS:
            yield f"'{tool}' is no tool of {', '.join(SEARCHERS)}; leave it out of the experiments"
    for (tool, protocol), found in _paired(searches, tools, protocols):
        if not isinstance(found, Reading):
            yield (
                f"'{tool}' under {protocol} has no tool of searcher {found} beside it that reads the settings alike; "
                "add one to the experiments"
            )


def _paired(
    searches: Sequence[Search], tools: Mapping[str, Stated], protocols: Mapping[str, Stated]
) -> Iterator[tuple[Search, Reading | Searcher]]:
    """Each search with PSO and its reading, or the searcher that is missing."""
    partners: dict[tuple[str, str], Search] = {}
    for tool, protocol in searches:
        searcher = tools[tool]["searcher"]["name"]
        if searcher == "ga" or (searcher == "random" and protocols[protocol]["patience"] is None):
            partners.setdefault((searcher, _shared(searcher, tools[tool], protocols[protocol])), (tool, protocol))
    for tool, protocol in searches:
        if tools[tool]["searcher"]["name"] != "pso":
            continue
        stated = tools[tool], protocols[protocol]
        sampling, genetic = (partners.get((other, _shared(other, *stated))) for other in ("random", "ga"))
        if sampling and genetic:
            reading = Reading({"random": sampling, "pso": (tool, protocol), "ga": genetic}, _keys(*stated))
            yield (tool, protocol), reading
        else:
            yield (tool, protocol), "ga" if sampling else "random"


def _shared(searcher: str, tool: Stated, protocol: Stated) -> str:
    """What a tool shares with one of this searcher that reads the open settings alike."""
    shared: list[Any] = [tool["space"], tool["constraint"], tool["calibration"]]
    if searcher == "ga":
        shared += [tool["objective"], tool["searcher"]["params"]["variant"], protocol["patience"]]
    return json.dumps(shared, sort_keys=True)


def _keys(tool: Stated, protocol: Stated) -> dict[str, str]:
    swarm = tool["searcher"]["params"]
    stops = []
    if protocol["patience"] is not None:
        stops.append(f"patience {protocol['patience']}")
    if swarm["minfunc"] or swarm["minstep"]:
        stops.append("pyswarm")
    return {
        "peak": str(tool["constraint"]["params"].get("peak", "")),
        "ranges": tool["calibration"] or "full",
        "distortions": str(tool["space"]["params"].get("variant", "")),
        "infeasible": swarm["infeasible"],
        "stop": ", ".join(stops) or "none",
    }
