"""Pairs to test verdicts on: an original and a compressed file each, made once and kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import keras

from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtime import module, runtime_of
from quantrift.core.networks.runtimes import onnxruntime
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.study.board.public_quantizers import onnx_static
from quantrift.study.league.planted.conversion import (
    LENET,
    RESIDUAL,
    SEPARABLE,
    Recipe,
    dynamic,
    float16,
    int8,
    int8_16,
    kept,
)
from quantrift.study.league.planted.faults import FAULTS, badly_scaled
from quantrift.study.league.planted.trained_networks import Trained

SOUND: Sequence[Recipe] = (
    Recipe("float32", "exported again", lambda net: to_tflite(net.model), (SEPARABLE,)),
    Recipe("float16", "weights in 16 bits", lambda net: float16(net.model), (LENET, RESIDUAL)),
    Recipe("dynamic range", "weights in 8 bits", lambda net: dynamic(net.model)),
    Recipe("int8", "weights by channel", lambda net: int8(net.model, net.samples)),
    Recipe(
        "int8, other samples",
        "ranges measured on 50 other images",
        lambda net: int8(net.model, net.others),
        (LENET, SEPARABLE),
    ),
    Recipe(
        "int8 throughout",
        "input and logits too",
        lambda net: int8(net.model, net.samples, border="int8"),
        (LENET, RESIDUAL),
    ),
    Recipe(
        "int8, one large channel",
        "weights by channel, of which one is 20 or 60 times as large",
        lambda net: int8(badly_scaled(net), net.samples),
        (LENET, RESIDUAL),
        source=badly_scaled,
    ),
    Recipe("16x8", "activations in 16 bits", lambda net: int8_16(net.model, net.samples), (LENET,)),
    Recipe("ONNX float32", "exported again", lambda net: onnxruntime.export(net.model), (SEPARABLE,), ".onnx"),
    Recipe(
        "ONNX int8",
        "weights by channel",
        lambda net: onnx_static(onnxruntime.export(net.model), net.samples),
        suffix=".onnx",
    ),
)
"""Good compressed files of a network, as converters make them without a fault."""


@dataclass(frozen=True)
class Pair:
    """An original and a compressed file."""

    network: str
    kind: str
    """Name of the fault, or of the good file."""
    made: str
    """Description of the fault or recipe, for people."""
    planted: bool
    """Whether a fault was planted; held-out inputs decide whether the pair is broken."""
    original: Path
    """.keras, or .onnx beside a compressed network in .onnx."""
    compressed: Path
    runs: Path
    """The original as float32 .tflite or .onnx."""


def pairs(net: Trained, folder: Path) -> Iterator[Pair]:
    """The pairs of a network, in a folder of this network alone; files that are not there are made."""
    return (_pair(net, recipe, folder) for recipe in (*FAULTS, *SOUND) if net.kind.name in recipe.networks)


def _pair(net: Trained, recipe: Recipe, folder: Path) -> Pair:
    compressed = folder / "compressed" / f"{recipe.name.replace(' ', '_').replace(',', '')}{recipe.suffix}"
    kept(compressed, lambda: recipe.make(net))
    name = recipe.source.__name__ if recipe.source else net.kind.name
    original, runs = folder / f"{name}.keras", folder / f"{name}{recipe.suffix}"
    if not (original.is_file() and runs.is_file()):
        model: keras.Model = recipe.source(net) if recipe.source else net.model
        save(model, original)
        kept(runs, lambda: module(runtime_of(runs)).export(model))
    given = runs if recipe.suffix == ".onnx" else original
    return Pair(net.kind.name, recipe.name, recipe.made, recipe in FAULTS, given, compressed, runs)
