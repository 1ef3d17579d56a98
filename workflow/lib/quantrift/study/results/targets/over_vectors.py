"""Records of searches by the fitness functions that targets over vectors compare."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.targets.results import Files
from quantrift.study.results.targets.target import VectorTarget

T = TypeVar("T")


def compared(settings: VectorTarget, files: Files) -> list[tuple[tuple[str, ...], str, Mapping[str, Sequence[Path]]]]:
    """Subject, metaheuristic, and the records of each of its fitness functions, where all of them were searched."""
    found = by_tool(files)
    return [
        (subject, metaheuristic, {name: found[*subject, tool] for name, tool in fitness.items()})
        for subject in dict.fromkeys((dataset, model, compression) for dataset, model, compression, _ in found)
        for metaheuristic, fitness in settings.metaheuristics.items()
        if all((*subject, tool) in found for tool in fitness.values())
    ]
