"""Signature of a network's file: conversion of images to its input, and of its output to logits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.carried_rows import apart, by_name
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.graphs.choices import Choices
from quantrift.core.networks.graphs.file_tensors import OutputValues, Tensor, ordered, output_values
from quantrift.core.networks.graphs.first_operations import GivenGraph, Start
from quantrift.core.networks.graphs.input_sides import Sides, sides
from quantrift.core.networks.graphs.open_sides import OpenSides, filled

SIGMOID, SOFTMAX = "LOGISTIC", "SOFTMAX"
"""Names of these operations in the schema of .tflite files, which stand for those of other files too."""
FLOATS = (np.float32, np.float16, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16)
"""Types of numbers on a grid."""
TYPES = (*FLOATS, *INTEGERS)
TASKS = "--task regress for numbers, --task detect for boxes"
"""Options that take what is no classifier."""
ONE_INPUT = (
    "quantrift assess --change NAME says which one searches change, and carries the others along with it; or export it "
    "with the others as constants, or give a function of one input, quantrift.api.Function, that sets them"
)
"""Remedy for networks of several inputs."""
ONE_OUTPUT = f"quantrift assess --output NAME says which one holds the logits; or say what its outputs are ({TASKS})"
"""Remedy for classifiers of several outputs."""
TOKENS = ", as sequences of tokens are, for which there is no space of natural changes yet"
LABELS = ", as numbers of classes are after an ArgMax, not logits"
"""Likely meanings of whole numbers at an input and at an output, for messages."""
SMALLEST = np.finfo(np.float32).tiny
"""Replaces a probability of 0, which has no logarithm."""


@dataclass(frozen=True, kw_only=True)
class Signature(Sides):
    """From images, signals or rows of a table to the input of a file, and from its output to logits."""

    input: Tensor
    """The input that searches change, where there are several."""
    output: Tensor
    rows: int
    """Inputs that the file was built to take at once; 0 if any number."""
    classes: int
    """2 for a single output."""
    probabilities: bool
    """Whether the output has been through a softmax."""
    sigmoid: bool = False
    """Whether a single output has been through a sigmoid."""
    start: Start = field(default_factory=Start)
    """Properties that the first operations imply."""
    values: OutputValues | None = None
    """All outputs, where they are taken as they are: ``classes`` is then the number of their values; ``None`` for
    logits."""
    name: str = ""
    """Of the input, where the file has several."""
    carried: tuple[Tensor, ...] = ()
    """The other inputs of the file."""
    sizes: tuple[int, ...] = ()
    """Sides of the input that the file leaves open, and 0 for the others; none where it leaves none open."""

    @property
    def row(self) -> tuple[int, int, int]:
        """Shape of one input as the network is called: ``image``, or (1, 1, L) of a row that holds all inputs
        (``quantrift.core.base.carried_rows``).
        """
        return (1, 1, prod(self.image) + sum(one.size for one in self.carried)) if self.carried else self.image

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """All inputs of the file: the one that is changed, then the carried ones."""
        return (self.input, *self.carried)

    @property
    def carried_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name of each carried input -> its shape."""
        return {one.name: one.shape for one in self.carried}

    @property
    def whole(self) -> np.ndarray:
        """Places in a row, int64, of carried values that are whole numbers; none where nothing is carried."""
        places = [np.full(prod(self.image), False), *(np.full(one.size, one.whole) for one in self.carried)]
        return np.flatnonzero(np.concatenate(places)) if self.carried else np.empty(0, np.int64)

    @property
    def result_index(self) -> int:
        """Number of the output in the interpreter."""
        return self.output.index

    @property
    def single(self) -> bool:
        """Whether the file has one output, whose sign tells two classes."""
        return self.output.shape[-1] == 1

    def fed(self, rows: np.ndarray) -> list[np.ndarray]:
        """All inputs of the file for ``rows``, float32 (n, *row): the one that is changed, then the carried ones."""
        images, values = apart(rows, self.image)
        parts = by_name(values, self.carried_shapes).values()
        return [self.encoded(images), *(one.encoded(part) for one, part in zip(self.carried, parts, strict=True))]

    def encoded(self, images: np.ndarray) -> np.ndarray:
        """The file's input for ``images``, float32 (n, H, W, C); integers are rounded to even and clipped.

        Raises:
            QuantriftError: the file takes float16, which cannot hold one of the values.
        """
        return self.input.encoded(self.shaped(images))

    def shaped(self, images: np.ndarray) -> np.ndarray:
        """The values of ``images``, float32 (n, H, W, C), in the order and the shape that the file takes."""
        if self.first:
            images = np.ascontiguousarray(np.moveaxis(images, 3, 1))
        return images.reshape(len(images), *self.input.shape)

    def result(self, tensor: Callable[[int], np.ndarray], rows: int) -> np.ndarray:
        """Logits, float32 (rows, K), or values of all outputs side by side; ``tensor`` gives outputs by their index.

        Raises:
            ValueError: an output holds another number of rows.
        """
        if self.values is not None:
            return self.values.joined(tensor, rows)
        return self.decoded(tensor(self.output.index), rows)

    def decoded(self, output: np.ndarray, rows: int) -> np.ndarray:
        """Logits, float32 (rows, K), of the file's ``output``; ``ValueError`` if that holds another number of rows.

        Probabilities p become log(p / largest p of the row), which are the logits up to a constant per row. The
        division keeps labels: logarithms alone round two classes that are almost equally probable to the same number.
        A single logit z becomes those of two classes, (0, z), so that its sign is the label.
        """
        values = output.reshape(rows, self.output.shape[-1]).astype(np.float32, copy=False)
        if self.output.dtype not in FLOATS:
            values = (values - self.output.zero) * self.output.scale
        if self.probabilities:
            p = np.maximum(values.astype(np.float64), SMALLEST)
            values = np.log(p / p.max(axis=1, keepdims=True)).astype(np.float32)
        if self.single:
            values = two_classes(values, self.sigmoid)
        return values


