"""Metrics of each run seed of one tool on one subject under one protocol."""

from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_csv
from quantrift.core.base.table_columns import Arrays, Table, in_order, joined
from quantrift.core.statistics.found_rates import NET, owners, per_search, quotient, rates
from quantrift.core.statistics.intervals import intervals, summed
from quantrift.core.statistics.invariants import check_counts, check_rates

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("dataset", "model", "compression", "tool", "protocol")
"""Columns that identify the searches of a metrics file, in order."""


def per_run_seed(searches: Table) -> Arrays:
    """Counts and rates of each run seed, one row each in ascending order.

    Columns: ``run_seed``, ``inputs``, ``inputs_shared`` (inputs that another run seed has too), ``inputs_agreeing``
    (inputs on which the two models agree before any search), the counts ``n_*``, the rates of
    ``quantrift.core.statistics.found_rates`` (fractions 0..1; NaN where nothing is valid), ``queries`` (mean number of
    candidates put through both models per input), and the ``_net`` rates over the agreeing inputs (NaN where there is
    none).
    """
    counts = per_search(searches)
    run_seeds, agreeing = np.asarray(searches["run_seed"]), ~np.asarray(searches["seed_disagrees"]).astype(bool)
    sums = _sums(run_seeds, counts)
    more = _sums(run_seeds, {"inputs_shared": owners(searches) > 1, "inputs_agreeing": agreeing})
    # Zeros keep a run seed that has no agreeing input.
    net = rates(_sums(run_seeds, {name: np.where(agreeing, one, 0) for name, one in counts.items()}))
    table = {"run_seed": np.unique(run_seeds).astype(np.int64), "inputs": sums["inputs"], **more, **sums, **rates(sums)}
    table["queries"] = quotient(sums["n_valid"], sums["inputs"])
    return table | {f"{name}_net": net[name] for name in NET}


def _sums(run_seeds: np.ndarray, columns: Arrays) -> Arrays:
    """Sums of columns of whole numbers over the searches of each run seed, int64, by ascending run seed."""
    return dict(
        zip(columns, summed(run_seeds, np.stack(list(columns.values()), axis=1).astype(np.int64)).T, strict=True)
    )


def read_intervals(file: Path) -> "pd.DataFrame":
    """Read the intervals (``statistics.intervals``) beside a file that ``write`` made, indexed by metric."""
    import pandas as pd

    found = pd.read_csv(file.with_suffix(".intervals.csv"), dtype={"rests_on": str}).set_index("metric")
    return found.assign(rests_on=found["rests_on"].fillna(""))


def write(blocks: Sequence[Path], keys: Mapping[str, str], out: Path) -> None:
    """Write ``out`` (.csv, one row a run seed) and beside it ``.intervals.csv`` and ``.timing.csv``.

    The timing file alone holds times: seconds charged to each run seed and candidates generated per second.

    Args:
        blocks: the ``*.searches.parquet`` files of all run seeds.
        keys: values of ``KEYS``, which become the first columns of each file.
        out: path of the CSV.

    Raises:
        QuantriftError: no search is stored, or the stored counts contradict themselves.
    """
    read = [table_files.read(block) for block in blocks]
    if not any(len(one["run_seed"]) for one in read):
        raise QuantriftError(f"no search of {'/'.join(keys[key] for key in KEYS)} is stored; run its searches first")
    searches = in_order(joined(read), ["run_seed", "input", "target"])
    check_counts(searches)
    table = per_run_seed(searches)
    check_rates(searches, table)
    seconds = np.array([fsum(searches["seconds"][searches["run_seed"] == one]) for one in table["run_seed"]])
    timing = {
        "run_seed": table["run_seed"],
        "seconds": seconds,
        "candidates_per_second": quotient(table["n_generated"], seconds),
    }
    for columns, path in (
        (table, out),
        (intervals(searches), out.with_suffix(".intervals.csv")),
        (timing, out.with_suffix(".timing.csv")),
    ):
        rows = len(next(iter(columns.values())))
        _write_csv(path, {key: np.full(rows, keys[key]) for key in KEYS} | columns)


def _write_csv(path: Path, columns: Arrays) -> None:
    """Numbers with as many digits as tell them from all others; NaN is empty."""
    cells = []
    for column in columns.values():
        texts = column.astype(str)
        cells.append(np.where(np.isnan(column), "", texts).tolist() if column.dtype.kind == "f" else texts.tolist())
    write_csv(path, columns, zip(*cells, strict=True))
