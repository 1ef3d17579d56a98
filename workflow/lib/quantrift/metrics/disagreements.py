"""Results and costs of single searches, as DiffChaser counts them (DiffChaser §4.2 to §4.5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from quantrift.metrics.invariants import check_counts
from quantrift.metrics.run_seeds import KEYS

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


def load(files: Mapping[tuple[str, ...], Sequence[Path]]) -> pd.DataFrame:
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
        read = pd.concat([pd.read_parquet(file) for file in blocks], ignore_index=True)
        searches = read.sort_values(["run_seed", "input", "target"], ignore_index=True)
        check_counts(searches)
        success = searches["first_reached"] > 0
        table = searches[["run_seed", "input", "cluster", "target", "true_label", "seed_disagrees"]].assign(
            success=success,
            fdi=searches["first_reached"].where(success).astype("float64"),
            spent=searches["generated"],
            tdi=searches["reached_distinct"],
            generations=searches["generations"],
            seconds=searches["seconds"],
        )
        whole = table.select_dtypes("integer").columns
        keys = dict(zip(KEYS, key, strict=True))
        tables.append(table.astype(dict.fromkeys(whole, "int64")).assign(**keys)[list(COLUMNS)])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
