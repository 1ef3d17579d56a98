"""Pairs for the comparison of checkers: graded faults and good files, made once and kept."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import keras
import numpy as np

from quantrift.core.base.files import replacing
from quantrift.core.base.streams import stream
from quantrift.core.networks.runtime import module, runtime_of
from quantrift.study.league.planted.conversion import dynamic, float16, int8, int8_16
from quantrift.study.league.planted.graded_faults import CONVERSIONS, EDITS, Conversion, Edit
from quantrift.study.league.planted.onnx_conversion import onnx_dynamic, onnx_int8
from quantrift.study.league.planted.stored_weights import Edited, EditedTFLite
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX
from quantrift.study.league.planted.trained_networks import Trained

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
    _kept(original, partial(module(runtime_of(original)).export, net.model))

    def pair(fault: str, make: Callable[[], bytes], planted: tuple[float, int] | None, base: Path | None) -> GradedPair:
        strength, seed = planted or (None, 0)
        draft = GradedPair(net.kind.name, form.suffix, fault, strength, seed, original, folder, base)
        found = replace(draft, compressed=folder / f"{draft.name}{form.suffix}")
        _kept(found.compressed, make)
        return found

    good = {name: pair(name, partial(make, net), None, None) for name, make in form.good.items()}
    yield from good.values()
    base = good[INT8].compressed
    spread = float(net.model.predict_on_batch(net.samples).std())
    for name, edit in EDITS.items():
        for seed in range(seeds):
            for strength in edit.strengths:
                # The same layer at every strength.
                drawn = partial(stream, "graded", net.kind.name, name, seed)
                yield pair(name, partial(_edited, form, base, edit, strength, drawn, spread), (strength, seed), base)
    for name, conversion in CONVERSIONS.items():
        for strength in conversion.strengths:
            yield pair(name, partial(_converted, form, conversion, net, strength), (strength, 0), None)


def _edited(
    form: Format, base: Path, edit: Edit, strength: float, drawn: Callable[[], np.random.Generator], spread: float
) -> bytes:
    file = form.edited(base.read_bytes())
    edit.plant(file, strength, drawn(), spread)
    return file.content()


def _converted(form: Format, conversion: Conversion, net: Trained, strength: float) -> bytes:
    return form.int8(*conversion.convert(net, strength))


def _kept(path: Path, make: Callable[[], bytes]) -> None:
    if not path.is_file():
        with replacing(path) as temporary:
            temporary.write_bytes(make())
