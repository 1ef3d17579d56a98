"""Results and costs of single searches, as DiffChaser counts them (DiffChaser §4.2 to §4.5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base.table_columns import Arrays, joined
from quantrift.core.statistics.invariants import read_searches
from quantrift.core.statistics.run_seeds import KEYS

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *KEYS,
    "run_seed",
    "input",
    "cluster",
    "target",
    "true_label",
    "seed_disagrees",
    "success",
    "fdi",
    "spent",
    "tdi",
    "generations",
    "seconds",
)


def load(files: Mapping[tuple[str, ...], Sequence[Path]]) -> "pd.DataFrame":
    """``read`` as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(read(files))


def read(files: Mapping[tuple[str, ...], Sequence[Path]]) -> Arrays:
    """One row a search, in the order of the files, then by run seed, input and target.

    Columns, in this order: ``dataset``, ``model``, ``compression``, ``tool``, ``protocol`` (str), ``run_seed``,
    ``input`` (int64), ``cluster`` (int64, equal for inputs that are not independent cases), ``target`` (int64, the
    target class; -1 where the goal is not targeted), ``true_label`` (int64), ``seed_disagrees`` (bool: the
    models differ on the seed input itself, so that DiffChaser's goals cannot be reached), ``success`` (bool: a
    candidate reached the goal of the protocol), ``fdi`` (float64: candidates evaluated up to the end of the generation
    in which the goal was first reached; NaN without success), ``spent`` (int64: all candidates evaluated), ``tdi``
    (int64: distinct decoded inputs that reached the goal), ``generations`` (int64: evaluated ones, the initial one
    included) and ``seconds`` (float64: charged processor time of the whole search, which differs from run to run).

    Args:
        files: (dataset, network, compression, tool, protocol) -> tables of searches, one for each block.

    Raises:
        QuantriftError: the counts of a file contradict themselves.
    """
    tables = []
    for key, blocks in files.items():
        searches = read_searches(blocks, ["run_seed", "input", "target"])
        success = searches["first_reached"] > 0
        table = {name: np.full(len(success), one, object) for name, one in zip(KEYS, key, strict=True)}
        table |= {name: searches[name] for name in ("run_seed", "input", "cluster", "target", "true_label")}
        table |= {
            "seed_disagrees": searches["seed_disagrees"],
            "success": success,
            "fdi": np.where(success, searches["first_reached"].astype(np.float64), np.nan),
            "spent": searches["generated"],
            "tdi": searches["reached_distinct"],
            "generations": searches["generations"],
            "seconds": searches["seconds"],
        }
        tables.append({name: one.astype(np.int64) if one.dtype.kind in "iu" else one for name, one in table.items()})
    return joined(tables) if tables else {name: np.empty(0, object) for name in COLUMNS}
