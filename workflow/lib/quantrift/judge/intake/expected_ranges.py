"""Inputs that a network expects, as its file tells: range of integers, first operations; and inputs beyond these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.foreign.onnx_graph import check_graph
from quantrift.core.networks.graphs.first_operations import Start
from quantrift.core.networks.runtime import module, runtime_of

Range = tuple[float, float]
SCALES: tuple[Range, ...] = ((0.0, 255.0), (0.0, 1.0), (-1.0, 1.0))
"""Black and white of images as networks want them."""
RAW = SCALES[:2]
"""Scale of images as stored, which networks take that standardise them."""
STANDARDS: Mapping[int, tuple[tuple[float, ...], tuple[float, ...], str]] = {
    1: ((0.1307,), (0.3081,), "MNIST's"),
    3: ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), "ImageNet's"),
}
"""Channels -> mean and standard deviation of values from 0 to 1 that training recipes use most, and whose they are."""
NEAR = 0.1
"""Largest distance of the ends of a range from those of a scale, as a share of it: few inputs reach both."""
UINT8 = 2
"""Number of that type in the schema of .onnx files."""
WIDER = 4.0
"""Largest ratio of the range of inputs to that range; squared, the reverse."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Inputs that one network's file asks for."""

    name: str
    """Name of the file, for messages."""
    range: Range | None = None
    """Least and greatest value that the integers at its input stand for."""
    step: float = 0.0
    """Difference of two of them."""
    start: Start = field(default_factory=Start)

    @property
    def bits(self) -> int:
        """Of each of these integers: 8 or 16."""
        low, high = self.range or (0.0, 0.0)
        return 8 if high - low < 2**8 * self.step else 16

    @property
    def title(self) -> str:
        """Its input, for messages."""
        return f"the {self.bits}-bit input of {self.name}"

    @property
    def scale(self) -> tuple[Range, str] | None:
        """The one scale of images that fits, and why; ``None`` where none or several do."""
        # Signed integers of 16 bits are symmetric around 0 whatever they stand for.
        if self.range is not None and (self.bits == 8 or self.range[0] >= 0):
            fitting = [one for one in SCALES if self.is_near(one)]
            if len(fitting) == 1:
                return fitting[0], self.stands_for
        slope, offset = self.start.slope, self.start.offset
        fitting = [] if slope is None or offset is None else [one for one in RAW if _standardises(slope, offset, *one)]
        return (fitting[0], f"{self.name} standardises its inputs itself") if len(fitting) == 1 else None

    @property
    def stands_for(self) -> str:
        """Its input and the range of that, for messages; there must be one."""
        low, high = self.range or (0.0, 0.0)
        return f"{self.title} stands for {low:.3g} to {high:.3g}"

    def is_near(self, ends: Range) -> bool:
        """Whether its integers stand for a range."""
        if self.range is None:
            return False
        return max(abs(self.range[0] - ends[0]), abs(self.range[1] - ends[1])) <= NEAR * (ends[1] - ends[0])

    def outside(self, values: np.ndarray) -> float:
        """Share of ``values`` that its integers cannot stand for, to half a step."""
        if self.range is None:
            return 0.0
        low, high = self.range
        return float(((values < low - self.step / 2) | (values > high + self.step / 2)).mean())


@dataclass(frozen=True)
class Finding:
    """A compressed network whose input was made for other values than the inputs hold."""

    expected: Expected
    """Inputs that the network's file asks for."""
    range: Range
    """Least and greatest value that its integers stand for."""
    share: float
    """Share of the inputs' values that its integers cannot represent."""
    inputs: Range
    """Least and greatest value of the inputs."""

    @property
    def text(self) -> str:
        """The finding on one line."""
        (low, high), (least, most) = self.range, self.inputs
        cut = (
            f"{100 * self.share:.1f} % of the values are cut off" if self.share else "most of its steps are never used"
        )
        return (
            f"{self.expected.title} stands for {low:.4g} to {high:.4g}, but the inputs, which the original takes as "
            f"they are, reach from {least:.4g} to {most:.4g}: {cut}; calibrate it on inputs like these"
        )


def standardised(channels: int) -> tuple[np.ndarray, np.ndarray, str] | None:
    """Black and white of standardised images, float32 (channels,) each, and whose numbers these are; else ``None``."""
    if channels not in STANDARDS:
        return None
    *numbers, whose = STANDARDS[channels]
    mean, deviation = (np.array(one, np.float32) for one in numbers)
    return -mean / deviation, (1 - mean) / deviation, whose


def expected(path: Path, name: str, start: Start) -> Expected:
    """Read from its file which inputs a network expects.

    Args:
        path: a file that a runtime has accepted.
        name: name that the user gave.
        start: facts from its first operations.
    """
    runtime = runtime_of(path)
    reader = READERS.get(runtime) or getattr(module(runtime), "range_of_input", None)
    found = reader(path) if reader else None
    return Expected(name, found[:2], found[2], start) if found else Expected(name, start=start)


