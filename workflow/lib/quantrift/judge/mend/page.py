"""Report of a mending: its tables, also as .csv files, and ``report.html``, one self-contained page."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quantrift.core.page.field_columns import cells, columns_of, write_csv
from quantrift.core.page.provenance import processor
from quantrift.core.page.results_page import Section, render
from quantrift.judge.mend import charts
from quantrift.judge.mend.mending import Calibration, Correlation, Mending, OnFresh, Point, Sensitivity
from quantrift.judge.mend.settings import RESTS

REPORT = "report.html"
INTRO = (
    "A mended network is quantized anew from the original. Other ways of calibration are tried first. If none is "
    "enough, the units whose quantization costs most disagreements stay in float, until the network is shown to keep "
    "every limit. Units that can then go back to 8 bits do so. Calibration, choice of units and verdict use different "
    "inputs.",
)
READING = (
    "Intervals, in brackets, are 95 %, by Korn and Graubard: inputs count as given ones with their changes. A dash "
    "marks values that do not exist."
)
STATES = {
    "mended": "The original was quantized anew, with some units left in more than 8 bits: the fewest that were found.",
    "quantized anew": "The original was quantized anew. No unit had to stay in float.",
    "kept its limits already": "The compressed network keeps every limit on the inputs for the choice of layers as it "
    "is, so nothing was changed.",
    "not mended": "Nothing helped: no network with a unit in 8 bits was shown to keep every limit.",
}
"""State -> sentence on it."""
RATIOS = {"sqnr_db": "SQNR", "added_sqnr_db": "own SQNR", "foretold": "margin law"}


def write(found: Mending, folder: Path) -> None:
    """Write the page of a mending to the folder with its figure."""
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
        folder / REPORT,
        lead=f"{STATES[found.state]}\n{found.verdict_text}",
        verdict=found.verdict,
        chip=f"seed {found.split.seed}",
        reading=READING,
    )


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
        "Before and after, on fresh inputs",
        f"{split.fresh} inputs that no choice was made by, and natural changes of them. Rows of equal size leave units "
        "in float in another order, up to the size of the mended network. The verdict comes from an assessment: "
        "assessment/report.html.",
        **_table(folder / "fresh.csv", OnFresh, map(cells, found.fresh)),
        items=_kept(found),
        notes=tuple(found.notes),
    )
    if not found.calibrations:
        return
    yield Section(
        "curve",
        "Size and work in 8 bits against disagreements",
        f"The mended network was chosen by these {split.selection} inputs and their changes, so it looks better here "
        "than on fresh inputs. Lines on the points are 95 % intervals.",
        **_table(folder / "curve.csv", Point, map(cells, found.curve)),
        figure_svg=curve if (curve := folder / f"{charts.CURVE}.svg").is_file() else None,
    )
    if found.sensitivities:
        yield Section(
            "sensitivity",
            "Which units cost disagreements",
            "Each unit in 8 bits alone, and restored to float alone, beside the SQNR of its output.",
            **_table(folder / "sensitivity.csv", Sensitivity, map(cells, found.sensitivities)),
            items=tuple(found.floats),
        )
        yield Section(
            "correlation",
            "Whether SQNR or the margin law tells the same",
            "Rank correlation over the units; none where there are fewer than three, or all cost the same.",
            **_table(
                folder / "correlation.csv",
                Correlation,
                (cells(one, ratio=RATIOS[one.ratio]) for one in found.correlations),
            ),
        )
    yield Section(
        "calibration",
        "Calibrations that were tried",
        f"Everything in 8 bits, with ranges from {split.calibration} inputs that are used for nothing else.",
        **_table(folder / "calibration.csv", Calibration, map(cells, found.calibrations)),
    )
    if found.assumed:
        yield Section(
            "assumed", "What was assumed", "If a line is wrong, so is everything else.", items=tuple(found.assumed)
        )


def _kept(found: Mending) -> tuple[str, ...]:
    if found.mended is None:
        return ()
    return (f"{len(found.kept)} of {found.units} units in {RESTS[found.rest]}: {', '.join(found.kept) or 'none'}.",)


def _table(path: Path, kind: type, rows: Iterable[Mapping[str, object]]) -> dict[str, Any]:
    """The rows as CSV, and the columns that fields of a dataclass carry, as a section takes them."""
    columns = columns_of(kind)
    return {"table_csv": write_csv(path, columns, rows), "columns": columns}


def _digests(found: Mending) -> dict[str, str]:
    models = [one for one in (found.original, found.compressed, found.mended) if one is not None]
    return {one.file: one.sha256 or "" for one in models} | {found.inputs: found.inputs_sha256}
