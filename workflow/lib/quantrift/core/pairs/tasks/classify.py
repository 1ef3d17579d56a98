"""Classification: both networks give the same label, that of the largest logit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quantrift.core.pairs.channels import Dead, dead_channels
from quantrift.core.pairs.task import Outputs, Task, beyond, flat

MEANING = "the same label"


@dataclass(frozen=True)
class Settings(Task):
    """Logits of one output; the first of equal ones is the label.

    Assessments compare labels themselves, as the workflow does, so that classes stay visible.
    """

    DIFFERS: ClassVar[str] = "get another label"
    ACCURACY: ClassVar[str] = "accuracy"
    RIGHT: ClassVar[str] = "the true label"

    @property
    def definition(self) -> str:
        """See ``Task``."""
        return "both networks give the same label"

    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """1 + the largest change of a logit where labels differ, at most 1 elsewhere."""
        first, second = flat(original), flat(compressed)
        differs = first.argmax(axis=1) != second.argmax(axis=1)
        change = np.abs(first - second).max(axis=1)
        return beyond(differs, np.where(differs, 1 + change, change / (1 + change)))

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """Labels, float32 (n,)."""
        return np.ascontiguousarray(truth, np.float32).reshape(len(truth))

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether the labels are the true ones."""
        return np.asarray(flat(outputs).argmax(axis=1) == truth)

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Each logit but those that stay at the least one, where a file cuts off what no label depends on."""
        first, second = flat(original), flat(compressed)
        found = dead_channels({"logits": first[:, :, None]}, {"logits": second[:, :, None]})
        return [one for one in found if second[:, int(one.channel)].min() > second.min()]
