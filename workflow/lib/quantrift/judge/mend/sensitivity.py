"""Sensitivity of each unit by disagreements on natural inputs, beside the error of its layer in decibels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.networks.layer_errors import LayerError
from quantrift.judge.mend.trials import Trials
from quantrift.judge.mend.units import Unit
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.tool_result import Rate

LAYER_INPUTS = 128
"""Selection inputs on which layers are compared, at most."""
BATCH = 32
FEWEST = 3
"""Units of which a rank correlation says anything."""


@dataclass(frozen=True)
class Sensitivity:
    """Cost of quantizing one unit."""

    unit: str
    kind: str
    """Its operation that computes, like ``CONV_2D``."""
    macs: int
    alone: int
    """Disagreements on the selection inputs and their changes where it alone is in 8 bits."""
    alone_rate: Rate
    restored: int
    """Disagreements where it alone is in float."""
    restored_rate: Rate
    gain: int
    """Disagreements that restoring it to float takes away; negative where there are more."""
    sqnr_db: float | None
    """SQNR of its output with everything in 8 bits, errors of the units before included; ``None`` where its output is
    not found in both files, or equal in both."""
    added_sqnr_db: float | None
    """SQNR of the error that the unit adds itself; likewise."""
    note: str | None
    """Why there is no SQNR."""


@dataclass(frozen=True)
class Correlation:
    """Rank correlation, over units, of a cost by disagreements with low SQNR."""

    cost: str
    """``alone`` or ``gain``."""
    ratio: str
    """``sqnr_db`` or ``added_sqnr_db``."""
    units: int
    """Units that have both."""
    spearman: float | None
    """1 where the order by SQNR is the order by disagreements; ``None`` below three units, and where one of them is
    the same for all."""
    kendall: float | None
    """Kendall's tau-b; likewise."""


def measured(trials: Trials, units: Sequence[Unit], diagnoses: Diagnoses) -> list[Sensitivity]:
    """Sensitivity of each unit; two networks are built and run for each."""
    names = [unit.name for unit in units]
    whole = trials(())
    errors: dict[str, LayerError] = diagnoses("SQNR of units", {}, _errors, trials)
    missing = "its output was not found in both files, so that it has no SQNR" if errors else "no SQNR was measured"
    found = []
    for unit in units:
        alone, restored = trials([name for name in names if name != unit.name]), trials([unit.name])
        error = next((errors[layer] for layer in unit.layers if layer in errors), None)
        found.append(
            Sensitivity(
                unit=unit.name,
                kind=unit.kind,
                macs=unit.macs,
                alone=alone.counted.events,
                alone_rate=alone.counted.rate,
                restored=restored.counted.events,
                restored_rate=restored.counted.rate,
                gain=whole.counted.events - restored.counted.events,
                sqnr_db=error.sqnr_db if error else None,
                added_sqnr_db=error.added_sqnr_db if error else None,
                note=None if error else missing,
            )
        )
    return found


def by_disagreement(found: Sequence[Sensitivity]) -> list[str]:
    """Names of units, those first that cost most: by both counts together, then by their own SQNR."""
    return [one.unit for one in sorted(found, key=lambda one: (-(one.alone + one.gain), _ratio(one.added_sqnr_db)))]


def by_sqnr(found: Sequence[Sensitivity]) -> list[str]:
    """Names of units, the lowest SQNR first, as tools that compare layers list them; those without one last."""
    return [one.unit for one in sorted(found, key=lambda one: _ratio(one.sqnr_db))]


def correlations(found: Sequence[Sensitivity]) -> list[Correlation]:
    """Rank correlations of both costs with both ratios."""
    return [_correlation(found, cost, ratio) for cost in ("alone", "gain") for ratio in ("sqnr_db", "added_sqnr_db")]


def _correlation(found: Sequence[Sensitivity], cost: str, ratio: str) -> Correlation:
    pairs = [(getattr(one, cost), -getattr(one, ratio)) for one in found if getattr(one, ratio) is not None]
    costs, ratios = (np.array(side, np.float64) for side in zip(*pairs, strict=True)) if pairs else (np.empty(0),) * 2
    if len(pairs) < FEWEST or np.ptp(costs) == 0 or np.ptp(ratios) == 0:
        return Correlation(cost, ratio, len(pairs), None, None)
    spearman, kendall = scipy.stats.spearmanr(costs, ratios), scipy.stats.kendalltau(costs, ratios)
    return Correlation(cost, ratio, len(pairs), float(spearman.statistic), float(kendall.statistic))


def _ratio(value: float | None) -> float:
    return np.inf if value is None else value


def _errors(trials: Trials) -> dict[str, LayerError]:
    """Errors of layers on selection inputs, with everything in 8 bits."""
    inputs = trials.sample.inputs
    with temporary_folder() as folder:
        path = Path(folder) / f"whole{trials.builder.base.suffix}"
        path.write_bytes(trials.builder.build((), trials.ranges))
        starts = range(0, min(LAYER_INPUTS, len(inputs)), BATCH)
        batches = (inputs.take(inputs.test[start : start + BATCH]) for start in starts)
        return {one.layer: one for one in layer_errors(trials.builder.base, path, batches)}
