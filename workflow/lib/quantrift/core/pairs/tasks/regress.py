"""Regression: every output of the compressed network lies within a tolerance of the original's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from quantrift.core.base.carried_rows import in_rows
from quantrift.core.base.errors import refuse
from quantrift.core.pairs.channels import Dead, by_channel, dead_channels, of_values, ranges
from quantrift.core.pairs.task import Outputs, Part, Task, beyond, flat

MEANING = "every output within --tolerance"


@dataclass(frozen=True)
class Settings(Task):
    """The k-th of K values may differ by t_k."""

    DIFFERS: ClassVar[str] = "get an output beyond the tolerance"
    ACCURACY: ClassVar[str] = "accuracy within the tolerance"
    RIGHT: ClassVar[str] = "within the tolerance of the truth"

    tolerance: tuple[float, ...] = (0.02,)
    """One for all values, or one for each; at least 0. In units of the outputs, unless ``share``."""
    share: bool = True
    """Whether it is a share of a range: greatest minus least value of the original on the inputs as given."""
    by_channel: bool = True
    """Whether each channel of an output has a range (``channels.ranges``). Bundles of earlier versions mean one range
    for all values of an output with several axes."""

    def __post_init__(self) -> None:
        """Refuse tolerances that are none."""
        refuse(
            (
                not self.tolerance or not all(np.isfinite(one) and one >= 0 for one in self.tolerance),
                "--tolerance is not a number from 0; give one like 0.5 or 2%",
            ),
        )

    def settled(self, original: Outputs, compressed: Outputs) -> "Settings":
        """Tolerances in units, one for each value."""
        width = flat(original).shape[1]
        refuse(
            (
                len(self.tolerance) not in (1, width),
                f"--tolerance has {len(self.tolerance)} values, the outputs {width}; give one for all, or one each",
            ),
        )
        tolerance = np.broadcast_to(np.array(self.tolerance, np.float64), width)
        if self.share:
            found = {name: self._ranges(values) for name, values in original.items()}
            refuse(
                *(
                    (
                        not own.all(),
                        f"output '{name}' of the original is the same on all inputs, so that it has no range; give "
                        "--tolerance in its units, like 0.5",
                    )
                    for name, own in found.items()
                )
            )
            tolerance = tolerance * np.concatenate([*found.values()])
        return replace(self, tolerance=tuple(tolerance.tolist()), share=False)

    def _ranges(self, values: np.ndarray) -> np.ndarray:
        """Observed range that counts for each value of an output, float64 (K,)."""
        if self.by_channel or values.ndim <= 2:
            return of_values(values, ranges(values))
        return np.full(in_rows(values).shape[1], np.ptp(values.astype(np.float64)))

    @property
    def definition(self) -> str:
        """See ``Task``."""
        least, most = min(self.tolerance), max(self.tolerance)
        held = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}, by output"
        held = f"{100 * least:.4g} % of its observed range" if self.share else held
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
        refuse(
            (
                found.shape[1] != width,
                f"has {found.shape[1]} true values for each input, the outputs {width}; give as many",
            ),
        )
        return found

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether every value lies within the tolerance of the true one."""
        return np.asarray(self._in_tolerances(flat(outputs), truth.astype(np.float64)).max(axis=1) <= 1)

    def parts(self, original: Outputs, compressed: Outputs) -> Sequence[Part]:
        """Each channel of each output."""
        found, start = [], 0
        for name, values in original.items():
            first, second = (in_rows(one).astype(np.float64) for one in (values, compressed[name]))
            of = replace(self, tolerance=self.tolerance[start : start + first.shape[1]])
            start += first.shape[1]
            ratio, away = (
                by_channel(one.reshape(values.shape))
                for one in (of._in_tolerances(first, second), np.abs(first - second))
            )
            for place in range(away.shape[1]):
                label = f"{name} {place}" if away.shape[1] > 1 else name
                beyond_it, own = int((ratio[:, place].max(axis=1) > 1).sum()), away[:, place]
                found.append(Part(label, beyond_it, len(own), float(own.mean()), float(own.max()), "its own units"))
        return found

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Each channel of each output."""
        first, second = ({name: by_channel(one) for name, one in of.items()} for of in (original, compressed))
        return dead_channels(first, second)
