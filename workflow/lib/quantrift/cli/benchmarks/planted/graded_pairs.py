"""Pairs for the comparison of checkers: graded faults and good files, made once and kept."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np

from quantrift.base.files import replacing
from quantrift.base.streams import stream
from quantrift.cli.benchmarks.planted.conversion import dynamic, float16, int8, int8_16
from quantrift.cli.benchmarks.planted.graded_faults import CONVERSIONS, EDITS
from quantrift.cli.benchmarks.planted.onnx_conversion import onnx_dynamic, onnx_int8
from quantrift.cli.benchmarks.planted.stored_weights import Edited, EditedTFLite
from quantrift.cli.benchmarks.planted.stored_weights_onnx import EditedONNX
from quantrift.cli.benchmarks.planted.trained_networks import Trained
from quantrift.models.runtime import module, runtime_of

INT8 = "int8"
"""The good file in which faults are planted."""


@dataclass(frozen=True)
class GradedPair:
    """An original and a compressed file of one kind."""

    network: str
    suffix: str
    """``.tflite`` or ``.onnx``."""
    fault: str
    """Name of the fault, or of the good file."""
    strength: float | None
    """``None`` for a good file."""
    seed: int
    """Number of the draw of layer, channels and class; 0 for a good file."""
    original: Path
    """In float32."""
    compressed: Path
    base: Path | None
    """The good file in which the fault was planted, for faults that lie in one layer."""

    @property
    def name(self) -> str:
        """Name of the pair, unique."""
        strength = "" if self.strength is None else f"_{self.strength:g}_{self.seed}"
        return f"{self.network}_{self.suffix[1:]}_{self.fault.replace(' ', '_')}{strength}"


@dataclass(frozen=True)
class Format:
    """A kind of files, and the ways to make them."""

    suffix: str
    edited: Callable[[bytes], Edited]
    int8: Callable[[keras.Model, np.ndarray], bytes]
    """From network and samples, float32 (n, H, W, C), to the file in 8 bits."""
    good: Mapping[str, Callable[[Trained], bytes]]
    """Name -> maker of a file as converters make it without a fault; ``INT8`` among them."""


def _onnx(net: Trained) -> bytes:
    return module("onnxruntime").export(net.model)


def _halves(net: Trained) -> tuple[np.ndarray, np.ndarray]:
    return net.samples[: len(net.samples) // 2], net.samples[len(net.samples) // 2 :]


TFLITE = Format(
    ".tflite",
    EditedTFLite,
    int8,
    {
        INT8: lambda net: int8(net.model, net.samples),
        "float16": lambda net: float16(net.model),
        "dynamic range": lambda net: dynamic(net.model),
        "int8, first half of the samples": lambda net: int8(net.model, _halves(net)[0]),
        "int8, second half": lambda net: int8(net.model, _halves(net)[1]),
        "int8, other samples": lambda net: int8(net.model, net.others),
        "int8 per tensor": lambda net: int8(net.model, net.samples, per_channel=False),
        "16x8": lambda net: int8_16(net.model, net.samples),
    },
)
ONNX = Format(
    ".onnx",
    EditedONNX,
    lambda model, samples: onnx_int8(module("onnxruntime").export(model), samples),
    {
        INT8: lambda net: onnx_int8(_onnx(net), net.samples),
        "dynamic range": lambda net: onnx_dynamic(_onnx(net)),
        "int8, first half of the samples": lambda net: onnx_int8(_onnx(net), _halves(net)[0]),
        "int8, second half": lambda net: onnx_int8(_onnx(net), _halves(net)[1]),
        "int8, other samples": lambda net: onnx_int8(_onnx(net), net.others),
        "int8 per tensor": lambda net: onnx_int8(_onnx(net), net.samples, per_channel=False),
        "int8, ranges by entropy": lambda net: onnx_int8(_onnx(net), net.samples, method="Entropy"),
        "int8, ranges by percentile": lambda net: onnx_int8(_onnx(net), net.samples, method="Percentile"),
    },
)
FORMATS = {form.suffix: form for form in (TFLITE, ONNX)}


def pairs(net: Trained, form: Format, folder: Path, seeds: int) -> Iterator[GradedPair]:
    """The pairs of a network in one kind of files, good ones first; files that are not there are made.

    Args:
        net: the network.
        form: kind of files.
        folder: of this network alone.
        seeds: draws of layer, channels and class for each fault that has them.
    """
    original = folder / f"original{form.suffix}"
    _kept(original, lambda: module(runtime_of(original)).export(net.model))

    def pair(fault: str, strength: float | None, seed: int, make: Callable[[], bytes], base: Path | None) -> GradedPair:
        draft = GradedPair(net.kind.name, form.suffix, fault, strength, seed, original, folder, base)
        path = folder / f"{draft.name}{form.suffix}"
        _kept(path, make)
        return GradedPair(net.kind.name, form.suffix, fault, strength, seed, original, path, base)

    for name, good in form.good.items():
        found = pair(name, None, 0, lambda good=good: good(net), None)  # type: ignore[misc]
        if name == INT8:
            base = found.compressed
        yield found
    spread = float(net.model.predict_on_batch(net.samples).std())
    for name, edit in EDITS.items():
        for seed in range(seeds):
            for strength in edit.strengths:

                def edited(name: str = name, strength: float = strength, seed: int = seed) -> bytes:
                    file = form.edited(base.read_bytes())
                    # The same layer at every strength.
                    EDITS[name].plant(file, strength, stream("graded", net.kind.name, name, seed), spread)
                    return file.content()

                yield pair(name, strength, seed, edited, base)
    for name, conversion in CONVERSIONS.items():
        for strength in conversion.strengths:

            def converted(name: str = name, strength: float = strength) -> bytes:
                return form.int8(*CONVERSIONS[name].convert(net, strength))

            yield pair(name, strength, 0, converted, None)


def _kept(path: Path, make: Callable[[], bytes]) -> None:
    if not path.is_file():
        with replacing(path) as temporary:
            temporary.write_bytes(make())
