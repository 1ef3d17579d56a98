"""Kind ``calibration``: strength of each distortion, and validity of random sampling before and after."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.targets import CalibrationTable
from quantrift.metrics.given import Given
from quantrift.search import calibrated
from quantrift.search.calibrated import Calibrated
from quantrift.tables import printed
from quantrift.tables.text import percent, plain
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "calibration", "distortion")
COMPOUND = "compound"
"""In the column of distortions: all of them, each switched by coin."""
COLUMNS = {
    "strength": "float64",
    "reached": "boolean",
    "median_psnr_full": "float64",
    "median_psnr": "float64",
    "vr_full": "float64",
    "vr": "float64",
    "identical_share": "float64",
    "fitted": "boolean",
    "factor": "float64",
    "published_low_vr": "float64",
    "published_high_vr": "float64",
}
"""Columns after the keys, with their types."""
PUBLISHED_VR = "baseline_vr"
"""Column of the papers' files: validity rate of random sampling."""


def make(target: CalibrationTable, found: Mapping[tuple[str, str, str], Path], given: Given, out_stem: Path) -> None:
    """Write the table of calibrations: a row for each distortion alone, then one for all together.

    CSV columns: ``dataset``, ``model``, ``calibration``, ``distortion``, ``strength`` (share of the full range),
    ``reached`` (whether the constraint holds for the median; of a compound, whether the anchor could be met),
    ``median_psnr_full`` and ``median_psnr`` (dB, at full strength and at the strength chosen; ``inf`` where more than
    half are identical to their seed input), ``vr_full`` and ``vr`` (share of valid candidates, likewise),
    ``identical_share`` (candidates identical to their seed input), ``fitted``, ``factor`` (of a compound, on all
    strengths), ``published_low_vr`` and ``published_high_vr`` (smallest and largest validity rate of random sampling
    that the paper prints for network and scene, over compressions), ``scale``. Shares are fractions.

    Args:
        target: its title and caption.
        found: (dataset, model, calibration) -> its file.
        given: what every kind of table is made from; its published file of the paper's validity rates, by
            ``dataset``, ``model``, ``compression``.
        out_stem: path without suffix.
    """
    numbers = printed.read([given.published_file] if given.published_file else [], ("dataset", "model", "compression"))
    calibrations = {key: calibrated.read(path) for key, path in found.items()}
    rows = []
    for key, one in calibrations.items():
        keys = dict(zip(KEYS, key, strict=False))
        rows += [keys | {"distortion": name} | _alone(one, name) | {"scale": given.scale} for name in one.curves]
        rates = [
            beside[PUBLISHED_VR]
            for name in dict.fromkeys(compression for _, _, compression in numbers)
            if PUBLISHED_VR in (beside := printed.beside(numbers, (*key[:2], name), given.datasets))
        ]
        rows.append(keys | {"distortion": COMPOUND} | _together(one, rates) | {"scale": given.scale})
    data = pd.DataFrame(rows, columns=[*KEYS, *COLUMNS, "scale"]).astype(COLUMNS)
    header = [target.caption] if target.caption else []
    header += [f"Scale: {given.scale}. Run seeds: none. Inputs: {_inputs(calibrations)}."]
    if given.published_file:
        header.append("Published rates are the paper's, for the networks and scenes it used.")
    files = {f"{'/'.join(key)}.json": path for key, path in found.items()}
    files |= given.published_files
    compound = data["distortion"] == COMPOUND
    views = [
        _view_alone(data[~compound], given.datasets, given.titles),
        _view_together(data[compound], given.datasets, given.titles),
    ]
    write(Table(target.title, header, data, views, files=files), out_stem, given.provenance)


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


def _together(one: Calibrated, published: list[float]) -> dict[str, Any]:
    row: dict[str, Any] = {"vr_full": one.vr_full, "vr": one.vr, "fitted": one.fit is not None}
    if one.fit:
        row |= {"reached": one.fit.reached, "factor": one.fit.factor}
    return row | ({"published_low_vr": min(published), "published_high_vr": max(published)} if published else {})


def _inputs(calibrations: Mapping[tuple[str, str, str], Calibrated]) -> str:
    """How much stands behind the numbers."""
    of_each = {
        f"{one.inputs} training inputs x {one.settings['draws']} candidates alone, "
        f"x {one.settings['compounds']} of all together"
        for one in calibrations.values()
    }
    return "; ".join(sorted(of_each))


def _view_alone(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    cells: dict[str, Iterable[str]] = {
        **_keys(data, datasets, titles),
        "distortion": data["distortion"],
        "strength": (plain(value) for value in data["strength"]),
        "reached": map(_yes, data["reached"]),
        "median PSNR at full strength (dB)": (plain(value, 1) for value in data["median_psnr_full"]),
        "median PSNR (dB)": (plain(value, 1) for value in data["median_psnr"]),
        "VR at full strength %": map(percent, data["vr_full"]),
        "VR %": map(percent, data["vr"]),
        "identical %": map(percent, data["identical_share"]),
    }
    return View.of("Each distortion alone", cells)


def _view_together(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    cells: dict[str, Iterable[str]] = {
        **_keys(data, datasets, titles),
        "VR at full strength %": map(percent, data["vr_full"]),
        "VR %": map(percent, data["vr"]),
        "fitted": map(_yes, data["fitted"]),
        "factor": map(plain, data["factor"]),
        "anchor met": map(_yes, data["reached"]),
        "published VR %": (
            _range(low, high) for low, high in zip(data["published_low_vr"], data["published_high_vr"], strict=True)
        ),
    }
    return View.of("All together, as random sampling draws them", cells)


def _keys(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> dict[str, Iterable[str]]:
    return {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "model": data["model"],
        "calibration": [titles.get(name, name) for name in data["calibration"]],
    }


def _yes(value: object) -> str:
    """A truth value for people; nothing where it is not defined."""
    return {"True": "yes", "False": "no"}.get(str(value), "")


def _range(low: float, high: float) -> str:
    return percent(low) if low == high else " - ".join(filter(None, (percent(low), percent(high))))