def two_classes(values: np.ndarray, sigmoid: bool) -> np.ndarray:
    """Logits of two classes, float32 (n, 2), from single logits (n, 1) or, with ``sigmoid``, from their sigmoids.

    The sign is that of the logit, also where a probability is as near to 1/2 as float32 can tell.
    """
    if sigmoid:
        p = np.clip(values.astype(np.float64), 0, 1)
        values = np.log(np.maximum(p, SMALLEST)) - np.log(np.maximum(1 - p, SMALLEST))
    return np.concatenate([np.zeros_like(values, np.float32), values.astype(np.float32)], axis=1)


def signature(
    path: Path,
    inputs: Sequence[Mapping[str, Any]],
    outputs: Sequence[Mapping[str, Any]],
    graph: GivenGraph[Any] | None,
    choices: Choices,
    values: bool = False,
    shapes: Callable[[list[np.ndarray]], Iterable[Sequence[int]]] | None = None,
) -> Signature:
    """The signature of a file, of which an interpreter gave the details.

    Args:
        path: for messages.
        inputs: details of the inputs, in the order of the file, with the name by which users know each.
        outputs: likewise of the outputs.
        graph: in the file; ``None`` where it cannot be read.
        choices: as stored in the file; a layout and kind of the input overrides those of the operations.
        values: whether outputs are taken as they are.
        shapes: tells the shapes of outputs by one run, where sides of the input are open (``open_sides.filled``).

    Raises:
        OpenSides: sides of its input are open, and the choices do not say what they are.
        QuantriftError: if it is not a network from one image, signal or row of a table to logits or a softmax; with
            ``values``, to outputs of fixed sizes.
    """
    inputs, outputs = filled(inputs, outputs, choices, shapes)
    places = choices.compared(path, [one["name"] for one in outputs])
    start, ending = Start(), None
    if graph is not None and inputs and places:
        start = graph.start(graph.inputs[choices.changed([one["name"] for one in inputs])])
        ending = graph.ending(graph.outputs[places[0]])
    compared = [outputs[place] for place in places]
    if choices.inputs is None:
        return _of_one(path, inputs, compared, ending, start, choices, values)
    first, carried = ordered(path, inputs, choices.inputs)
    found = _of_one(path, [first], compared, ending, start, choices, values)
    return replace(found, name=str(first["name"]), carried=tuple(carried))


