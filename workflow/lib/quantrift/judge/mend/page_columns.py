"""Columns and rows of the tables of a mending, also of its .csv files."""

from collections.abc import Iterator, Mapping

from quantrift.core.statistics.column import Column, Columns, key, with_interval
from quantrift.core.statistics.mended_networks import COUNTED, SIZE
from quantrift.judge.mend.mending import Mending
from quantrift.judge.verdict.tool_result import Rate

Row = Mapping[str, object]

FRESH: Columns = (key("network", "Network", kind="text"), *SIZE, *COUNTED)
CURVE: Columns = (key("order", "Order", "Order in which units go back to float.", "text"), *SIZE, *COUNTED)
CALIBRATION: Columns = (
    key("method", "Ranges", "Method that turns values of activations into ranges.", "text"),
    key("inputs", "Measured on", "Inputs for calibration, as given or with natural changes.", "text"),
    *COUNTED,
    Column("passes", "Keeps the limits", "flag", "On the selection inputs and their changes."),
    Column("chosen", "Chosen", "flag"),
)
SENSITIVITY: Columns = (
    key("unit", "Unit", "A layer, with what only moves its values.", "text"),
    Column("kind", "Operation", "text"),
    Column("macs", "MACs", "count", "Multiply-accumulates for one input."),
    Column("alone", "In 8 bits alone", "count", "Disagreements where this unit alone is in 8 bits."),
    *with_interval(Column("alone_rate", "Share, alone", "fraction", "Disagreements in 8 bits alone, as a share.")),
    Column("restored", "Restored alone", "count", "Disagreements where this unit alone is not in 8 bits."),
    *with_interval(Column("restored_rate", "Share, restored", "fraction", "Disagreements restored alone, as a share.")),
    Column("gain", "Gain", "count", "Disagreements that restoring this unit takes away."),
    Column("sqnr_db", "SQNR", "decibel", "Of the output of the unit, errors of the units before included."),
    Column("added_sqnr_db", "Own SQNR", "decibel", "Of the error that the unit adds itself."),
)
CORRELATION: Columns = (
    key("cost", "Cost", "Disagreements in 8 bits alone, or gain of restoring.", "text"),
    key("ratio", "Beside", "SQNR with errors of the units before, or own.", "text"),
    Column("units", "Units", "count"),
    Column("spearman", "Spearman", "number", "Rank correlation of the cost with low SQNR: 1 is the same order."),
    Column("kendall", "Kendall", "number", "Kendall's tau-b of the same."),
)


def _rate(name: str, rate: Rate) -> Row:
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}


def fresh(found: Mending) -> Iterator[Row]:
    """Networks on fresh inputs."""
    for one in found.fresh:
        yield {**vars(one), **_rate("rate", one.rate)}


def curve(found: Mending) -> Iterator[Row]:
    """Points of all curves."""
    for one in found.curve:
        yield {**vars(one), **_rate("rate", one.rate)}


def calibrations(found: Mending) -> Iterator[Row]:
    """Choices of calibration."""
    for one in found.calibrations:
        yield {**vars(one), **_rate("rate", one.rate)}


def sensitivities(found: Mending) -> Iterator[Row]:
    """Units."""
    for one in found.sensitivities:
        yield {**vars(one), **_rate("alone_rate", one.alone_rate), **_rate("restored_rate", one.restored_rate)}


RATIOS = {"sqnr_db": "SQNR", "added_sqnr_db": "own SQNR"}


def correlations(found: Mending) -> Iterator[Row]:
    """Rank correlations."""
    for one in found.correlations:
        yield {**vars(one), "ratio": RATIOS[one.ratio]}
