"""Networks that are functions: whatever Python can call, run like a network from a file.

A model of another library, a served model or a phone over a link is such a function. It takes a batch of images,
signals or rows of a table, and gives outputs of classes or, for a task, any numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.networks.batches import Batches, check, runs
from quantrift.core.networks.graphs.choices import Layout
from quantrift.core.networks.graphs.file_tensors import OutputValues, Tensor
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.networks.graphs.signature import Signature

Values = Literal["logits", "probabilities"]
"""Meaning of the outputs of a classifier."""
Meaning = Literal["logits", "probabilities", "values"]
"""Meaning of the outputs of a function; a task takes values as they are."""
OUTPUT = "output"
"""Name of an output that a function gives no name."""
BATCH = 256
"""Inputs that a function gets at once at most, unless it asks for fewer."""


class FunctionNetwork(Batches):
    """A function from inputs to outputs of classes, as a network from inputs to logits.

    Its outputs become logits as those of files do: probabilities by their logarithms, a single output by its sign.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., object],
        image: tuple[int, int, int],
        values: Meaning,
        layout: Layout = "channels_last",
        batch: int = BATCH,
        fixed: bool = False,
        kind: Kind = "image",
        changed: str = "",
        others: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> None:
        """A function that is called once, on an input of zeros, to count its classes.

        Args:
            name: for messages.
            function: from float32 inputs to numbers (n, K). It takes images as (n, H, W, C) or (n, C, H, W), signals as
                (n, T, C) or (n, C, T), and rows of a table as (n, F).
            image: (H, W, C); (1, T, C) of a signal and (1, 1, F) of a table.
            values: meaning of its outputs.
            layout: order of the axes of its inputs.
            batch: inputs that it gets at once at most.
            fixed: whether it always gets as many: fewer are filled up.
            kind: what an input is.
            changed: name of the input that searches change, where there are others.
            others: name of each other input, by which the function gets it -> its shape for one input.

        Raises:
            QuantriftError: it raises an error, or does not give an array of numbers (n, K).
        """
        first = layout == "channels_first"
        taken = _tensor(_shape(image, kind, first))
        self._function, self._name, self._count = function, name, 0
        # What it gives decides on the rest, and is asked for once.
        carried = tuple(_tensor(shape, one) for one, shape in others.items())
        self.signature = Signature(
            image,
            kind,
            first,
            input=taken,
            output=_tensor((2,)),
            rows=0,
            classes=2,
            probabilities=False,
            name=changed,
            carried=carried,
        )
        super().__init__(Path(name), self.signature.row, 2, batch, batch if fixed else 0)
        outcomes = self.outputs(np.zeros((1, *self.input_shape), np.float32)).shape[1]
        self.signature = self._of_outputs(replace(self.signature, rows=self.fixed), outcomes, values)
        self._count, self.classes = outcomes, self.signature.classes

    def _of_outputs(self, of_input: Signature, outcomes: int, values: Meaning) -> Signature:
        """The signature, with what is known of the outputs once there were some."""
        probabilities = values == "probabilities"
        return replace(
            of_input,
            output=_tensor((outcomes,)),
            classes=max(outcomes, 2),
            probabilities=probabilities and outcomes > 1,
            sigmoid=probabilities and outcomes == 1,
        )

    def outputs(self, x: np.ndarray) -> np.ndarray:
        """Numbers as the function gives them, (n, K), for at least one input, float32 (n, H, W, C).

        Raises:
            QuantriftError: as the constructor.
        """
        check(x, self._path, self.input_shape)
        return np.concatenate([self._called(rows)[:count] for _, rows, count in runs(x, self.batch, self.fixed)])

    def _run(self, rows: np.ndarray) -> np.ndarray:
        return self.signature.decoded(self._called(rows), len(rows))

    def _called(self, rows: np.ndarray) -> np.ndarray:
        """A copy of what the function gives, as it may use its array again."""
        try:
            changed, *others = self.signature.fed(rows)
            named = dict(zip(self.signature.carried_shapes, others, strict=True))
            found = self._arrays(self._function(changed, **named))
        except (QuantriftError, MemoryError):
            raise
        # Whatever stands behind a function has errors of its own; they stay attached, for whoever wrote it.
        except Exception as error:
            raise QuantriftError(
                f"{self._name}: raises {type(error).__name__} for float32 inputs {rows.shape} ({on_one_line(error)}); "
                "correct the function"
            ) from error
        return self._joined(found, len(rows))

    def _arrays(self, given: Any) -> dict[str, np.ndarray]:
        """Copies of what the function gave, by name; errors of the library that made it are its own."""
        return {OUTPUT: np.array(given)}

    def _joined(self, arrays: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
        """All outputs for ``rows`` inputs side by side, (rows, K).

        Raises:
            QuantriftError: they are none.
        """
        found = arrays[OUTPUT]
        wanted = f"({rows}, {self._count or 'K'})"
        refuse(
            (
                found.dtype.kind not in "fiu" or found.ndim != 2 or not prod(found.shape),
                f"{self._name}: gives {found.dtype} {found.shape} for {rows} inputs, expected an array of numbers "
                f"{wanted}; correct the function",
            ),
            (
                found.shape[:1] != (rows,) or self._count not in (0, *found.shape[1:2]),
                f"{self._name}: gives {found.shape} for {rows} inputs, expected {wanted}; correct it, or "
                "state with batch how many inputs it takes at once",
            ),
        )
        return found if found.dtype.kind == "f" and found.dtype.itemsize >= 4 else found.astype(np.float32)


class FunctionValues(FunctionNetwork):
    """A function whose outputs are taken as they are, for a task: one array, or several by name.

    Each has a row for each input, of any shape. Rows stand side by side, as those of files do.
    """

    _each: tuple[Tensor, ...] = ()

    def _of_outputs(self, of_input: Signature, outcomes: int, values: Meaning) -> Signature:
        return replace(of_input, output=of_input.input, classes=outcomes, values=OutputValues(self._each))

    def _arrays(self, given: Any) -> dict[str, np.ndarray]:
        if isinstance(given, Mapping):
            return {str(name): np.array(one) for name, one in given.items()}
        return super()._arrays(given)

    def _joined(self, arrays: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
        refuse(
            *(
                (
                    one.dtype.kind not in "fiub" or not one.ndim or not prod(one.shape) or len(one) != rows,
                    f"{self._name}: gives {one.dtype} {one.shape} for {rows} inputs as '{name}', expected numbers "
                    f"({rows}, ...); correct the function",
                )
                for name, one in arrays.items()
            )
        )
        each = tuple(_tensor(one.shape[1:], name, place) for place, (name, one) in enumerate(arrays.items()))
        self._each = self._each or each
        # The line is made only when it is needed: searches call functions for each batch.
        if each != self._each or not each:
            raise QuantriftError(
                f"{self._name}: gives {_listed(each)} for some inputs and {_listed(self._each)} for others; give the "
                "same outputs each time"
            )
        return OutputValues(each).joined(list(arrays.values()).__getitem__, rows)

    def _run(self, rows: np.ndarray) -> np.ndarray:
        return self._called(rows)


def _listed(each: Sequence[Tensor]) -> str:
    return ", ".join(f"'{one.name}' {one.shape}" for one in each) or "nothing"


def _shape(image: tuple[int, int, int], kind: Kind, first: bool) -> tuple[int, ...]:
    """Shape of one input as the function gets it."""
    height, width, channels = image
    if kind == "table":
        return (channels,)
    sides = (width,) if kind == "signal" else (height, width)
    return (channels, *sides) if first else (*sides, channels)


def _tensor(shape: tuple[int, ...], name: str = "", index: int = 0) -> Tensor:
    return Tensor(index, shape, np.float32, np.float32(1), np.float32(0), name)
