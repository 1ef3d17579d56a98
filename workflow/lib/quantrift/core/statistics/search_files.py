"""Files of searches by dataset, model, compression and tool, under one protocol each."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from quantrift.core.base.errors import QuantriftError

Searched = tuple[str, str, str, str]
"""(dataset, model, compression, tool)."""


def by_tool(files: Mapping[tuple[str, ...], Sequence[Path]]) -> dict[Searched, list[Path]]:
    """(dataset, model, compression, tool) -> its files, in their order, all under one protocol.

    Args:
        files: (dataset, model, compression, tool, protocol) -> files of these searches.

    Raises:
        QuantriftError: a tool searched a subject under two protocols.
    """
    found: dict[Searched, tuple[str, list[Path]]] = {}
    for (dataset, model, compression, tool, protocol), own in files.items():
        other, paths = found.setdefault((dataset, model, compression, tool), (protocol, []))
        if other != protocol:
            raise QuantriftError(
                f"{dataset}/{model}/{compression}/{tool}: searched under {other} and under {protocol}; name "
                "experiments of one protocol in `from`"
            )
        paths += own
    return {searched: paths for searched, (_, paths) in found.items()}
