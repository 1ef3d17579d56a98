"""Result of a calibration: strengths of distortions, and the JSON file that keeps them."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quantrift.core.base.files import read_json, write_json


@dataclass(frozen=True)
class Point:
    """Candidates in which one distortion alone is active, at one strength."""

    strength: float
    """Share in (0, 1] of the distortion's full range."""
    median_psnr: float
    """dB; +inf where more than half of the candidates are identical to their seed input."""
    valid: float
    """Share of the candidates for which the constraint holds."""
    identical: float
    """Share of the candidates that decode to their seed input; their PSNR of +inf counts."""
    reached: bool
    """Whether the constraint holds for the median."""


@dataclass(frozen=True)
class Fit:
    """One factor on all strengths, so that random sampling is valid as often as it is published to be."""

    anchor: float
    """Published share of valid candidates."""
    factor: float
    """Factor on the strength that each distortion reached alone; products above 1 count as 1."""
    reached: bool
    """Whether some factor reaches the anchor; otherwise the factor is that of the nearer end."""


@dataclass(frozen=True)
class Calibrated:
    """A calibration on one dataset as one network sees it."""

    settings: Mapping[str, Any]
    """Resolved settings of the calibration."""
    inputs: int
    """Number of training inputs used."""
    curves: Mapping[str, list[Point]]
    """Distortion -> its points over the grid of strengths, from 1 down."""
    chosen: Mapping[str, Point]
    """Distortion -> the point at its strength."""
    vr_full: float
    """Share of valid candidates of random sampling, all distortions switched by coin, at full strength."""
    vr: float
    """The same at the strengths chosen."""
    fit: Fit | None = None
    """Fit of the strengths to a published rate; None where they were not fitted."""

    @property
    def strengths(self) -> dict[str, float]:
        """Distortion -> its strength."""
        return {name: point.strength for name, point in self.chosen.items()}

    @property
    def threshold(self) -> float | None:
        """The smallest valid PSNR in dB, where the constraint is one of PSNR."""
        return self.settings["constraint"]["params"].get("min_db")


def write(found: Calibrated, path: Path) -> None:
    """Write one JSON file; infinite medians become the text "inf", as JSON has no such number."""
    whole = asdict(found)
    for point in [point for curve in whole["curves"].values() for point in curve] + list(whole["chosen"].values()):
        if not math.isfinite(point["median_psnr"]):
            point["median_psnr"] = str(point["median_psnr"])
    write_json(path, whole)


def read(path: Path) -> Calibrated:
    """Read the file that ``write`` made."""
    whole = read_json(path)
    curves = {name: [_point(point) for point in curve] for name, curve in whole["curves"].items()}
    chosen = {name: _point(point) for name, point in whole["chosen"].items()}
    return Calibrated(
        **whole | {"curves": curves, "chosen": chosen, "fit": Fit(**whole["fit"]) if whole["fit"] else None}
    )


def _point(stored: Mapping[str, Any]) -> Point:
    return Point(**{**stored, "median_psnr": float(stored["median_psnr"])})
