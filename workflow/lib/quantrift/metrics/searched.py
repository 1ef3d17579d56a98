"""Files of searches by what was searched, told from their places in a results folder."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quantrift.config.errors import QuantriftError

Searched = tuple[str, str, str, str]
"""(dataset, model, compression, tool)."""


def blocks(files: Mapping[tuple[str, ...], Sequence[Path]] | Iterable[Path]) -> dict[Searched, list[Path]]:
    """What was searched -> its candidates tables, in the order of the files.

    Args:
        files: (dataset, network, compression, tool, protocol) -> candidates tables; or these tables in folders of such
            names, <dataset>/<network>/<compression>/<tool>/<protocol>/<block>.parquet.

    Raises:
        QuantriftError: a tool searched a subject under two protocols.
    """
    keyed = files.items() if isinstance(files, Mapping) else ((file.parts[-6:-1], [file]) for file in files)
    found: dict[Searched, list[Path]] = {}
    protocols: dict[Searched, str] = {}
    for (dataset, model, compression, tool, protocol), own in keyed:
        searched = dataset, model, compression, tool
        if protocols.setdefault(searched, protocol) != protocol:
            raise _two_protocols(searched, protocols[searched], protocol)
        found.setdefault(searched, []).extend(own)
    return found


def outcomes(files: Iterable[Path]) -> dict[Searched, Path]:
    """What was searched -> the one file made from its records.

    Args:
        files: <dataset>/<network>/<compression>/<tool>/<protocol>.parquet.

    Raises:
        QuantriftError: a tool searched a subject under two protocols.
    """
    found: dict[Searched, Path] = {}
    for file in files:
        dataset, model, compression, tool = file.parts[-5:-1]
        other = found.setdefault((dataset, model, compression, tool), file)
        if other.stem != file.stem:
            raise _two_protocols(file.parts[-5:-1], other.stem, file.stem)
    return found


def by_tool(files: Mapping[tuple[str, ...], Sequence[Path]]) -> dict[Searched, list[Path]]:
    """What was searched -> its files, in their order, which have one protocol.

    Args:
        files: (dataset, model, compression, tool, protocol) -> files of these searches.

    Raises:
        QuantriftError: a tool searched a subject under two protocols.
    """
    found: dict[Searched, tuple[str, list[Path]]] = {}
    for (dataset, model, compression, tool, protocol), own in files.items():
        other, paths = found.setdefault((dataset, model, compression, tool), (protocol, []))
        if other != protocol:
            raise _two_protocols((dataset, model, compression, tool), other, protocol)
        paths += own
    return {searched: paths for searched, (_, paths) in found.items()}


def _two_protocols(searched: Iterable[str], first: str, second: str) -> QuantriftError:
    return QuantriftError(
        f"{'/'.join(searched)}: searched under {first} and under {second}; name experiments of one protocol in `from`"
    )
