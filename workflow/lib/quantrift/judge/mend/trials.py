"""Trials of mixed networks, each built once, run on a sample and remembered; and sensitivity of units by them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

import numpy as np
import scipy

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.layer_comparison import layer_errors
from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.statistics.margin_law import predicted
from quantrift.judge.mend.builder import Builder, Unit
from quantrift.judge.mend.mending import Correlation, Sensitivity
from quantrift.judge.mend.ranges import Ranges
from quantrift.judge.mend.sample import Counted, Sample
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.tool_result import Rate

BATCH = 32
FEWEST = 3
"""Units of which a rank correlation says anything."""
Kept = frozenset[str]
"""Names of the units that are left in float."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A network in mixed precision on a sample."""

    kept: Kept
    counted: Counted
    size: int
    """Bytes of its file."""
    share: float
    """Of the multiply-accumulates in 8 bits; 0 where there are none."""

    @property
    def told(self) -> tuple[int, int, float, int, int, Rate]:
        """As results have it: units kept, size, share of the multiply-accumulates in 8 bits, and what was counted."""
        return len(self.kept), self.size, self.share, *self.counted.told


@dataclass(eq=False)
class Trials:
    """Trials of one builder with one choice of ranges on one sample."""

    builder: Builder
    ranges: Ranges
    sample: Sample
    runtime: str
    """That runs the files."""
    told: Callable[[], object] = lambda: None
    """Called after each trial that was not remembered."""
    known: dict[Kept, Trial] = field(default_factory=dict)
    """Networks that were built and run."""

    def __call__(self, kept: Collection[str]) -> Trial:
        """The trial of a network with some units in float."""
        key = frozenset(kept)
        if key not in self.known:
            content = self.builder.build(key, self.ranges)
            with temporary_folder() as folder:
                path = Path(folder) / f"mixed{self.builder.base.suffix}"
                path.write_bytes(content)
                counted = self.sample.count(self.sample.loaded(self.runtime, path))
            in_8_bits, whole = self.builder.macs(content)
            self.known[key] = Trial(key, counted, len(content), in_8_bits / whole if whole else 0.0)
            self.told()
        return self.known[key]


def sensitivities(trials: Trials, units: Sequence[Unit], diagnoses: Diagnoses) -> list[Sensitivity]:
    """Sensitivity of each unit; two networks are built and run for each."""
    names = [unit.name for unit in units]
    errors: dict[str, LayerError] = diagnoses("SQNR of units", {}, _errors, trials)
    missing = "its output was not found in both files, so that it has no SQNR" if errors else "no SQNR was measured"
    found = []
    for unit in units:
        alone, restored = trials([name for name in names if name != unit.name]), trials([unit.name])
        foretold = nan if trials.sample.under_task else predicted(alone.counted.margins).rate
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
                gain=trials(()).counted.events - restored.counted.events,
                sqnr_db=error.sqnr_db if error else None,
                added_sqnr_db=error.added_sqnr_db if error else None,
                foretold=None if np.isnan(foretold) else foretold,
                note=None if error else missing,
            )
        )
    return found


def _errors(trials: Trials) -> dict[str, LayerError]:
    """Errors of layers on 128 selection inputs at most, with everything in 8 bits."""
    inputs = trials.sample.inputs
    with temporary_folder() as folder:
        path = Path(folder) / f"whole{trials.builder.base.suffix}"
        path.write_bytes(trials.builder.build((), trials.ranges))
        batches = (inputs.take(inputs.test[start : start + BATCH]) for start in range(0, min(128, len(inputs)), BATCH))
        values = trials.sample.under_task is not None
        return {one.layer: one for one in layer_errors(trials.builder.base, path, batches, values)}


def correlations(found: Sequence[Sensitivity]) -> list[Correlation]:
    """Rank correlations of both costs with low SQNR, of either kind, and with what the margin law foretells."""
    beside = ("sqnr_db", "added_sqnr_db", "foretold")
    return [_correlation(found, cost, ratio) for cost in ("alone", "gain") for ratio in beside]


def _correlation(found: Sequence[Sensitivity], cost: str, ratio: str) -> Correlation:
    known = [one for one in found if getattr(one, ratio) is not None]
    sign = 1 if ratio == "foretold" else -1
    costs, ratios = [getattr(one, cost) for one in known], [sign * getattr(one, ratio) for one in known]
    if len(known) < FEWEST or np.ptp(costs) == 0 or np.ptp(ratios) == 0:
        return Correlation(cost, ratio, len(known), None, None)
    both = (one(costs, ratios) for one in (scipy.stats.spearmanr, scipy.stats.kendalltau))
    return Correlation(cost, ratio, len(known), *(float(one.statistic) for one in both))
