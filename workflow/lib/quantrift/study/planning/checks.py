"""Checks of a configuration as a whole: each yields a line for each mistake, which begins with its key."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path

from quantrift.core.base import search_parts
from quantrift.core.settings.compressions import Compression
from quantrift.core.settings.datasets import Dataset
from quantrift.core.settings.model_files import ImageInputs, ModelFile
from quantrift.core.settings.searches import Experiment, Protocol, Subjects, Tool


def channels(
    subjects: Mapping[str, Subjects],
    datasets: Mapping[str, Dataset],
    files: Mapping[str, ModelFile],
    folders: Sequence[Path],
) -> Iterator[str]:
    """Networks whose ``mean`` or ``std`` has other numbers than the images of their datasets have channels.

    Args:
        subjects: groups of subjects.
        datasets: by id.
        files: networks from files, by id.
        folders: of files of datasets, in the order in which they are searched. A file that is in none of them yet is
            checked once it is read.
    """
    pairs = {pair for one in subjects.values() for pair in product(one.dataset, one.model) if pair[1] in files}
    for (dataset, model), name in product(sorted(pairs), ("mean", "std")):
        inputs = files[model].inputs
        stated = len(getattr(inputs, name)) if isinstance(inputs, ImageInputs) else 0
        channels = datasets[dataset].channels_in(folders) if stated else None
        if channels is not None and channels != stated:
            yield (
                f"models.{model}.inputs.{name}: has {stated} numbers, images of '{dataset}' have {channels} channels; "
                "give as many"
            )


def overlaps(
    protocols: Mapping[str, Protocol], experiments: Mapping[str, Experiment], subjects: Mapping[str, Subjects]
) -> Iterator[str]:
    """Protocols with ``skip`` that skip too little to share no input with one that skips nothing.

    Inputs are drawn by dataset and network, so only protocols that experiments use on the same dataset and network
    are compared.
    """
    pools: dict[str, set[tuple[str, str]]] = {name: set() for name in protocols}
    for experiment, group in ((one, subjects[one.subjects]) for one in experiments.values()):
        pools[experiment.protocol] |= {*product(group.dataset, group.model)}
    for (name, later), (other, first) in product(protocols.items(), repeat=2):
        if later.skip and not first.skip and pools[name] & pools[other]:
            drawn = 0 if first.inputs == "all" else first.run_seeds * first.inputs
            faults = {
                f"'{other}' draws all inputs, so none is left; search it on other networks": first.inputs == "all",
                f"'{other}' draws from another pool; state the same correct in both": first.correct != later.correct,
                f"'{other}' has overlap: true and draws from all inputs; remove it": first.overlap,
                f"how many inputs '{other}' goes through depends on the labels of its networks; remove agree and "
                "per_class there": first.agree or first.per_class,
                f"'{other}' draws the first {drawn} inputs; skip at least as many": drawn > later.skip,
            }
            yield from [f"protocols.{name}.skip: {fault}" for fault, there in faults.items() if there][:1]


def runtimes(
    experiments: Mapping[str, Experiment],
    subjects: Mapping[str, Subjects],
    compressions: Mapping[str, Compression],
    tools: Mapping[str, Tool],
) -> Iterator[str]:
    """Experiments with a tool that uses neurons of an original whose runtime does not show them, as LiteRT alone does.

    Compressed networks from files are searched beside an original on LiteRT.
    """
    for label, experiment in experiments.items():
        objectives = {name: search_parts.load("objective", tools[name].objective.name) for name in experiment.tools}
        looking = [name for name, objective in objectives.items() if getattr(objective, "NEURONS", False)]
        beside = {name: compressions.get(name) for name in subjects[experiment.subjects].compression if looking}
        yield from (
            f"experiments.{label}.tools: {looking[0]} uses neurons of the original, which runs on "
            f"{own.original_runtime} beside {name}; leave one of the two out"
            for name, own in beside.items()
            if own and own.original_runtime != "litert"
        )


def searches(
    experiments: Mapping[str, Experiment],
    subjects: Mapping[str, Subjects],
    datasets: Mapping[str, Dataset],
    tools: Mapping[str, Tool],
    protocols: Mapping[str, Protocol],
) -> Iterator[str]:
    """Tools of experiments that would exceed their budget, or need images where there are none."""
    for label, experiment in experiments.items():
        scenes = [name for name in subjects[experiment.subjects].dataset if datasets[name].scene]
        for name in experiment.tools:
            tool, where = tools[name], f"experiments.{label}.tools: '{name}'"
            if over := _over(tool, protocols[experiment.protocol]):
                yield f"{where} {over.format(protocol=experiment.protocol)}"
            images_alone = getattr(search_parts.load("space", tool.space.name), "images_alone", None)
            if scenes and images_alone and images_alone(_settings(tool, "space")):
                levels = tool.space.params.get("levels")
                what, do = "images of 8 bits", "take another space"
                if levels:
                    what, do = f"images of {levels} levels", f"set space.{tool.space.name}.levels: null"
                yield f"{where} searches {what}, and '{scenes[0]}' is a scene; {do}"


def _over(tool: Tool, protocol: Protocol) -> str:
    """Reason why a search of the tool would exceed its budget, with a place for the protocol's name; empty if none."""
    searcher = search_parts.load("searcher", tool.searcher.name)
    least = getattr(import_module(searcher.LIBRARY), "GENERATIONS", 1) if tool.engine == "library" else 1
    if protocol.evaluations is None:
        wanted = (
            f"runs a library that goes on for {least} generations at least, and protocol '{{protocol}}' has "
            f"{protocol.generations}; raise them, or take engine: lockstep"
        )
        return wanted if protocol.generations < least else ""
    if getattr(searcher, "VALID_ALONE", False):
        return (
            "counts valid candidates alone and draws until there are enough, and protocol '{protocol}' bounds what is "
            "evaluated; take a protocol with generations, or another searcher"
        )
    # A searcher of a plug-in need not state it; its search job counts candidates.
    first, later = getattr(_settings(tool, "searcher"), "sizes", (1, 1))
    needed = first + (least - 1) * later
    wanted = (
        f"evaluates {needed} candidates before it can end, and protocol '{{protocol}}' allows {protocol.evaluations} "
        f"evaluations; raise them, or give searcher.{tool.searcher.name} fewer members"
    )
    return wanted if needed > protocol.evaluations else ""


def _settings(tool: Tool, kind: str) -> object:
    part = getattr(tool, kind)
    return search_parts.load(kind, part.name).Params(**part.params)
