"""Metrics of each run seed of one tool on one subject under one protocol."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from quantrift.base.errors import QuantriftError
from quantrift.base.files import replacing
from quantrift.metrics.found_rates import NET, per_search, quotient, rates
from quantrift.metrics.intervals import intervals
from quantrift.metrics.invariants import check_counts, check_rates

KEYS = ("dataset", "model", "compression", "tool", "protocol")
"""Columns that identify the searches of a metrics file, in order."""


def per_run_seed(searches: pd.DataFrame) -> pd.DataFrame:
    """Counts and rates of each run seed, one row each in ascending order.

    Columns: ``run_seed``, ``inputs``, ``inputs_shared`` (inputs that another run seed has too), ``inputs_agreeing``
    (inputs on which the two models agree before any search), the counts ``n_*``, the rates of
    ``quantrift.metrics.found_rates`` (fractions 0..1; NaN where nothing is valid), ``queries`` (mean number of
    candidates put through both models per input), and the ``_net`` rates over the agreeing inputs (NaN where there is
    none).
    """
    counts = per_search(searches)
    sums = counts.groupby(searches["run_seed"]).sum()
    owners = searches.groupby("input")["run_seed"].transform("nunique")
    agreeing = ~searches["seed_disagrees"].astype(bool)
    table = sums[["inputs"]].copy()
    table["inputs_shared"] = (owners > 1).groupby(searches["run_seed"]).sum().astype("int64")
    table["inputs_agreeing"] = agreeing.groupby(searches["run_seed"]).sum().astype("int64")
    table = table.join(sums.drop(columns="inputs")).join(rates(sums))
    table["queries"] = quotient(sums["n_valid"].to_numpy(), sums["inputs"].to_numpy())
    net = counts[agreeing].groupby(searches["run_seed"][agreeing]).sum()
    table = table.join(rates(net)[list(NET)].add_suffix("_net"))
    return table.reset_index().astype({"run_seed": "int64"})


def read_intervals(file: Path) -> pd.DataFrame:
    """Read the intervals (``metrics.intervals``) beside a file that ``write`` made, indexed by metric."""
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
    read = [pd.read_parquet(block) for block in blocks]
    if not any(len(block) for block in read):
        raise QuantriftError(f"no search of {'/'.join(keys[key] for key in KEYS)} is stored; run its searches first")
    searches = pd.concat(read, ignore_index=True).sort_values(["run_seed", "input", "target"], ignore_index=True)
    check_counts(searches)
    table = per_run_seed(searches)
    check_rates(searches, table)
    timing = table[["run_seed"]].assign(
        seconds=searches.groupby("run_seed")["seconds"].sum().to_numpy(),
        candidates_per_second=lambda frame: quotient(table["n_generated"].to_numpy(), frame["seconds"].to_numpy()),
    )
    for frame, path in (
        (table, out),
        (intervals(searches), out.with_suffix(".intervals.csv")),
        (timing, out.with_suffix(".timing.csv")),
    ):
        for place, key in enumerate(KEYS):
            frame.insert(place, key, keys[key])
        with replacing(path) as temporary:
            frame.to_csv(temporary, index=False, lineterminator="\n")
