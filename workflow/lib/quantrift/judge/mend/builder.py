"""Builders of networks in mixed precision: one for each kind of file, chosen by its runtime."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError
from quantrift.judge.mend.ranges import Ranges
from quantrift.judge.mend.units import Unit

MODULES = {"litert": "quantrift.judge.mend.mixed_tflite", "onnxruntime": "quantrift.judge.mend.mixed_onnx"}
"""Runtime -> module with ``PACKAGE``, ``SUFFIX``, ``manner(path)`` and ``bind(path, manner)``."""


@dataclass(frozen=True)
class Manner:
    """How a file is quantized, beside the choice of its layers."""

    per_channel: bool
    """Whether each output channel's weights have a scale of their own."""
    float_border: bool
    """Whether input and output are float."""
    in_16_bits: bool = False
    """Whether units that are kept from 8 bits are in 16 bits, not in float."""
    quantized: bool = True
    """Whether activations are in 8 bits: False of files whose weights alone are, and of float ones."""


class Builder(Protocol):
    """Made by the ``bind`` of a module of ``MODULES``, for one float network."""

    base: Path
    """The float network that is quantized."""
    manner: Manner
    units: list[Unit]
    """In the order of computation."""
    floats: list[str]
    """Operations that multiply in float whatever is asked for, one line each."""
    tool: str
    """Distribution that quantizes."""

    def values(self, x: np.ndarray) -> Mapping[str, np.ndarray]:
        """Values of every activation, (n, ...) each, of ``x``, float32 (n, H, W, C)."""
        ...

    def build(self, kept: Collection[str], ranges: Ranges) -> bytes:
        """Content of the file in which the units named ``kept`` are in float, or in 16 bits.

        Raises:
            QuantriftError: the quantizer refuses.
        """
        ...

    def recipe(self, kept: Collection[str]) -> Any:
        """What the quantizer is told, as JSON takes it."""
        ...

    def macs(self, content: bytes) -> tuple[int, int]:
        """Multiply-accumulates of a file for one input: those in 8 bits, and all."""
        ...

    def weights(self, content: bytes) -> int:
        """Bits of the weights in a file, biases of 32-bit integers aside."""
        ...


def check_installed(runtime: str) -> None:
    """Make sure, before work begins, that files of a runtime can be quantized here.

    Raises:
        QuantriftError: the package that does it is not installed.
    """
    extras.check(f"quantrift mend of {suffix_of(runtime)} files", _module(runtime).PACKAGE)


def suffix_of(runtime: str) -> str:
    """Suffix of the files that a runtime runs and a builder makes."""
    return str(_module(runtime).SUFFIX)


def manner_of(path: Path, runtime: str) -> Manner:
    """The manner in which a given compressed file is quantized."""
    manner: Callable[[Path], Manner] = _module(runtime).manner
    return manner(path)


def builder(path: Path, runtime: str, manner: Manner) -> Builder:
    """The builder for a float network.

    Args:
        path: .tflite or .onnx in float32.
        runtime: of it.
        manner: how it is quantized.

    Raises:
        QuantriftError: the network is not in float, or has no operation that can be in 8 bits.
    """
    made: Builder = _module(runtime).bind(path, manner)
    if not made.units:
        raise QuantriftError(f"{path}: none of its operations can be in 8 bits; there is nothing to mend")
    return made


def _module(runtime: str) -> Any:
    return import_module(MODULES[runtime])
