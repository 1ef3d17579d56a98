"""Checks of relations between counts of a search and between rates of a run seed (PROTOCOL, Metrics)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Arrays, Table, firsts, in_order, joined

ORDERED = (
    ("dii_distinct", "dii"),
    ("dii", "valid"),
    ("valid", "generated"),
    ("dii_distinct", "distinct"),
    ("distinct", "generated"),
    ("dii", "dii_memberships"),
    ("dii_memberships", "memberships"),
    ("first_dii", "generated"),
    ("reached_distinct", "reached"),
    ("reached", "dii"),
    ("reached_distinct", "dii_distinct"),
    ("first_reached", "generated"),
)
"""Pairs of columns of the searches table, the first never above the second."""

TOLERANCE = 1e-12
"""Tolerance for the rounding of quotients."""


def read_searches(files: Sequence[Path], by: Sequence[str]) -> Arrays:
    """Rows of searches tables, sorted by some columns.

    Raises:
        QuantriftError: a table is of an earlier version, or its rows contradict themselves (``check_counts``).
    """
    searches = in_order(joined([table_files.read(file) for file in files]), by)
    check_counts(searches)
    return searches


def check_counts(searches: Table) -> None:
    """Refuse a searches table whose rows contradict themselves.

    Raises:
        QuantriftError: it is of an earlier version, a search occurs twice or has the class of its input as its target,
            or a count is negative, above the count that contains it, or at odds with ``first_dii`` or
            ``first_reached``.
    """
    if "cluster" not in searches:
        raise QuantriftError(
            "the records have no column 'cluster', so an earlier version wrote them; delete them and search again"
        )
    keys = [np.asarray(searches[name]) for name in ("run_seed", "input", "target")]
    again = np.ones(len(keys[0]), bool)
    again[firsts(keys)] = False
    together = {"dii": ("first_dii", "dii_distinct"), "reached": ("first_reached", "reached_distinct")}
    checks = [
        (again, "the input occurs twice"),
        (searches["target"] == searches["true_label"], "the target class is the class of the input"),
        *(
            check
            for small, large in ORDERED
            for check in (
                (searches[small] < 0, f"{small} is negative"),
                (searches[small] > searches[large], f"{small} exceeds {large}"),
            )
        ),
        *((searches[column] < 1, f"{column} is 0") for column in ("generated", "distinct", "memberships")),
        *(
            ((searches[one] > 0) != (searches[other] > 0), f"{one} and {other} disagree on whether anything was found")
            for one, others in together.items()
            for other in others
        ),
        (
            (searches["reached"] > 0) & (searches["first_reached"] < searches["first_dii"]),
            "the goal is reached before the models first differ",
        ),
    ]
    for broken, what in checks:
        if np.any(broken):
            first = int(np.flatnonzero(broken)[0])
            run_seed, number = (np.asarray(searches[name])[first] for name in ("run_seed", "input"))
            raise QuantriftError(
                f"run seed {run_seed}, input {number}: {what}; the records are inconsistent, delete them and search "
                "again"
            )


def check_rates(searches: Table, run_seeds: Table) -> None:
    """Refuse rates that break SR / evaluations_per_input <= DiR <= min(SR, VR).

    The relation is checked for ``dir_real``, whose unit is the evaluation, and for ``dir``, whose unit is the
    membership. It presumes equal budgets: where searches of a run seed differ in them, DiR <= SR is not checked. Where
    survivors or redraws make memberships differ from evaluations, ``dir`` <= VR is not checked.

    Args:
        searches: the searches table.
        run_seeds: ``quantrift.core.statistics.run_seeds.per_run_seed(searches)``.

    Raises:
        QuantriftError: a rate breaks the relation.
    """
    columns = {name: np.asarray(run_seeds[name]).tolist() for name in run_seeds}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        own = np.asarray(searches["run_seed"]) == row["run_seed"]
        rows = {name: np.asarray(searches[name])[own] for name in ("generated", "memberships")}
        same_unit = np.array_equal(rows["memberships"], rows["generated"])
        for rate, total, budget in (("dir_real", "n_generated", "generated"), ("dir", "n_memberships", "memberships")):
            equal_budgets = len(np.unique(rows[budget])) == 1
            upper = [row["sr"]] if equal_budgets else []
            upper += [row["vr"]] if same_unit or rate == "dir_real" else []
            low, high = row["n_success"] / row[total], min(upper, default=1.0)
            if not low - TOLERANCE <= row[rate] <= high + TOLERANCE:
                raise QuantriftError(
                    f"run seed {row['run_seed']}: {rate} = {row[rate]:.6g} lies outside {low:.6g} ... {high:.6g}; "
                    "its records are inconsistent, delete them and search again"
                )