def _standardises(slope: np.ndarray, offset: np.ndarray, black: float, white: float) -> bool:
    """Whether value * slope + offset makes images between black and white those that networks work with inside."""
    # Of what is changed by next to nothing, as by a batch normalisation of standardised inputs, nothing is said.
    if not slope.all() or (np.allclose(slope, 1, atol=0.01) and np.allclose(offset, 0, atol=0.01)):
        return False
    # Images that are not standardised by mean and standard deviation are brought between such values.
    least, most = np.sort([black * slope + offset, white * slope + offset], axis=0)
    ranges = (0.0, 1.0), (-1.0, 1.0), (-0.5, 0.5)
    if any(np.allclose(least, low, atol=0.01) and np.allclose(most, high, atol=0.01) for low, high in ranges):
        return True
    centre, spread = -offset / slope, np.abs(1 / slope)
    inside = (black < centre) & (centre < white)
    if np.allclose(spread, 1):
        # Means are subtracted and nothing more; those of bytes lie above 1.
        return bool((inside & ((centre > RAW[1][1]) == (white > RAW[1][1]))).all())
    # No numbers between black and white with this mean vary more.
    possible = spread**2 <= (1 + NEAR) * (centre - black) * (white - centre)
    # Images of a smaller standard deviation, in parts of white less black, are not plausible.
    return bool((inside & possible & (spread >= (white - black) / 16)).all())


def _of_tflite(path: Path) -> tuple[float, float, float] | None:
    """Ends and step of the integers of the input or, where that is float, of what a first QUANTIZE makes of it."""
    from quantrift.core.networks.graphs.tflite_start import GivenTFLite
    from quantrift.core.networks.tflite_graph import DTYPES

    graph = GivenTFLite(path.read_bytes())
    made = [one.outputs[0] for one in graph.readers.get(graph.changed, ()) if one.kind == "QUANTIZE"]
    for tensor in (graph.tensors[index] for index in [graph.changed, *made]):
        if tensor.type in ("INT8", "UINT8", "INT16", "UINT16") and len(tensor.scales) == 1:
            return _ends(DTYPES[tensor.type], float(tensor.scales[0]), int(tensor.zeros[0]))
        if tensor.type == "UINT8" and not len(tensor.scales):
            return _ends(np.uint8, 1.0, 0)
    return None


def _of_onnx(path: Path) -> tuple[float, float, float] | None:
    graph = check_graph(path)
    if (found := graph.integers_of_input(graph.changed)) is not None:
        return _ends(*found)
    return _ends(np.uint8, 1.0, 0) if graph.given[graph.changed].elem_type == UINT8 else None


def _ends(kind: type | np.dtype[Any], scale: float, zero: int) -> tuple[float, float, float]:
    limits = np.iinfo(kind)
    return (float(limits.min) - zero) * scale, (float(limits.max) - zero) * scale, scale


READERS = {"litert": _of_tflite, "onnxruntime": _of_onnx}
"""Runtime of a file -> what reads its integers; modules of others may offer ``range_of_input``."""


def saturated(values: np.ndarray, own: Expected, others: Sequence[Expected], right: bool, file: Path) -> list[Finding]:
    """Compressed networks whose input loses what the original's does not.

    Args:
        values: inputs as the networks take them.
        own: inputs that the original's file asks for.
        others: likewise of the compressed networks.
        right: whether it is known that the original was made for these values.
        file: name of the inputs, for messages.

    Raises:
        QuantriftError: the original's input was made for others too; or it is not known for what it was made, and a
            compressed network's is for others.
    """
    inputs = low, high = float(values.min()), float(values.max())
    findings = []
    for one in (own, *others):
        if one.range is None:
            continue
        share, wrong = one.outside(values), _is_for_others(values, one.range)
        more = "" if one is own else f" or, if the original takes them so, say --range {low:.4g} {high:.4g}"
        refuse(
            (
                wrong and (one is own or not right),
                f"{file}: inputs out of range: they reach from {low:.4g} to {high:.4g}, but {one.title} "
                f"stands for {one.range[0]:.4g} to {one.range[1]:.4g}; scale them as the networks want "
                f"them{more}",
            )
        )
        # Calibration may cut off one value in a hundred; more is a finding.
        if one is not own and (wrong or share > own.outside(values) + 0.01):
            findings.append(Finding(one, one.range, share, inputs))
    return findings


def _is_for_others(values: np.ndarray, ends: Range) -> bool:
    """Whether values lie outside the range of a network's integers, or in a small part of it."""
    low, high = ends
    room = (high - low) / 10
    outside = float(((values < low - room) | (values > high + room)).mean())
    ratio = (float(values.max()) - float(values.min())) / (high - low)
    # Integers are for another scale where a quarter of the values lies beyond a tenth of their range.
    return outside > 0.25 or ratio > WIDER or ratio < 1 / WIDER**2
