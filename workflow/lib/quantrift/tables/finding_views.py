"""What people read of a table of findings: the header lines, the findings, the cells, and the printed numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.hypotheses import Claim, FindingsTable, Hypothesis
from quantrift.metrics.statistics import holm
from quantrift.tables.comparison_views import NO_TEST, RATE_HEADINGS
from quantrift.tables.finding_cells import ALPHA, Cell, families
from quantrift.tables.finding_published import PrintedCell
from quantrift.tables.finding_series import Sides
from quantrift.tables.finding_spread import SPREAD
from quantrift.tables.finding_summary import Summary
from quantrift.tables.printed import title
from quantrift.tables.runs import Subject
from quantrift.tables.text import p_value, percent, plain
from quantrift.tables.write import View

HEADINGS = {
    **{name: text.removesuffix(" %") for name, text in RATE_HEADINGS.items()},
    "n_dii": "number of DIIs",
    SPREAD: "spread",
}


def header(
    target: FindingsTable,
    cells: Sequence[Cell],
    measured: Mapping[str, Sides],
    published: Sequence[Path],
    scale: str,
) -> list[str]:
    """Lines above the cells: scale, run seeds, inputs, and how verdicts come about."""
    tables = [table for sides in measured.values() for side in sides for table in side.values()]
    lines = [target.caption] if target.caption else []
    lines.append(
        f"Scale: {scale}. Run seeds: {_all({len(table) for table in tables})}. "
        f"Inputs of each run seed: {_all({int(n) for table in tables for n in table['inputs'].unique()})}."
    )
    lines.append(
        "A cell is a hypothesis on one dataset, network and compression in one metric. It speaks for the hypothesis "
        f"where the one-sided test over run seeds is significant at {100 * ALPHA:g} % after Holm's adjustment over "
        "all cells of its finding, against it where the test of the reverse is (adjusted likewise), and is "
        "undecided otherwise: too few run seeds, no clear difference, or not run. Tests are signed-rank tests (Pratt) "
        "where both sides start from the same inputs, else rank-sum tests."
    )
    lines.append(
        "By the hypothesis the first of two values is the larger one. Values are means of the tools' medians over run "
        "seeds, in percent, with the mean beside a 0; numbers of DIIs as they are; spread is the mean "
        "distance between scaled vectors."
    )
    lowest = [
        p
        for places in families(cells, target.claims)
        for p in holm([cells[place].evidence.p_min for place in places])
        if p is not None
    ]
    if lowest:
        lines.append(
            f"This table has {len(lowest)} tests in each direction. If each reached the smallest p its run seeds "
            f"allow, {sum(p < ALPHA for p in lowest)} of them would be significant after adjustment."
        )
    else:
        lines.append(NO_TEST)
    if published:
        lines.append(
            "Published counts are the signs of printed differences; no test of them is possible. Printed in "
            f"{', '.join(file.name for file in published)}."
        )
    return lines


def findings(rows: Sequence[Summary], target: FindingsTable) -> View:
    """One row a hypothesis and metric; each sentence of the paper beside the first it belongs to."""
    records = []
    said: set[str] = set()
    for row in rows:
        one = target.claims[row.label]
        record = {
            "finding": str(one.finding),
            "the paper's sentence": "" if one.sentence in said else one.sentence,
            "hypothesis": one.claim,
            "metric": HEADINGS[row.metric],
            "cells": str(len(row.cells)),
            "for": str(row.count("for")),
            "against": str(row.count("against")),
            "undecided": str(row.count("undecided")),
            "of them not run": str(row.not_run),
            "for, unadjusted": str(row.count("for", unadjusted=True)),
            "against, unadjusted": str(row.count("against", unadjusted=True)),
            "published for": str(row.count_printed("for")) if row.printed else "",
            "published against": str(row.count_printed("against")) if row.printed else "",
            "verdict": row.verdict,
        }
        said.add(one.sentence)
        records.append(record)
    return View("Findings", pd.DataFrame(records))


def cells(found: Sequence[Cell], target: FindingsTable, datasets: Mapping[str, Dataset]) -> View:
    """One row a hypothesis, metric and subject."""
    records = []
    for cell in found:
        one, said = target.claims[cell.label], cell.evidence
        first, second = _names(target, cell.label)
        record = {
            **_what(one, cell.metric, cell.subject, cell.other, datasets),
            "first": first,
            "value of first": _value(cell.metric, cell.larger, cell.means[0]),
            "second": second,
            "value of second": _value(cell.metric, cell.smaller, cell.means[1]),
            "run seeds": str(said.run_seeds),
            "p for": p_value(said.p),
            "p against": p_value(said.p_reverse),
            "smallest p possible": p_value(said.p_min),
            "p for, Holm": p_value(cell.p_holm),
            "p against, Holm": p_value(cell.p_reverse_holm),
            "A12": plain(said.a12, 3),
            "verdict": cell.verdict if cell.run else "not run",
            "control": cell.control,
        }
        records.append(record)
    return View("Cells", pd.DataFrame(records))


def printed(found: Sequence[PrintedCell], hypotheses: Mapping[str, Hypothesis]) -> View:
    """One row a pair of numbers of the papers."""
    records = []
    for cell in found:
        one = hypotheses[cell.label]
        record = {
            **_what(one, cell.metric, cell.subject, cell.other, {}),
            "published in": cell.file,
            "published first": f"{one.larger.name} ({cell.columns[0]})",
            "published value of first": _number(cell.metric, cell.larger),
            "published second": f"{one.smaller.name} ({cell.columns[1]})",
            "published value of second": _number(cell.metric, cell.smaller),
            "published verdict": cell.verdict,
        }
        records.append(record)
    return View("Printed numbers", pd.DataFrame(records))


def _names(target: FindingsTable, label: str) -> tuple[str, str]:
    """What should be larger, and what smaller."""
    if label in target.spreads:
        return target.spreads[label].larger, target.spreads[label].smaller
    larger, smaller = target.hypotheses[label].sides
    return larger.name, smaller.name


def _what(one: Claim, metric: str, subject: Subject, other: Subject, datasets: Mapping[str, Dataset]) -> dict[str, str]:
    """Hypothesis, metric and subject; both subjects' where they differ."""
    named = [(title(of[0], datasets), of[1], of[2]) for of in (subject, other)]
    where = [first if first == second else f"{first} / {second}" for first, second in zip(*named, strict=True)]
    return {
        "finding": str(one.finding),
        "hypothesis": one.claim,
        "metric": HEADINGS[metric],
        **dict(zip(("dataset", "network", "compression"), where, strict=True)),
    }


def _value(metric: str, value: float | None, mean: float | None) -> str:
    """A median; where it is 0, which it is when most run seeds are, the mean beside it."""
    text = _number(metric, value)
    return f"{text}; mean {_number(metric, mean)}" if value == 0 and mean else text


def _number(metric: str, value: float | None) -> str:
    decimals = {"n_dii": 1, SPREAD: 4}
    return plain(value, decimals[metric]) if metric in decimals else percent(value)


def _all(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"
