"""A network with a given number of bits for each weight, in both forms of the thesis's quantization."""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.macs import parameters
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training import device
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.compressions import Rounding
from quantrift.study.compression.bits.bit_tensors import Shape
from quantrift.study.compression.bits.rounded_training import settle, with_weights_behind
from quantrift.study.compression.bits.rounding import FLOAT, Bits, rounded_within_range
from quantrift.study.compression.published_form import built_anew, copy_of, kernels, twin_of
from quantrift.study.compression.trainable import Trainable, stored

BitsFor = Callable[[Sequence[Shape]], list[Bits]]
"""Gives the bits of each weight of kernels of some shapes."""


def compressed(original: Original, inputs: Inputs, settings: Rounding, bits_for: BitsFor) -> Compressed:
    """The network with the kernels of its convolutions and dense layers rounded by Equation 3.1, as a float file.

    Biases and normalisations stay in float.

    Args:
        original: the network.
        inputs: to train on, in the form ``trained``.
        settings: the form, and how to train.
        bits_for: gives the bits of each weight of kernels of some shapes.

    Raises:
        QuantriftError: if a network from a file is to be trained anew.
    """
    facts = {}
    if settings.form == "trained":
        reproducible(settings.training)
        network = built_anew(original, inputs)
        bits = _bits(network, bits_for)
        made = _trainable(original, network, bits)
        fit(made.network, inputs, settings.training)
        content, files = made.content(), stored(made.network)
        facts = device.facts(settings.training)
    else:
        network = copy_of(original)
        bits = _bits(network, bits_for)
        for kernel, of_kernel in zip(kernels(network), bits, strict=True):
            kernel.assign(rounded_within_range(keras.ops.convert_to_numpy(kernel), of_kernel))
        content, files = to_tflite(twin_of(original, network)), {}
    count = sum(of_kernel.size for of_kernel in bits)
    total = sum(int(of_kernel.sum()) for of_kernel in bits)
    weight_bits = total + FLOAT * (parameters(network) - count)
    return Compressed(content, weight_bits, _facts(bits) | facts, files)


def trainable(original: Original, inputs: Inputs, bits_for: BitsFor) -> Trainable:
    """See ``quantrift.study.compression.method``; the network of the form ``trained``, with its initial weights.

    Raises:
        QuantriftError: if ``original`` is a network from a file.
    """
    network = built_anew(original, inputs)
    return _trainable(original, network, _bits(network, bits_for))


def _trainable(original: Original, network: keras.Model, bits: list[Bits]) -> Trainable:
    latent = with_weights_behind(network, bits)

    def content() -> bytes:
        settle(network, latent)
        return to_tflite(twin_of(original, network))

    return Trainable(latent, content)


def _bits(network: keras.Model, bits_for: BitsFor) -> list[Bits]:
    return bits_for([tuple(kernel.shape) for kernel in kernels(network)])


def _facts(bits: list[Bits]) -> dict[str, Any]:
    """How many weights are rounded; mean, variance and shares of their bits."""
    counts = np.sum([np.bincount(of_kernel.ravel(), minlength=FLOAT + 1) for of_kernel in bits], axis=0)
    shares = counts / counts.sum()
    numbers = np.arange(FLOAT + 1)
    mean = float(shares @ numbers)
    return {
        "rounded_weights": int(counts.sum()),
        "mean_bits": mean,
        "variance_of_bits": float(shares @ (numbers - mean) ** 2),
        "shares_of_bits": {str(number): float(shares[number]) for number in numbers[counts > 0]},
    }
