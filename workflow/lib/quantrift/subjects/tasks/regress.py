"""Regression: every output of the compressed network lies within a tolerance of the original's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from quantrift.base.errors import QuantriftError
from quantrift.subjects.task import Outputs, Part, beyond, flat, in_rows

MEANING = "every output within --tolerance"


@dataclass(frozen=True)
class Settings:
    """The k-th of K values may differ by t_k."""

    NAME: ClassVar[str] = "regress"
    DIFFERS: ClassVar[str] = "get an output beyond the tolerance"
    ACCURACY: ClassVar[str] = "accuracy within the tolerance"
    RIGHT: ClassVar[str] = "within the tolerance of the truth"

    tolerance: tuple[float, ...] = (0.02,)
    """One for all values, or one for each; at least 0. In units of the outputs, unless ``share``."""
    share: bool = True
    """Whether it is a share of the observed range: greatest minus least value of the original on the inputs as given.
    An output that is a vector has a range of each value, one with more axes, like a map, one for all its values."""

    def __post_init__(self) -> None:
        """Refuse tolerances that are none."""
        if not self.tolerance or not all(np.isfinite(one) and one >= 0 for one in self.tolerance):
            raise QuantriftError("--tolerance is not a number from 0; give one like 0.5 or 2%")

    def settled(self, original: Outputs, compressed: Outputs) -> "Settings":
        """Tolerances in units, one for each value."""
        names = _names(original)
        if len(self.tolerance) not in (1, len(names)):
            raise QuantriftError(
                f"--tolerance has {len(self.tolerance)} values, the outputs {len(names)}; give one for all, or one each"
            )
        tolerance = np.broadcast_to(np.array(self.tolerance, np.float64), len(names))
        if self.share:
            ranges = np.concatenate([_range(values) for values in original.values()])
            if not ranges.all():
                still = names[int(np.flatnonzero(ranges == 0)[0])]
                raise QuantriftError(
                    f"output {still} of the original is the same on all inputs, so that it has no range; give "
                    "--tolerance in its units, like 0.5"
                )
            tolerance = tolerance * ranges
        return replace(self, tolerance=tuple(tolerance.tolist()), share=False)

    @property
    def definition(self) -> str:
        """See ``Task``."""
        least, most = min(self.tolerance), max(self.tolerance)
        held = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}, by output"
        if self.share:
            held = f"{100 * least:.4g} % of its observed range"
        return f"every output of the compressed network lies within {held} of the original's"

    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """Largest |difference| / tolerance over the values."""
        return self._in_tolerances(flat(original), flat(compressed)).max(axis=1)

    def _in_tolerances(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """|difference| / tolerance of each value, float64 (n, K); at most 1 exactly where it is within."""
        away, tolerance = np.abs(first - second), np.array(self.tolerance)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(away == 0, 0.0, away / tolerance)
        # What is no number is within nothing.
        return beyond(~(away <= tolerance), np.where(np.isnan(ratio), np.inf, ratio))

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """True values, float32 (n, K)."""
        found = in_rows(truth).astype(np.float32)
        width = flat(outputs).shape[1]
        if found.shape[1] != width:
            raise QuantriftError(f"has {found.shape[1]} true values for each input, the outputs {width}; give as many")
        return found

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether every value lies within the tolerance of the true one."""
        found: np.ndarray = self._in_tolerances(flat(outputs), truth.astype(np.float64)).max(axis=1) <= 1
        return found

    def parts(self, original: Outputs, compressed: Outputs) -> Sequence[Part]:
        """Values of vectors one by one, others as a whole."""
        found, start = [], 0
        for name, values in original.items():
            first, second = (in_rows(one).astype(np.float64) for one in (values, compressed[name]))
            width = first.shape[1]
            away = np.abs(first - second)
            of = replace(self, tolerance=self.tolerance[start : start + width])
            ratio = of._in_tolerances(first, second)
            start += width
            columns = [slice(place, place + 1) for place in range(width)] if values.ndim <= 2 else [slice(None)]
            for place, column in enumerate(columns):
                label = f"{name} {place}" if len(columns) > 1 else name
                beyond_it = int((ratio[:, column].max(axis=1) > 1).sum())
                own = away[:, column]
                found.append(Part(label, beyond_it, len(own), float(own.mean()), float(own.max()), "its own units"))
        return found


def _names(outputs: Outputs) -> list[str]:
    """A name for each value."""
    widths = {name: in_rows(values).shape[1] for name, values in outputs.items()}
    return [f"'{name}' {place}" for name, width in widths.items() for place in range(width)]


def _range(values: np.ndarray) -> np.ndarray:
    """Observed range of each value, float64 (K,)."""
    rows = in_rows(values).astype(np.float64)
    own = np.ptp(rows, axis=0)
    return own if values.ndim <= 2 else np.full(rows.shape[1], np.ptp(rows))
