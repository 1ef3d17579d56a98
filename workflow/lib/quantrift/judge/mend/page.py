"""Report of a mending: its tables, also as .csv files, and ``report.html``, one self-contained page."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from quantrift.core.page.provenance import processor
from quantrift.core.page.results_page import Section, render
from quantrift.core.statistics.column import Column, Columns, key, with_interval
from quantrift.core.statistics.mended_networks import COUNTED, SIZE
from quantrift.judge.mend import charts
from quantrift.judge.mend.mending import Correlation, Mending, read
from quantrift.judge.mend.settings import RESTS
from quantrift.judge.verdict.tool_result import Rate

REPORT = "report.html"
INTRO = (
    "A mended network is quantized anew from the original. Other ways of calibration are tried first. Where none is "
    "enough, the units whose quantization costs most disagreements go back to float, until every limit is shown to be "
    "kept, and those that can go to 8 bits again do so. Calibration, choice and verdict use different inputs.",
)
READING = (
    "Intervals, in brackets, are 95 %, by Korn and Graubard: inputs count as given ones with their changes. A dash "
    "marks values that do not exist."
)
STATES = {
    "mended": "The fewest units that were found to be needed in float, or in 16 bits where asked for, are.",
    "quantized anew": "Quantizing the original anew was enough, and nothing is left in float.",
    "kept its limits already": "The compressed network keeps every limit on the inputs for the choice of layers as it "
    "is, so nothing was changed.",
    "not mended": "Nothing helped: no network with a unit in 8 bits was shown to keep every limit.",
}
"""State -> sentence on it."""
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
RATIOS = {"sqnr_db": "SQNR", "added_sqnr_db": "own SQNR"}


def write(folder: Path) -> Path:
    """Write the page, from ``mend.json`` and the figure in a folder; returns its path.

    Raises:
        QuantriftError: there is no mending in the folder, or it is damaged.
    """
    found, out = read(folder), folder / REPORT
    render(
        f"Mending {found.compressed.file}",
        "",
        INTRO,
        list(_sections(found, folder)),
        {
            "command": found.command,
            "versions": found.versions,
            "processor": processor(Path("/proc/cpuinfo")),
            "sha256": _digests(found),
        },
        out,
        lead=f"{found.verdict_text}\n{STATES[found.state]}",
        alarm=found.verdict != "pass",
        chip=f"seed {found.split.seed}",
        reading=READING,
    )
    return out


def _sections(found: Mending, folder: Path) -> Iterator[Section]:
    split = found.split
    if found.failed:
        yield Section(
            "failed",
            "What could not be computed",
            "The mended file and the verdict stand without it.",
            items=tuple(found.failed),
        )
    yield Section(
        "fresh",
        "On inputs that nothing was chosen by",
        f"{split.fresh} inputs and natural changes of them. Other orders leave as many units in float as keep their "
        "weights no larger than the mended ones; in 16 bits, as keep as much of the work in 8 bits. The verdict is "
        "that of the assessment beside this page: assessment/report.html.",
        table_csv=_table(folder / "fresh.csv", FRESH, found.fresh),
        columns=FRESH,
        items=_kept(found),
        notes=tuple(found.notes),
    )
    if not found.calibrations:
        return
    yield Section(
        "curve",
        "Size and work in 8 bits against disagreements",
        f"{split.selection} inputs for the choice of layers and their changes, which the mended network was chosen by: "
        "it looks better here than on fresh inputs. Lines on the points are 95 % intervals.",
        table_csv=_table(folder / "curve.csv", CURVE, found.curve),
        columns=CURVE,
        figure_svg=curve if (curve := folder / f"{charts.CURVE}.svg").is_file() else None,
    )
    yield Section(
        "sensitivity",
        "Which units cost disagreements",
        "Each unit in 8 bits alone, and restored to float alone, beside the SQNR of its output.",
        table_csv=_table(folder / "sensitivity.csv", SENSITIVITY, found.sensitivities),
        columns=SENSITIVITY,
        items=tuple(found.floats),
    )
    yield Section(
        "correlation",
        "Whether SQNR tells the same",
        "Rank correlation over the units; none where there are fewer than three, or all cost the same.",
        table_csv=_table(folder / "correlation.csv", CORRELATION, found.correlations),
        columns=CORRELATION,
    )
    yield Section(
        "calibration",
        "Calibrations that were tried",
        f"Everything in 8 bits, with ranges from {split.calibration} inputs that are used for nothing else.",
        table_csv=_table(folder / "calibration.csv", CALIBRATION, found.calibrations),
        columns=CALIBRATION,
    )
    if found.assumed:
        yield Section(
            "assumed", "What was assumed", "If a line is wrong, so is everything else.", items=tuple(found.assumed)
        )


def _kept(found: Mending) -> tuple[str, ...]:
    if found.mended is None:
        return ()
    return (f"{len(found.kept)} of {found.units} units in {RESTS[found.rest]}: {', '.join(found.kept) or 'none'}.",)


def _table(path: Path, columns: Columns, found: Iterable[object]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [one.name for one in columns], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(row, found))
    return path


def row(found: object) -> Mapping[str, object]:
    """A row of a table: fields of a dataclass, its rates as three columns each."""
    rates = {
        f"{name}{end}": getattr(one, part)
        for name, one in vars(found).items()
        if isinstance(one, Rate)
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
    }
    named = {"ratio": RATIOS[found.ratio]} if isinstance(found, Correlation) else {}
    return {**vars(found), **rates, **named}


def _digests(found: Mending) -> dict[str, str]:
    models = [one for one in (found.original, found.compressed, found.mended) if one is not None]
    return {one.file: one.sha256 or "" for one in models} | {found.inputs: found.inputs_sha256}
