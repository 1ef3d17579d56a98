"""Candidates and time to the first difference-inducing input (DiverGet section 5.4, Table 10)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

CELLS = ("sr", "fdi", "fdi_success", "fdi_common", "fdi_restricted")
"""Columns of ``first_attack`` that become cells, as medians over run seeds."""
SECONDS = ("fdi_seconds", "fdi_success_seconds")
"""Columns of times that become cells, as medians over run seeds."""


def first_attack(tools: Mapping[str, pd.DataFrame]) -> tuple[dict[str, pd.DataFrame], int]:
    """Each tool's run seeds, one row each in ascending order, and the horizon of the restricted mean.

    Columns, in candidates (1-based, whole generations charged): ``fdi``, mean over all inputs, a failed search charged
    in full; ``fdi_success``, mean over the inputs where the tool succeeded; ``fdi_common``, mean over those where all
    tools did; ``fdi_restricted``, mean of what was spent up to the horizon, the length of the shortest search that
    found nothing (of the longest search where none failed), so that tools with unequal budgets are charged alike.
    ``fdi_seconds`` and ``fdi_success_seconds`` are charged times of searches that ended with their first
    difference-inducing input.
    Also ``inputs``, ``common_inputs`` and ``sr`` (fraction). A mean over no input is NaN.

    Args:
        tools: tool -> its searches, on the same inputs; columns of ``quantrift.core.search.record_columns.SEARCHES``.
    """
    indexed = {tool: searches.set_index(["run_seed", "input"]).sort_index() for tool, searches in tools.items()}
    found = pd.DataFrame({tool: searches["first_dii"] > 0 for tool, searches in indexed.items()})
    common = found.fillna(value=False).astype(bool).all(axis=1)
    failed = [searches.loc[searches["first_dii"] == 0, "generated"].min() for searches in indexed.values()]
    horizon = int(np.nanmin([*failed, max(searches["generated"].max() for searches in indexed.values())]))
    return {tool: _run_seeds(searches, common, horizon) for tool, searches in indexed.items()}, horizon


def _run_seeds(searches: pd.DataFrame, common: pd.Series, horizon: int) -> pd.DataFrame:
    success = searches["first_dii"] > 0
    spent = searches["first_dii"].where(success, searches["generated"]).astype("float64")
    everywhere = common.reindex(searches.index)
    groups = pd.DataFrame(
        {
            "inputs": np.ones(len(searches), np.int64),
            "common_inputs": everywhere.astype("int64"),
            "sr": success.astype("float64"),
            "fdi": spent,
            "fdi_success": spent.where(success),
            "fdi_common": spent.where(everywhere),
            "fdi_restricted": spent.clip(upper=horizon),
            "fdi_seconds": searches["seconds"],
            "fdi_success_seconds": searches["seconds"].where(success),
        }
    ).groupby(level="run_seed")
    return groups[["inputs", "common_inputs"]].sum().join(groups[[*CELLS, *SECONDS]].mean())
