"""Register of the makers of hostile files, and functions that several of them use.

A maker gets an empty folder and ``canary``, a path that nothing may ever create, and returns what a command is given.
"""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
from keras import layers

Maker = Callable[[Path, Path], Path]
KINDS = ("originals", "compressed", "inputs", "records", "configurations")
"""What a command takes a file for."""
MAKERS: dict[str, dict[str, Maker]] = {kind: {} for kind in KINDS}
"""Kind -> name in words -> maker; complete once ``tests.hostile.all_files`` is imported."""
GIGA = 10**9
SHAPE = (28, 28, 1)


def of(kind: str) -> Callable[[Maker], Maker]:
    """Register a maker under its name in words."""

    def registered(maker: Maker) -> Maker:
        MAKERS[kind][maker.__name__.replace("_", " ")] = maker
        return maker

    return registered


def network(*more: layers.Layer) -> keras.Model:
    """A small classifier of the example's inputs."""
    return keras.Sequential([keras.Input(SHAPE), layers.Flatten(), *more, layers.Dense(10, name="last")])


def zeros(archive: zipfile.ZipFile, name: str, start: bytes, count: int, fill: bytes = b"\0") -> None:
    """A member of many equal bytes, written in pieces."""
    with archive.open(name, "w", force_zip64=True) as stream:
        stream.write(start)
        piece = fill * 10**7
        for _ in range(count // len(piece)):
            stream.write(piece)


class Touch:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._path),)
