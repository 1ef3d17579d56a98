"""Searches of finite neighbourhoods beside their enumeration, as tables and figures read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Arrays, in_order, joined, places
from quantrift.core.statistics.invariants import check_counts
from quantrift.core.statistics.recall import Disagreements

EXHAUSTIVE, SPACE = "exhaustive", "neighbourhood"
"""Names of the searcher that gives the truth, and of the space of all tools."""
KEYS = ["run_seed", "input"]


@dataclass(frozen=True, eq=False)
class Enumerated:
    """One neighbourhood of the seed inputs of one subject: the enumeration, and the other tools' findings."""

    subject: tuple[str, ...]
    """Dataset, network, compression."""
    neighbourhood: str
    """Changes whose combinations are enumerated, as its tools state them."""
    truth: Arrays
    """Counts of the enumeration, a row a seed input."""
    known: Disagreements
    """All disagreements that there are."""
    found: Mapping[str, Disagreements]
    """Tool -> those that it found; its seeds are rows of ``truth``."""
    queries: Mapping[str, int]
    """Tool -> evaluations of its longest search."""


def read(
    counted: Mapping[tuple[str, ...], Sequence[Path]],
    records: Mapping[tuple[str, ...], Sequence[Path]],
    tools: Mapping[str, Mapping[str, Any]],
) -> Iterator[Enumerated]:
    """Each neighbourhood of each subject, in the order of the searches.

    Args:
        counted: (dataset, network, compression, tool) -> tables of searches, one for each block of seed inputs.
        records: the same -> tables of candidates.
        tools: tool -> its settings.

    Raises:
        QuantriftError: tools started from different inputs, or counts of a file contradict themselves.
    """
    of: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for search in counted:
        *subject, tool, _ = search
        text = str(tools[tool]["space"]["params"]["of"])
        of.setdefault((*subject, text), {})[tool] = search
    for (*subject, text), own in of.items():
        [exhaustive] = (one for one in own if tools[one]["searcher"]["name"] == EXHAUSTIVE)
        searches = {tool: _searches(counted[search]) for tool, search in own.items()}
        truth = searches.pop(exhaustive)
        for tool, one in searches.items():
            if not all(np.array_equal(one[name], truth[name]) for name in KEYS):
                raise QuantriftError(
                    f"{'/'.join((*subject, text))}: {tool} and {exhaustive} started from different inputs; search them "
                    "under one protocol"
                )
        yield Enumerated(
            tuple(subject),
            text,
            truth,
            _disagreements(records[own[exhaustive]], truth),
            {tool: _disagreements(records[own[tool]], truth) for tool in searches},
            {tool: int(searches[tool]["generated"].max()) for tool in searches},
        )


def _searches(blocks: Sequence[Path]) -> Arrays:
    searches = in_order(joined([table_files.read(file) for file in blocks]), KEYS)
    check_counts(searches)
    return searches


def _disagreements(blocks: Sequence[Path], searches: Arrays) -> Disagreements:
    """The disagreements in candidates tables; their seeds are rows of the searches of the same seed inputs."""
    columns = [*KEYS, "evaluation", "digest", "label_original", "label_compressed"]
    table = joined([table_files.read(file, columns) for file in blocks])
    differ = table["label_original"] != table["label_compressed"]
    seed = places([table[name][differ] for name in KEYS], [searches[name] for name in KEYS])
    return Disagreements(seed, table["evaluation"][differ], table["digest"][differ])