def _of_one(
    path: Path,
    inputs: Sequence[Mapping[str, Any]],
    outputs: Sequence[Mapping[str, Any]],
    ending: str | None,
    start: Start,
    choices: Choices,
    values: bool,
) -> Signature:
    """The signature of a file of one input, or of the one that searches change; ``outputs`` are those compared."""
    refuse(
        (len(inputs) > 1, f"{path}: has {len(inputs)} inputs ({_listed(inputs)}); {ONE_INPUT}"),
        (
            not inputs or not outputs,
            f"{path}: has {len(inputs)} inputs and {len(outputs)} outputs, expected one image and its logits; "
            "export the network with one input and one output",
        ),
        (len(outputs) != 1 and not values, f"{path}: has {len(outputs)} outputs ({_listed(outputs)}); {ONE_OUTPUT}"),
    )
    given = _tensor(path, inputs[0], "takes", TOKENS)
    result = None if values else _tensor(path, outputs[0], "gives", LABELS)
    form = sides(given.shape, start, choices.mark)
    expected = f"{path}: expected one image (n, H, W, C), signal (n, T, C) or table (n, F) as input, got"
    # A side of -1 in the second shape is open: the file takes inputs of any size.
    if min(own := inputs[0]["shape_signature"][1:], default=1) < 1:
        listed = ", ".join(str(side) if side > 0 else "?" for side in own)
        raise OpenSides(
            f"{expected} ({listed}), whose open sides no inputs tell; export the network for inputs of one size, or in "
            "Python give input_shape",
            own,
        )
    if form is None:
        raise QuantriftError(f"{expected} {given.shape}; export the network for inputs of one size")
    rows = max(int(inputs[0]["shape_signature"][0]), int(choices.alone))
    whole = partial(Signature, **vars(form), input=given, rows=rows, start=start, sizes=choices.sizes)
    if result is None:
        each = output_values(path, outputs)
        return whole(output=given, classes=each.width, probabilities=False, values=each)
    refuse(
        (
            not result.shape or prod(result.shape) != result.shape[-1],
            f"{path}: expected logits (n, K) as output, got {result.shape} for each input; export a classifier, or say "
            f"what its outputs are ({TASKS})",
        ),
    )
    outcomes = result.shape[-1]
    refuse(
        (
            ending == SIGMOID and outcomes > 1,
            f"{path}: ends in a sigmoid, whose {outcomes} outputs are no probabilities of classes; export it without, "
            "or say --task multilabel",
        ),
        (
            ending == SOFTMAX and outcomes == 1,
            f"{path}: ends in a softmax of one output, which is always 1; export a classifier",
        ),
    )
    probabilities, sigmoid = ending == SOFTMAX, ending == SIGMOID
    return whole(output=result, classes=max(outcomes, 2), probabilities=probabilities, sigmoid=sigmoid)


def _listed(tensors: Sequence[Mapping[str, Any]]) -> str:
    """Names and sides of several inputs or outputs, for a message."""
    sides = [[str(side) if side > 0 else "?" for side in one["shape_signature"][1:]] for one in tensors]
    return ", ".join(f"'{one['name']}' {' x '.join(own) or '1'}" for one, own in zip(tensors, sides, strict=True))


def described(
    shape: Sequence[int], dtype: Any, grid: tuple[float, int] | None = None, name: str = "", index: int = 0
) -> dict[str, Any]:
    """The details of an input or output, as LiteRT gives them, of another runtime.

    Args:
        shape: with -1 for sides that are open.
        dtype: of its values.
        grid: scale and zero point of integers.
        name: by which users know it.
        index: its number in the interpreter.
    """
    sides = np.array(shape, np.int64)
    return {
        "index": index,
        "name": name,
        "shape": np.abs(sides),
        "shape_signature": sides,
        "dtype": dtype,
        "quantization": grid or (0.0, 0),
    }


def _tensor(path: Path, details: Mapping[str, Any], verb: str, whole: str) -> Tensor:
    name = np.dtype(details["dtype"]).name
    refuse(
        (
            details["dtype"] not in TYPES,
            f"{path}: {verb} {name}{whole if name in ('int32', 'int64') else ''}; export it so that it {verb} float32, "
            "float16, or integers of 8 or 16 bits",
        ),
    )
    return Tensor.of(details)
