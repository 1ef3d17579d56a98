"""Pairs for the comparison of checkers: faults of graded strength and good files, made once and kept.

Faults are edits of a quantized file, conversions of a wrong network or on wrong samples, and steps that act on few
inputs alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from pathlib import Path

import keras
import numpy as np
from keras import layers

from quantrift.core.base.streams import stream
from quantrift.core.networks.runtime import module, runtime_of
from quantrift.study.board.public_quantizers import onnx_dynamic, onnx_static
from quantrift.study.league.planted import conditional_faults
from quantrift.study.league.planted.conversion import (
    dynamic,
    float16,
    int8,
    int8_16,
    kept,
)
from quantrift.study.league.planted.faults import behind
from quantrift.study.league.planted.stored_weights import Edited, EditedTFLite
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX
from quantrift.study.league.planted.trained_networks import Trained

Edit = Callable[[Edited, float, np.random.Generator, float], None]
"""A fault that is made in a good file, so that its layer is known: changes the file, by strength; draws layer, channels
or class from the stream, whose draws do not depend on the strength. The last number is the standard deviation of the
original's logits."""
Conversion = Callable[[Trained, float], tuple[keras.Model, np.ndarray]]
"""A fault of what is converted, which lies in no single layer: from network and strength to the network and the samples
that are handed to the converter."""


def _layer(file: Edited, rng: np.random.Generator) -> int:
    """Any layer with weights but the last, whose channels are classes."""
    return int(rng.integers(len(file.outputs) - 1))


def _channels(file: Edited, strength: float, rng: np.random.Generator, spread: float) -> None:
    layer = _layer(file, rng)
    order = rng.permutation(file.outputs[layer])
    file.silence(layer, order[: max(1, round(strength * len(order)))])


def _darker(net: Trained, strength: float) -> tuple[keras.Model, np.ndarray]:
    black = np.float32(net.kind.black)
    return net.model, black + np.float32(1 - strength) * (net.samples - black)


def _border(net: Trained, strength: float) -> tuple[keras.Model, np.ndarray]:
    width = int(strength)
    # Whatever stands for black is 0 only after it was taken off.
    steps = (
        layers.Rescaling(1.0, -net.kind.black, name="from_black"),
        layers.Cropping2D(width, name="cropped"),
        layers.ZeroPadding2D(width, name="padded"),
        layers.Rescaling(1.0, net.kind.black, name="to_black"),
    )
    return behind(net.model, lambda image: reduce(lambda x, step: step(x), steps, image)), net.samples


EDITS: Mapping[str, tuple[Sequence[float], Edit]] = {
    # Share of the weights of a layer too much.
    "scale": ((0.01, 0.05, 0.2, 0.8), lambda file, share, rng, _: file.scale(_layer(file, rng), 1 + share)),
    # Steps too much at the input of a layer.
    "zero point": ((1, 2, 6, 20), lambda file, steps, rng, _: file.shift_zero_point(_layer(file, rng), int(steps))),
    # Bits of the weights of a layer.
    "lost bits": ((1, 2, 3, 4, 5), lambda file, bits, rng, _: file.round(_layer(file, rng), int(bits))),
    # Share of the channels of a layer set to 0, at least one.
    "dead channels": ((0.05, 0.2, 0.5), _channels),
    # Standard deviations taken off the logit of a class.
    "class bias": (
        (0.05, 0.3, 0.8, 2),
        lambda file, times, rng, spread: file.lower(int(rng.integers(file.outputs[-1])), times * spread),
    ),
}
"""Name of an edit -> its strengths, ascending, and what makes it."""
CONVERSIONS: Mapping[str, tuple[Sequence[float], Conversion]] = {
    # Share of their brightness taken off the samples of the ranges.
    "darker samples": ((0.05, 0.2, 0.45, 0.7), _darker),
    # Pixels at each side of the image set to black.
    "black border": ((1, 3, 6), _border),
}


INT8 = "int8"
"""The good file in which faults are planted."""


@dataclass(frozen=True)
class GradedPair:
    """An original and a compressed file of one kind."""

    name: str
    """Unique."""
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
    def conditional(self) -> bool:
        """Whether its fault acts on a share of the inputs alone, which is its strength then."""
        return self.fault in conditional_faults.FAULTS


