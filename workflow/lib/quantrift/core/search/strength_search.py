"""Calibration: the strength at which each distortion alone gives meaningful inputs (DiverGet §4.3 (ii)).

"We start by the full range of possible values, then, we narrow down the range if the PSNR of the produced inputs are
generally low": the median of candidates with one distortion alone must satisfy the constraint. Nothing here sees the
networks, and validity of compounds is only looked at where strengths are fitted to a published rate (``anchor``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np

from quantrift.core.base import search_parts
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
from quantrift.core.base.streams import stream
from quantrift.core.search.calibrated import Calibrated, Fit, Point
from quantrift.core.search.constraint import Constraint
from quantrift.core.search.space import Domain, Originals

ROWS = 256
"""Candidates decoded and measured at once."""


@dataclass(frozen=True)
class Sample:
    """Size of a calibration's sample; see :class:`quantrift.core.settings.calibrations.Calibration`."""

    inputs: int
    draws: int
    compounds: int
    steps: int
    anchor: float | None = None


def of_settings(settings: Mapping[str, Any], inputs: Inputs) -> Calibrated:
    """Calibrate by resolved settings: the parts ``space`` and ``constraint``, and the fields of :class:`Sample`."""
    # Strengths are those of the input that is changed, whatever is carried along with it.
    inputs = inputs.searched
    domain = Domain.of(inputs)
    modules = {kind: search_parts.load(kind, settings[kind]["name"]) for kind in ("space", "constraint")}
    params = {kind: module.Params(**settings[kind]["params"]) for kind, module in modules.items()}

    def space(strengths: Mapping[str, float]) -> Any:
        return modules["space"].bind(replace(params["space"], strengths=strengths), domain)

    constraint = modules["constraint"].bind(params["constraint"], domain)
    sample = Sample(**{field.name: settings[field.name] for field in fields(Sample)})
    return replace(calibrate(inputs, space, constraint, sample), settings=dict(settings))


def calibrate(
    inputs: Inputs,
    space: Callable[[Mapping[str, float]], Any],
    constraint: Constraint,
    sample: Sample,
) -> Calibrated:
    """Choose the strength of each distortion, with progress on standard error.

    A distortion's strength is the largest of the grid 1, ..., 1 / steps at which the constraint holds for the median
    candidate; the smallest where it never does. Every strength is tried on the same training inputs with the same
    random streams, which depend on the dataset alone.

    Args:
        inputs: the dataset as a network sees it.
        space: from strengths, distortion -> share of its full range, to the space; its ``blocks`` are its distortions.
        constraint: what makes an input valid.
        sample: size of the sample, and the share of valid compounds to fit, if any.
    """
    trial = _Trial(inputs, space, constraint, sample)
    grid = [round(step / sample.steps, 9) for step in range(sample.steps, 0, -1)]
    curves: dict[str, list[Point]] = {block.name: [] for block in space({}).blocks}
    with bar(total=len(curves) * len(grid), desc=f"ranges of changes of {inputs.title}") as progress:
        for name, strength in product(curves, grid):
            curves[name].append(trial.alone(name, strength))
            progress.update()
    chosen = {name: next((one for one in curve if one.reached), curve[-1]) for name, curve in curves.items()}
    found = Calibrated(
        settings={},
        inputs=len(trial.originals.inputs),
        curves=curves,
        chosen=chosen,
        vr_full=trial.together({}),
        vr=trial.together({name: point.strength for name, point in chosen.items()}),
    )
    return found if sample.anchor is None else _fitted(found, trial, sample.anchor, grid[-1])


class _Trial:
    """Measurements of candidates on some training inputs."""

    def __init__(
        self,
        inputs: Inputs,
        space: Callable[[Mapping[str, float]], Any],
        constraint: Constraint,
        sample: Sample,
    ) -> None:
        self._dataset, self._space, self._constraint, self._sample = inputs.dataset, space, constraint, sample
        chosen = np.sort(stream("calibration", inputs.dataset, "inputs").permutation(inputs.train)[: sample.inputs])
        self.originals = Originals.of(inputs, chosen)

    def alone(self, name: str, strength: float) -> Point:
        """Candidates with one distortion active."""
        judged, psnr = self._measured(self._space({name: strength}), self._sample.draws, name)
        return Point(
            strength=strength,
            median_psnr=float(np.median(psnr)),
            valid=float((self._constraint.violation(judged) == 0).mean()),
            identical=float(np.isposinf(psnr).mean()),
            reached=bool(self._constraint.violation(np.median(judged, keepdims=True))[0] == 0),
        )

    def together(self, strengths: Mapping[str, float]) -> float:
        """Share of valid candidates as random sampling draws them, every distortion switched by coin."""
        judged, _ = self._measured(self._space(strengths), self._sample.compounds, None)
        return float((self._constraint.violation(judged) == 0).mean())

    def _measured(self, space: Any, draws: int, only: str | None) -> tuple[np.ndarray, np.ndarray]:
        """Deciding quantity and PSNR, float64 (draws * inputs,), of ``draws`` candidates of each input."""
        found, count = [], len(self.originals.inputs)
        for draw in range(draws):
            # A stream for each draw, so that memory does not grow with their number.
            candidates = space.sample(count, stream("calibration", self._dataset, only or "", draw))
            if only is not None:
                for block in space.blocks:
                    candidates[:, block.activation] = block.name == only
            for start in range(0, count, ROWS):
                rows = np.arange(start, min(start + ROWS, count))
                found.append(
                    self._constraint.measure(space.decode(candidates[rows], self.originals, rows), self.originals, rows)
                )
        return np.concatenate([one.judged for one in found]), np.concatenate([one.psnr for one in found])


def _fitted(found: Calibrated, trial: _Trial, anchor: float, least: float) -> Calibrated:
    """The same with all strengths times one factor, so that the share of valid compounds is nearest the anchor."""
    tried: dict[float, float] = {}

    def scaled(factor: float) -> dict[str, float]:
        return {name: min(1.0, strength * factor) for name, strength in found.strengths.items()}

    def valid(factor: float) -> float:
        if factor not in tried:
            tried[factor] = trial.together(scaled(factor))
        return tried[factor]

    # Between hardly any distortion and full strength throughout.
    low, high = least, 1 / min(found.strengths.values())
    reached = valid(high) <= anchor <= valid(low)
    if reached:
        # To a thousandth of the interval.
        for _ in range(10):
            middle = (low + high) / 2
            low, high = (middle, high) if valid(middle) > anchor else (low, middle)
    factor = min(tried, key=lambda one: abs(tried[one] - anchor))
    return replace(
        found,
        chosen={name: trial.alone(name, strength) for name, strength in scaled(factor).items()},
        vr=tried[factor],
        fit=Fit(anchor, factor, reached),
    )
