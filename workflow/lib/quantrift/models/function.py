"""Networks that are functions: whatever Python can call, run like a network from a file.

A model of another library, a served model or a phone over a link is such a function. It takes a batch of images and
gives outputs of classes.
"""

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Literal

import numpy as np

from quantrift.base.errors import QuantriftError
from quantrift.models.batches import Batches, check, runs
from quantrift.models.graphs.axis_order import Layout
from quantrift.models.graphs.signature import Signature, Tensor

Values = Literal["logits", "probabilities"]
"""Meaning of the outputs of a network."""
BATCH = 256
"""Inputs that a function gets at once at most, unless it asks for fewer."""


class FunctionNetwork(Batches):
    """A function from images to outputs of classes, as a network from images to logits.

    Its outputs become logits as those of files do: probabilities by their logarithms, a single output by its sign.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[np.ndarray], object],
        image: tuple[int, int, int],
        values: Values,
        layout: Layout = "channels_last",
        batch: int = BATCH,
        fixed: bool = False,
    ) -> None:
        """A function that is called once, on an input of zeros, to count its classes.

        Args:
            name: for messages.
            function: from float32 (n, H, W, C), or (n, C, H, W), to numbers (n, K).
            image: (H, W, C).
            values: meaning of its outputs.
            layout: order of the axes of its inputs.
            batch: inputs that it gets at once at most.
            fixed: whether it always gets as many: fewer are filled up.

        Raises:
            QuantriftError: it raises an error, or does not give an array of numbers (n, K).
        """
        height, width, channels = image
        first = layout == "channels_first"
        taken = _tensor((channels, height, width) if first else image)
        self._function, self._name, self._count = function, name, 0
        # What it gives decides on the rest, and is asked for once.
        self.signature = Signature(taken, _tensor((2,)), 0, image, 2, False, False, first)
        super().__init__(Path(name), image, 2, batch, batch if fixed else 0)
        outcomes = self.outputs(np.zeros((1, *image), np.float32)).shape[1]
        probabilities = values == "probabilities"
        self.signature = Signature(
            taken,
            _tensor((outcomes,)),
            batch if fixed else 0,
            image,
            max(outcomes, 2),
            probabilities and outcomes > 1,
            probabilities and outcomes == 1,
            first,
        )
        self._count, self.classes = outcomes, max(outcomes, 2)

    def outputs(self, x: np.ndarray) -> np.ndarray:
        """Numbers as the function gives them, (n, K), for at least one input, float32 (n, H, W, C).

        Raises:
            QuantriftError: as the constructor.
        """
        check(x, self._path, self.input_shape)
        parts = [self._called(rows)[:count] for _, rows, count in runs(x, self._batch, self._fixed)]
        return np.concatenate(parts)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        return self.signature.decoded(self._called(rows), len(rows))

    def _called(self, rows: np.ndarray) -> np.ndarray:
        """A copy of what the function gives, as it may use its array again."""
        try:
            found = np.array(self._function(self.signature.encoded(rows)))
        except (QuantriftError, MemoryError):
            raise
        # Whatever stands behind a function has errors of its own; they stay attached, for whoever wrote it.
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise QuantriftError(
                f"{self._name}: raises {type(error).__name__} for float32 inputs {rows.shape} ({reason}); "
                "correct the function"
            ) from error
        wanted = f"({len(rows)}, {self._count or 'K'})"
        if found.dtype.kind not in "fiu" or found.ndim != 2 or not prod(found.shape):
            raise QuantriftError(
                f"{self._name}: gives {found.dtype} {found.shape} for {len(rows)} inputs, expected an array of numbers "
                f"{wanted}; correct the function"
            )
        if len(found) != len(rows) or self._count not in (0, found.shape[1]):
            raise QuantriftError(
                f"{self._name}: gives {found.shape} for {len(rows)} inputs, expected {wanted}; correct it, or "
                "state with batch how many inputs it takes at once"
            )
        return found if found.dtype.kind == "f" and found.dtype.itemsize >= 4 else found.astype(np.float32)


def _tensor(shape: tuple[int, ...]) -> Tensor:
    return Tensor(0, shape, np.float32, np.float32(1), np.float32(0))
