"""Check that tools which use neurons search only where the original runs on LiteRT, which alone shows them."""

from collections.abc import Iterator, Mapping

from quantrift.core.base import search_parts
from quantrift.core.settings.compressions import Compression
from quantrift.core.settings.searches import Experiment, Subjects, Tool


def mistakes(
    experiments: Mapping[str, Experiment],
    subjects: Mapping[str, Subjects],
    compressions: Mapping[str, Compression],
    tools: Mapping[str, Tool],
) -> Iterator[str]:
    """One line for each experiment with a tool that uses neurons of an original whose runtime does not show them."""
    for label, experiment in experiments.items():
        looking = [
            name
            for name in experiment.tools
            if getattr(search_parts.load("objective", tools[name].objective.name), "NEURONS", False)
        ]
        for compression in subjects[experiment.subjects].compression if looking else ():
            # Compressed networks from files are searched beside an original on LiteRT.
            settings = compressions.get(compression)
            if settings and settings.original_runtime != "litert":
                yield (
                    f"experiments.{label}.tools: {looking[0]} uses neurons of the original, which runs on "
                    f"{settings.original_runtime} beside {compression}; leave one of the two out"
                )
