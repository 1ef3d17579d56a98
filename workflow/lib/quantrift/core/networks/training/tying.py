"""Tied weights: constraints on the kernels of a 2-D twin, so that training keeps it equal to a 3-D network.

A 3-D convolution becomes a 2-D one whose kernel repeats the same few weights along its channels and is zero elsewhere;
a batch normalisation behind a sum becomes a 1x1 convolution that mixes no channels. Trained freely, both would become
larger layers. Here the first copy of each weight is trained, and the others follow it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import keras
from keras import layers, ops

from quantrift.core.networks.training.original import Original

Tensor: TypeAlias = keras.KerasTensor


@dataclass(frozen=True)
class Tie:
    """How a convolution's weights follow those that are trained; both functions keep shapes."""

    kernel: Callable[[Tensor], Tensor]
    bias: Callable[[Tensor], Tensor] = lambda bias: bias


FREE = Tie(lambda kernel: kernel)
"""Every weight is trained for itself."""


def toeplitz(depth: int, filters: int, kernel_depth: int) -> Tie:
    """The tie of a 3-D convolution folded by ``quantrift.core.networks.architectures.hybridsn``.

    Args:
        depth: depth of its input.
        filters: its filters.
        kernel_depth: depth that its kernel spans.
    """
    positions = depth - kernel_depth + 1

    def kernel(full: Tensor) -> Tensor:
        rows, columns, channels, _ = full.shape
        first = ops.reshape(full, (rows, columns, depth, channels // depth, positions, filters))[
            :, :, :kernel_depth, :, 0
        ]
        copies = [
            ops.pad(first, [(0, 0), (0, 0), (position, positions - 1 - position), (0, 0), (0, 0)])
            for position in range(positions)
        ]
        return ops.reshape(ops.stack(copies, axis=4), full.shape)

    def bias(full: Tensor) -> Tensor:
        return ops.tile(full[:filters], [positions])

    return Tie(kernel, bias)


DIAGONAL = Tie(lambda full: full * ops.eye(full.shape[-1]))
"""The tie of a batch normalisation made a 1x1 convolution."""


def ties(original: Original) -> dict[str, Tie]:
    """Name -> tie of the layers of ``original.twin`` whose weights are not all trained for themselves."""
    sources = {layer.name: layer for layer in original.network.layers}
    found = {}
    for layer in original.twin.layers:
        source = sources.get(layer.name)
        if not isinstance(layer, layers.Conv2D):
            continue
        if isinstance(source, layers.BatchNormalization):
            found[layer.name] = DIAGONAL
        # A 3-D convolution over the whole depth, or along it alone, is a 2-D one with the very same weights.
        elif isinstance(source, layers.Conv3D) and source.filters != layer.filters:
            depth = layer.kernel.shape[2] // source.kernel.shape[3]
            found[layer.name] = toeplitz(depth, source.filters, source.kernel.shape[2])
    return found