@dataclass(frozen=True)
class Format:
    """A kind of files, and the ways to make them."""

    suffix: str
    edited: Callable[[bytes], Edited]
    int8: Callable[[keras.Model, np.ndarray], bytes]
    """From network and samples, float32 (n, H, W, C), to the file in 8 bits."""
    good: Mapping[str, Callable[[Trained], bytes]]
    """Name -> maker of a file as converters make it without a fault; ``INT8`` among them."""
    dynamic: Callable[[keras.Model], bytes]
    """From a network to a file with weights in 8 bits, whose activations have no range beyond which they saturate."""

    def planted(self, base: Path, edit: Edit, strength: float, rng: np.random.Generator, spread: float) -> bytes:
        """A good file after an edit."""
        file = self.edited(base.read_bytes())
        edit(file, strength, rng, spread)
        return file.content()

    def converted(self, conversion: Conversion, net: Trained, strength: float) -> bytes:
        """A file of a wrong network, or on wrong samples."""
        return self.int8(*conversion(net, strength))

    def conditional(self, fault: Callable[[Trained, float], keras.Model], net: Trained, share: float) -> bytes:
        """A file of a network with a fault that acts on a share of the inputs."""
        return self.dynamic(fault(net, share))


def _onnx(net: Trained) -> bytes:
    return module("onnxruntime").export(net.model)


def _halves(net: Trained) -> tuple[np.ndarray, np.ndarray]:
    return net.samples[: len(net.samples) // 2], net.samples[len(net.samples) // 2 :]


FORMATS = {
    form.suffix: form
    for form in (
        Format(
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
            dynamic,
        ),
        Format(
            ".onnx",
            EditedONNX,
            lambda model, samples: onnx_static(module("onnxruntime").export(model), samples),
            {
                INT8: lambda net: onnx_static(_onnx(net), net.samples),
                "dynamic range": lambda net: onnx_dynamic(_onnx(net)),
                "int8, first half of the samples": lambda net: onnx_static(_onnx(net), _halves(net)[0]),
                "int8, second half": lambda net: onnx_static(_onnx(net), _halves(net)[1]),
                "int8, other samples": lambda net: onnx_static(_onnx(net), net.others),
                "int8 per tensor": lambda net: onnx_static(_onnx(net), net.samples, per_channel=False),
                "int8, ranges by entropy": lambda net: onnx_static(_onnx(net), net.samples, ranges="Entropy"),
                "int8, ranges by percentile": lambda net: onnx_static(_onnx(net), net.samples, ranges="Percentile"),
            },
            lambda model: onnx_dynamic(module("onnxruntime").export(model)),
        ),
    )
}
"""Suffix -> kind of files."""


def pairs(net: Trained, form: Format, folder: Path, seeds: int) -> Iterator[GradedPair]:
    """The pairs of a network in one kind of files, good ones first; files that are not there are made.

    Args:
        net: the network.
        form: kind of files.
        folder: of this network alone.
        seeds: draws of layer, channels and class for each fault that has them.
    """
    original = folder / f"original{form.suffix}"
    kept(original, partial(module(runtime_of(original)).export, net.model))

    def pair(
        fault: str, make: Callable[[], bytes], strength: float | None = None, seed: int = 0, base: Path | None = None
    ) -> GradedPair:
        planted = "" if strength is None else f"_{strength:g}_{seed}"
        name = f"{net.kind.name}_{form.suffix[1:]}_{fault.replace(' ', '_')}{planted}"
        compressed = folder / f"{name}{form.suffix}"
        kept(compressed, make)
        return GradedPair(name, fault, strength, seed, original, compressed, base)

    good = {name: pair(name, partial(make, net)) for name, make in form.good.items()}
    yield from good.values()
    base = good[INT8].compressed
    spread = float(net.model.predict_on_batch(net.samples).std())
    for name, (strengths, edit) in EDITS.items():
        for seed, strength in product(range(seeds), strengths):
            # The same layer at every strength.
            rng = stream("graded", net.kind.name, name, seed)
            yield pair(name, partial(form.planted, base, edit, strength, rng, spread), strength, seed, base)
    for name, (strengths, conversion) in CONVERSIONS.items():
        # A table has no border.
        for strength in () if net.kind.table and conversion is _border else strengths:
            yield pair(name, partial(form.converted, conversion, net, strength), strength)
    for name, (shares, fault) in conditional_faults.FAULTS.items():
        for share in shares:
            yield pair(name, partial(form.conditional, fault, net, share), share)
