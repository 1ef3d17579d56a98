"""A pair of networks under a task, as two classifiers that tell one thing: whether they agree.

The original always gives class 0, 'agrees'. The compressed network gives class 1, 'differs', exactly where the outputs
of both differ by more than the tolerance of the task. Searches, records, rates and verdicts, which compare labels, then
serve every task. Logits grow with the difference, so that objectives on probabilities climb it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import reading
from quantrift.core.networks.batches import check
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.runtime import ValuesRuntime
from quantrift.core.pairs.task import Outputs, Task, task_of

FILE = "task.json"
"""Name of the file of an agreement, beside the compressed network in a results folder."""
CLASSES = ("agrees", "differs")
LARGEST = 1e300
"""Largest difference that is told from larger ones."""


@dataclass(frozen=True)
class Agreement:
    """A task for two networks."""

    task: Task
    names: tuple[str, ...]
    """Of the original's outputs."""
    shapes: tuple[tuple[int, ...], ...]
    """Of each, for one input."""
    order: tuple[int, ...]
    """Place of each among the compressed network's outputs."""

    def original(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs by name, float32 (n, ...), of the original's values (n, K)."""
        return split(values, self.names, self.shapes)

    def compressed(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Likewise of the compressed network, under the names of the original."""
        return split(values, self.names, self.shapes, self.order)

    def difference(self, original: np.ndarray, compressed: np.ndarray) -> np.ndarray:
        """Difference in units of the tolerance, float64 (n,), of values (n, K) of both; infinite for no number."""
        return self.between(self.original(original), self.compressed(compressed))

    def between(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """Likewise of outputs by name."""
        found = self.task.difference(original, compressed)
        return np.where(np.isnan(found), np.inf, found)

    def dumped(self) -> str:
        """Everything as JSON."""
        # A dataclass by its interface (``Task``), whose settings are plain values.
        stored = {"task": self.task.name, "settings": asdict(self.task)}  # type: ignore[call-overload]
        return json.dumps(stored | {"names": self.names, "shapes": self.shapes, "order": self.order})

    @staticmethod
    def read(text: str, source: object) -> "Agreement":
        """From JSON; ``source`` is for messages.

        Raises:
            QuantriftError: it is none.
        """
        with reading(source, "holds no task that can be read", "make the assessment again"):
            stored: Mapping[str, Any] = json.loads(text)
            names, order = tuple(map(str, stored["names"])), tuple(map(int, stored["order"]))
            shapes = tuple(tuple(map(int, shape)) for shape in stored["shapes"])
            if sorted(order) != list(range(len(names))) or len(shapes) != len(names):
                raise ValueError("names, shapes and order differ in length")
            return Agreement(task_of(str(stored["task"]), dict(stored["settings"])), names, shapes, order)


def pseudo_logits(difference: np.ndarray) -> np.ndarray:
    """Logits of 'agrees' and 'differs', float32 (n, 2): the second is larger exactly where ``difference`` is above 1.

    The second is d - 1 up to 1 and log d above, so the probability of 'differs' is 1/2 at the limit and d / (1 + d)
    beyond it. Both are exact near 1, and no rounding to float32 brings a number above 0 to 0 there.
    """
    d = np.minimum(np.where(np.isnan(difference), np.inf, difference), LARGEST).astype(np.float64)
    second = np.where(d > 1, np.log(np.maximum(d, 1)), d - 1)
    return np.stack([np.zeros_like(second), second], axis=1).astype(np.float32)


class _OfTask:
    """A network of a pair under a task."""

    classes = len(CLASSES)

    def __init__(self, values: ValuesRuntime) -> None:
        """``values``: the network, which gives values of outputs."""
        self.values, self.input_shape, self.signature = values, values.input_shape, values.signature


class AgreeingOriginal(_OfTask):
    """The original of a pair under a task: it agrees with itself, and is run beside the compressed network alone."""

    def __init__(self, network: ValuesRuntime, path: Path) -> None:
        """``network`` gives values of outputs; ``path`` of its file is for messages."""
        super().__init__(network)
        self._path = path

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The logits of no difference, float32 (n, 2)."""
        check(x, self._path, self.input_shape)
        return pseudo_logits(np.zeros(len(x)))


class ComparedNetwork(_OfTask):
    """The compressed network of a pair under a task, beside the original."""

    def __init__(self, original: ValuesRuntime, compressed: ValuesRuntime, agreement: Agreement) -> None:
        """Networks that give values of their outputs."""
        super().__init__(compressed)
        self.original, self.agreement = original, agreement

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits of whether the outputs of both differ, float32 (n, 2), for inputs float32 (n, H, W, C)."""
        if not len(x):
            return np.empty((0, self.classes), np.float32)
        return pseudo_logits(self.agreement.difference(self.original(x), self.values(x)))

    def outputs(self, x: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]:
        """Outputs of both by name, and their differences, float64 (n,)."""
        first, second = self.original(x), self.values(x)
        found = self.agreement
        return found.original(first), found.compressed(second), found.difference(first, second)
