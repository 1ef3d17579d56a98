"""Pairs to test verdicts on: an original and a compressed file each, made once and kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import keras

from quantrift.core.base.files import replacing
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtime import module, runtime_of
from quantrift.study.league.planted.conversion_recipe import Recipe
from quantrift.study.league.planted.faults import FAULTS
from quantrift.study.league.planted.sound import SOUND
from quantrift.study.league.planted.trained_networks import Trained


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
    for planted, recipes in ((True, FAULTS), (False, SOUND)):
        for recipe in recipes:
            if net.kind.name in recipe.networks:
                yield _pair(net, recipe, planted, folder)


def _pair(net: Trained, recipe: Recipe, planted: bool, folder: Path) -> Pair:
    compressed = folder / "compressed" / f"{recipe.name.replace(' ', '_').replace(',', '')}{recipe.suffix}"
    if not compressed.is_file():
        with replacing(compressed) as temporary:
            temporary.write_bytes(recipe.make(net))
    name = recipe.source.__name__ if recipe.source else net.kind.name
    original, runs = folder / f"{name}.keras", folder / f"{name}{recipe.suffix}"
    if not (original.is_file() and runs.is_file()):
        model: keras.Model = recipe.source(net) if recipe.source else net.model
        save(model, original)
        with replacing(runs) as temporary:
            temporary.write_bytes(module(runtime_of(runs)).export(model))
    given = runs if recipe.suffix == ".onnx" else original
    return Pair(net.kind.name, recipe.name, recipe.made, planted, given, compressed, runs)
