"""Check that tools of experiments keep to the budget and can search the inputs."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from quantrift.core.base import search_parts
from quantrift.core.settings.datasets import Dataset
from quantrift.core.settings.searches import Experiment, Protocol, Subjects, Tool


def mistakes(
    experiments: Mapping[str, Experiment],
    subjects: Mapping[str, Subjects],
    datasets: Mapping[str, Dataset],
    tools: Mapping[str, Tool],
    protocols: Mapping[str, Protocol],
) -> Iterator[str]:
    """One line for each tool of an experiment that would exceed its budget, or needs images where there are none."""
    for label, experiment in experiments.items():
        scenes = [name for name in subjects[experiment.subjects].dataset if datasets[name].scene]
        for name in experiment.tools:
            tool, where = tools[name], f"experiments.{label}.tools: '{name}'"
            if over := _over(tool, protocols[experiment.protocol]):
                yield f"{where} {over.format(protocol=experiment.protocol)}"
            images_alone = getattr(search_parts.load("space", tool.space.name), "images_alone", None)
            if scenes and images_alone and images_alone(_params(tool, "space")):
                levels = tool.space.params.get("levels")
                what, do = ("images of 8 bits", "take another space")
                if levels:
                    what, do = f"images of {levels} levels", f"set space.{tool.space.name}.levels: null"
                yield f"{where} searches {what}, and '{scenes[0]}' is a scene; {do}"


def _params(tool: Tool, kind: str) -> object:
    part = getattr(tool, kind)
    return search_parts.load(kind, part.name).Params(**part.params)


def _over(tool: Tool, protocol: Protocol) -> str:
    """Reason why a search of the tool would exceed its budget, with a place for the protocol's name; empty if none."""
    searcher = search_parts.load("searcher", tool.searcher.name)
    least = 1
    if tool.engine == "library":
        least = getattr(import_module(searcher.LIBRARY), "GENERATIONS", 1)
    if protocol.evaluations is None:
        if protocol.generations >= least:
            return ""
        return (
            f"runs a library that goes on for {least} generations at least, and protocol '{{protocol}}' has "
            f"{protocol.generations}; raise them, or take engine: lockstep"
        )
    if getattr(searcher, "VALID_ALONE", False):
        return (
            "counts valid candidates alone and draws until there are enough, and protocol '{protocol}' bounds what is "
            "evaluated; take a protocol with generations, or another searcher"
        )
    # A searcher of a plug-in need not state it; its search job counts candidates.
    first, later = getattr(_params(tool, "searcher"), "sizes", (1, 1))
    needed = first + (least - 1) * later
    if needed <= protocol.evaluations:
        return ""
    return (
        f"evaluates {needed} candidates before it can end, and protocol '{{protocol}}' allows {protocol.evaluations} "
        f"evaluations; raise them, or give searcher.{tool.searcher.name} fewer members"
    )
