"""Distributions of bits as stated and as drawn, against the budget.

As in the thesis's Tables 3.2 and 3.3, which state the shares alone.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_study_accuracy import Distribution
from quantrift.core.statistics.column import SCALE, Column, frame
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject
from quantrift.study.results.tables.bit_rows import KEYS, MEAN_BITS, NAMED, REPETITIONS
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import BitTarget


class Settings(BitTarget):
    """Shares, mean and variance of the bits of each distribution, as stated and as drawn, against the budget."""


needs = asks("drawn.parquet", drawn=Results.bits)


DETAILS = ("drawn",)
COLUMNS = (
    *NAMED,
    MEAN_BITS,
    Column("variance_bits", "Variance", "number", "Of the bits of a weight."),
    Column("budget_bits", "Budget", "number", "Bits per weight that the network may have."),
    Column("weights", "Weights", "count", "Weights with a number of bits of their own; biases have none."),
    REPETITIONS,
    Column("expected_total", "Bits expected", "number", "Of all weights."),
    Column("budget_total", "Bits allowed", "count", "Of all weights, by Algorithm 1."),
    Column("drawn_total_least", "Bits drawn, least", "count", "Of all weights, fewest of any repetition."),
    Column("drawn_total_most", "Bits drawn, most", "count", "Of all weights, most of any repetition."),
    Column(
        "deviation_share",
        "Off the share",
        "fraction",
        "Largest difference of a share drawn from the stated one, of any repetition.",
    ),
    Column("spent_share", "Budget spent", "fraction", "Most of any repetition."),
    SCALE,
)
"""Beside them stand the shares of each number of bits, as stated and as drawn."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each dataset, network and setting; each repetition is a detail."""
    bits = over_bit_studies.distributions(given.stated)
    drawn = bit_study_accuracy.read(given.files["drawn"]).reindex(columns=[*KEYS, "repetition", "bits", "weights"])
    drawn = drawn.assign(share=drawn["weights"] / drawn.groupby([*KEYS, "repetition"])["weights"].transform("sum"))
    rows = [
        dict(zip(KEYS, name, strict=True)) | _cells(own, bits[str(name[-1])])
        for name, own in drawn.groupby(list(KEYS), sort=False)
    ]
    known = {column.name: column for column in (*COLUMNS, *_shares(bits.values()))}
    stated = dict.fromkeys(name for row in rows for name in row) or dict.fromkeys(one.name for one in COLUMNS[:-1])
    columns = (*(known[name] for name in stated), SCALE)
    return Table(
        frame([row | {"scale": given.scale} for row in rows], columns),
        columns,
        [
            f"Scale: {given.scale}. Bits are drawn anew for each setting, dataset, network and repetition. The budget "
            "is what Algorithm 1 allows the bits of all weights to add up to."
        ],
        details={"drawn": Detail("", drawn)},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """How far the drawn bits are from the stated ones, and how much of the budget they spend."""
    return [
        f"{words.where(own, ('dataset', 'model'))}: drawn shares of bits differ from the stated ones by "
        f"{words.cells(own, 'deviation_share')} at most" + (f", and spend {spent} of the budget." if spent else ".")
        for own in by_subject(rows, ("dataset", "model"))
        for spent in [words.cells(own, "spent_share")]
    ]


def _cells(drawn: pd.DataFrame, stated: Distribution) -> dict[str, Any]:
    totals = (drawn["bits"] * drawn["weights"]).groupby(drawn["repetition"]).sum()
    weights = int(drawn.groupby("repetition")["weights"].sum().max())
    shares = drawn.pivot_table("share", "repetition", "bits", fill_value=0.0)
    budget = None if stated.budget is None else int(stated.budget * weights)
    return {
        "mean_bits": stated.mean,
        "variance_bits": stated.variance,
        "budget_bits": stated.budget,
        **{f"bits_{width}_share": share for width, share in stated.shares.items()},
        "weights": weights,
        "repetitions": len(totals),
        "expected_total": stated.mean * weights,
        "budget_total": budget,
        "drawn_total_least": int(totals.min()),
        "drawn_total_most": int(totals.max()),
        **{f"drawn_{width}_share": float(pd.Series(shares.get(width, 0.0)).mean()) for width in stated.shares},
        "deviation_share": max(
            float(pd.Series(abs(shares.get(width, 0.0) - share)).max()) for width, share in stated.shares.items()
        ),
        "spent_share": None if budget is None else int(totals.max()) / budget,
    }


def _shares(bits: Iterable[Distribution]) -> Iterable[Column]:
    for width in sorted({width for one in bits for width in one.shares}):
        label = "1 bit" if width == 1 else f"{width} bits"
        yield Column(f"bits_{width}_share", label, "fraction", "Share of the weights that have so many, as stated.")
        yield Column(f"drawn_{width}_share", f"{label}, drawn", "fraction", "Mean over repetitions.")
