"""Multi-label classification: both networks give the same set of labels, those of a probability from a threshold on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.pairs.channels import Dead, dead_channels, grid_step
from quantrift.core.pairs.task import Outputs, Part, Task, beyond, flat

MEANING = "the same set of labels at --threshold"


@dataclass(frozen=True)
class Settings(Task):
    """Label k is given from probability ``threshold`` on; each of the K values is one label's."""

    DIFFERS: ClassVar[str] = "get another set of labels"
    ACCURACY: ClassVar[str] = "subset accuracy"
    RIGHT: ClassVar[str] = "the true set of labels"

    threshold: float = 0.5
    """Between 0 and 1."""
    logits_original: bool | None = None
    """Whether the original gives logits, whose sigmoids are the probabilities; settled by the networks."""
    logits_compressed: bool | None = None

    def __post_init__(self) -> None:
        """Refuse thresholds that are none."""
        refuse((not 0 < self.threshold < 1, f"--threshold is {self.threshold:g}; give a probability between 0 and 1"))

    def settled(self, original: Outputs, compressed: Outputs) -> "Settings":
        """Values outside 0 to 1 are logits."""
        return replace(self, logits_original=_logits(original), logits_compressed=_logits(compressed))

    @property
    def definition(self) -> str:
        """See ``Task``."""
        kinds = {None: "values", True: "logits, by their sigmoids", False: "probabilities"}
        both = [kinds[self.logits_original], kinds[self.logits_compressed]]
        of = both[0] if both[0] == both[1] else f"{both[0]} of the original, {both[1]} of the compressed network"
        return f"both networks give the same set of labels: those of a probability of {self.threshold:g} or more ({of})"

    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """Largest change of a probability; 1 + that of labels won or lost, where there are any."""
        moved, changed = self._changes(original, compressed)
        # Comparisons with what is no number are false.
        changed |= np.isnan(moved)
        moved = np.where(np.isnan(moved), 1.0, moved)
        any_changed = np.asarray(changed.any(axis=1))
        return beyond(any_changed, np.where(any_changed, 1 + (moved * changed).max(axis=1), moved.max(axis=1)))

    def _changes(self, original: Outputs, compressed: Outputs) -> tuple[np.ndarray, np.ndarray]:
        """Change of each probability, float64 (n, K), and whether its label is won or lost."""
        first, second = self._both(original, compressed)
        return np.abs(first - second), (first >= self.threshold) != (second >= self.threshold)

    def _both(self, original: Outputs, compressed: Outputs) -> tuple[np.ndarray, np.ndarray]:
        return _probabilities(original, self.logits_original), _probabilities(compressed, self.logits_compressed)

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """Whether each label is true, float32 (n, K) of 0 and 1."""
        width = flat(outputs).shape[1]
        refuse(
            (
                truth.shape != (len(truth), width),
                f"has shape {truth.shape}, expected (n, {width}): 0 or 1 for each label; correct it",
            ),
            (
                not np.isin(truth, (0, 1)).all(),
                "holds other numbers than 0 and 1; say of each label whether it is true",
            ),
        )
        return truth.astype(np.float32)

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether the set of labels is the true one."""
        given = _probabilities(outputs, self.logits_compressed if of_compressed else self.logits_original)
        return np.asarray(((given >= self.threshold) == (truth > 0)).all(axis=1))

    def parts(self, original: Outputs, compressed: Outputs) -> Sequence[Part]:
        """Each label: how many inputs win or lose it, and changes of its probability."""
        columns = (one.T for one in self._changes(original, compressed))
        return [
            Part(
                f"label {place}", int(changed.sum()), len(moved), float(moved.mean()), float(moved.max()), "probability"
            )
            for place, (moved, changed) in enumerate(zip(*columns, strict=True))
        ]

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Each label, by its probability."""
        first, second = self._both(original, compressed)
        # A step of logits moves no probability by more than a quarter of it.
        step = grid_step(flat(original), flat(compressed)) / (4 if self.logits_compressed else 1)
        return dead_channels({"labels": first[:, :, None]}, {"labels": second[:, :, None]}, step)


def _logits(outputs: Outputs) -> bool:
    values = flat(outputs)
    return bool((values < 0).any() or (values > 1).any())


def _probabilities(outputs: Outputs, logits: bool | None) -> np.ndarray:
    """Float64 (n, K)."""
    values = flat(outputs)
    if not logits:
        return values
    # Either form alone would overflow on one side.
    small = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + small), small / (1 + small))
