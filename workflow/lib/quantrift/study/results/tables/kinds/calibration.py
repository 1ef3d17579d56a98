"""Calibrated strength of each distortion, and validity of random sampling before and after."""

from collections.abc import Iterable, Sequence
from typing import Any

from quantrift.core.search import calibrated
from quantrift.core.search.calibrated import Calibrated
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by, by_subject
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import CalibrationTarget, Published

COMPOUND = "compound"
"""Value in the column of distortions: all together, each switched by coin."""
PUBLISHED_VR = "baseline_vr"
"""Column of the papers' files: validity rate of random sampling."""
NETWORK = ("dataset", "model")


class Settings(CalibrationTarget, Published):
    """Strength of each distortion, and validity rate of random sampling before and after."""

    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""


needs = asks(calibrations=Results.calibrations)


KEYS = (key("dataset", "Dataset"), key("model", "Network"), key("calibration", "Calibration"))
COLUMNS = (
    *KEYS,
    key("distortion", "Distortion", f"One of the space, active alone; the row {COMPOUND} is of all together."),
    Column("strength", "Strength", meaning="Share of the full range."),
    Column(
        "reached",
        "Reached",
        "flag",
        "Whether the constraint holds for the median; of a compound, whether the fit was possible.",
    ),
    Column("median_psnr_full", "Median PSNR full", "decibel", "Of the distortion alone at full strength."),
    Column("median_psnr", "Median PSNR", "decibel", "Of the distortion alone at its strength."),
    Column("vr_full", "VR full", "fraction", "Valid candidates among the generated ones, at full strength."),
    Column("vr", "VR", "fraction", "Valid candidates among the generated ones."),
    Column(
        "identical_share",
        "Identical",
        "fraction",
        "Candidates that decode to their seed input, at the strength chosen.",
    ),
    Column("fitted", "Fitted", "flag", "Whether strengths were fitted to the published validity rate."),
    Column(
        "factor", "Factor", meaning="On all strengths, for the published validity rate; products above 1 count as 1."
    ),
    published(
        Column(
            "low_vr",
            "VR lowest",
            "fraction",
            "Smallest validity rate of random sampling that the paper states for network and scene.",
        )
    ),
    published(
        Column(
            "high_vr",
            "VR highest",
            "fraction",
            "Largest validity rate of random sampling that the paper states for network and scene.",
        )
    ),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """Rows of each calibration: one for each distortion alone, then one for all together."""
    numbers = published_numbers.read(given.published, ("dataset", "model", "compression"))
    calibrations = {about: calibrated.read(path) for about, path in given.one("calibrations").items()}
    rows: list[dict[str, Any]] = []
    for about, one in calibrations.items():
        keys = {column.name: name for column, name in zip(KEYS, about, strict=True)} | {"scale": given.scale}
        rows += [keys | {"distortion": name} | _alone(one, name) for name in one.curves]
        rates = [
            beside[PUBLISHED_VR]
            for name in dict.fromkeys(compression for _, _, compression in numbers)
            if PUBLISHED_VR in (beside := published_numbers.beside(numbers, (*about[:2], name), given.published_as))
        ]
        rows.append(keys | {"distortion": COMPOUND} | _together(one, rates))
    of_each = {
        f"{one.inputs} training inputs x {one.settings['draws']} candidates alone, "
        f"x {one.settings['compounds']} of all together"
        for one in calibrations.values()
    }
    return Table(
        frame(rows, COLUMNS),
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: none. Inputs: {'; '.join(sorted(of_each))}.",
            "Published rates are the paper's, for the networks and scenes it used." if given.published else "",
        ],
        names={row["distortion"]: row["distortion"].replace("_", " ") for row in rows},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The share of valid random candidates before and after."""
    return [
        f"{words.where(own, NETWORK)}, {words.name(calibration)}: {words.cells(own, 'vr_full')} of random candidates "
        f"valid at full strength, {words.cells(own, 'vr')} at the calibrated one."
        for calibration, of_it in by(rows, "calibration").items()
        for own in by_subject([row for row in of_it if row["distortion"] == COMPOUND and row["vr"]], NETWORK)
    ]


def _alone(one: Calibrated, name: str) -> dict[str, Any]:
    full, point = one.curves[name][0], one.chosen[name]
    return {
        "strength": point.strength,
        "reached": point.reached,
        "median_psnr_full": full.median_psnr,
        "median_psnr": point.median_psnr,
        "vr_full": full.valid,
        "vr": point.valid,
        "identical_share": point.identical,
        "fitted": one.fit is not None,
    }


def _together(one: Calibrated, rates: list[float]) -> dict[str, Any]:
    row: dict[str, Any] = {"vr_full": one.vr_full, "vr": one.vr, "fitted": one.fit is not None}
    if one.fit:
        row |= {"reached": one.fit.reached, "factor": one.fit.factor}
    return row | ({"published_low_vr": min(rates), "published_high_vr": max(rates)} if rates else {})
