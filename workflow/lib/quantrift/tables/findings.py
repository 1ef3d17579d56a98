"""Kind ``findings``: which findings of a paper hold here, counted over subjects and never from a pooled mean."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from quantrift.config.hypotheses import FindingsTable, Hypothesis, Side
from quantrift.metrics.given import Given
from quantrift.tables import finding_views
from quantrift.tables.finding_cells import Cell, adjusted, cells
from quantrift.tables.finding_published import printed_cells
from quantrift.tables.finding_series import Measured, load
from quantrift.tables.finding_spread import spreads
from quantrift.tables.finding_summary import Summary, summaries
from quantrift.tables.write import Table, write

PRINTED = {f"published_cells_{verdict}": verdict for verdict in ("for", "against", "equal")}
"""Column -> verdict that it counts; empty where the paper prints nothing."""
NUMBERS = (
    "larger",
    "smaller",
    "larger_mean",
    "smaller_mean",
    "p",
    "p_reverse",
    "p_min",
    "a12",
    "p_holm",
    "p_reverse_holm",
)
"""Columns of the cells that may be empty."""


def make(
    target: FindingsTable,
    metrics: Mapping[str, Sequence[Path]],
    distances: Mapping[str, Path],
    given: Given,
    out_stem: Path,
) -> None:
    """Write the table: a row of each hypothesis and metric, and in ``<stem>.cells.csv`` one of each subject besides.

    A cell is a hypothesis on one subject: ``for`` where the one-sided test over run seeds is significant at 5 % after
    Holm's adjustment over all cells of the finding, ``against`` where that of the reverse is, else ``undecided``. Of
    the papers' numbers only the sign of each printed difference is known.

    CSV columns: ``finding``, ``claim``, ``metric``, ``sentence`` (of the paper); ``cells`` and of them ``cells_for``,
    ``cells_against``, ``cells_undecided``, ``cells_not_run`` (undecided as nothing was run),
    ``cells_for_unadjusted``, ``cells_against_unadjusted``, ``cells_vanishing`` (for, while a control of the
    hypothesis does not hold); ``published_cells_for``, ``_against``, ``_equal``; ``verdict``; ``scale``.

    Columns of the cells: ``finding``, ``hypothesis``, ``metric``, the subject of the side that should be larger,
    ``other_dataset``, ``other_compression`` of the other side; ``larger``, ``smaller`` (mean of the tools' medians;
    fractions, counts in ``n_dii``, distances in ``spread``), ``larger_mean``, ``smaller_mean`` (means over run
    seeds), ``run_seeds``, ``p``, ``p_reverse``, ``p_min``, ``a12`` (above 0.5 where the first side is larger),
    ``p_holm``, ``p_reverse_holm``, ``verdict``, ``unadjusted``, ``control``.

    Args:
        target: the hypotheses.
        metrics: experiment -> its per-run-seed CSVs; their order is the order of cells.
        distances: target of kind ``vector_distances`` -> its CSV.
        given: what every kind of table is made from; its published files of the paper's numbers that the hypotheses
            name.
        out_stem: path without suffix.

    Raises:
        QuantriftError: a file of the paper's numbers has no numbers that a hypothesis names.
    """
    hypotheses = target.hypotheses
    measured = {
        label: (_load(one, one.larger, metrics), _load(one, one.smaller, metrics)) for label, one in hypotheses.items()
    }
    found = [cell for label, one in hypotheses.items() for cell in cells(label, one, measured[label], given.datasets)]
    found += [cell for label, one in target.spreads.items() for cell in spreads(label, one, distances[one.distances])]
    found = adjusted(found, target.claims, hypotheses)
    printed = printed_cells(hypotheses, given.published)
    rows = summaries(target, found, printed)
    ordered = [cell for row in rows for cell in row.cells]
    files = {f"tables/{file.name}": file for file in distances.values()}
    files |= {"/".join(file.with_suffix("").parts[-5:]): file for several in metrics.values() for file in several}
    table = Table(
        title=target.title,
        header=finding_views.header(target, found, measured, given.published, given.scale),
        data=_data(rows, target, given.scale),
        views=[
            finding_views.findings(rows, target),
            finding_views.cells(ordered, target, given.datasets),
            finding_views.printed([cell for row in rows for cell in row.printed], hypotheses),
        ],
        details={"cells": _cells(ordered, target)},
        files=files | given.published_files,
    )
    write(table, out_stem, given.provenance)


def _load(one: Hypothesis, side: Side, metrics: Mapping[str, Sequence[Path]]) -> Measured:
    """The searches of a side."""
    return load(list(dict.fromkeys(file for name in one.experiments(side) for file in metrics[name])))


def _data(rows: Sequence[Summary], target: FindingsTable, scale: str) -> pd.DataFrame:
    records = []
    for row in rows:
        one = target.claims[row.label]
        records.append(
            {
                "finding": one.finding,
                "claim": one.claim,
                "metric": row.metric,
                "sentence": one.sentence,
                "cells": len(row.cells),
                **{f"cells_{verdict}": row.count(verdict) for verdict in ("for", "against", "undecided")},
                "cells_not_run": row.not_run,
                "cells_for_unadjusted": row.count("for", unadjusted=True),
                "cells_against_unadjusted": row.count("against", unadjusted=True),
                "cells_vanishing": row.vanishing,
                **{name: row.count_printed(verdict) if row.printed else None for name, verdict in PRINTED.items()},
                "verdict": row.verdict,
                "scale": scale,
            }
        )
    return pd.DataFrame(records).astype(dict.fromkeys(PRINTED, "Int64"))


def _cells(found: Sequence[Cell], target: FindingsTable) -> pd.DataFrame:
    records = []
    for cell in found:
        other_dataset, _, other_compression = cell.other
        records.append(
            {
                "finding": target.claims[cell.label].finding,
                "hypothesis": cell.label,
                "metric": cell.metric,
                **dict(zip(("dataset", "model", "compression"), cell.subject, strict=True)),
                "other_dataset": other_dataset,
                "other_compression": other_compression,
                "larger": cell.larger,
                "smaller": cell.smaller,
                "larger_mean": cell.means[0],
                "smaller_mean": cell.means[1],
                **asdict(cell.evidence),
                "p_holm": cell.p_holm,
                "p_reverse_holm": cell.p_reverse_holm,
                "verdict": cell.verdict,
                "unadjusted": cell.unadjusted,
                "control": cell.control,
            }
        )
    return pd.DataFrame(records).astype(dict.fromkeys(NUMBERS, "float64")) if records else pd.DataFrame()
