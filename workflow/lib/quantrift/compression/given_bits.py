"""A network with a given number of bits for each weight, in both forms of the thesis's quantization."""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from quantrift.compression.bit_tensors import Shape
from quantrift.compression.original import Compressed, Original
from quantrift.compression.published_form import built_anew, copy_of, kernels, twin_of
from quantrift.compression.rounded_training import train_rounded
from quantrift.compression.rounding import FLOAT, Bits, rounded_within_range
from quantrift.config.compressions import Rounding
from quantrift.data.inputs import Inputs
from quantrift.models.convert import to_tflite
from quantrift.models.macs import parameters
from quantrift.models.training import reproducible


def compressed(
    original: Original, inputs: Inputs, settings: Rounding, bits_for: Callable[[Sequence[Shape]], list[Bits]]
) -> Compressed:
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
    if settings.form == "trained":
        reproducible(settings.training)
        network = built_anew(original, inputs)
        bits = _bits(network, bits_for)
        train_rounded(network, bits, inputs, settings.training)
    else:
        network = copy_of(original)
        bits = _bits(network, bits_for)
        for kernel, of_kernel in zip(kernels(network), bits, strict=True):
            kernel.assign(rounded_within_range(keras.ops.convert_to_numpy(kernel), of_kernel))
    count = sum(of_kernel.size for of_kernel in bits)
    total = sum(int(of_kernel.sum()) for of_kernel in bits)
    weight_bits = total + FLOAT * (parameters(network) - count)
    return Compressed(to_tflite(twin_of(original, network)), weight_bits, _facts(bits))


def _bits(network: keras.Model, bits_for: Callable[[Sequence[Shape]], list[Bits]]) -> list[Bits]:
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
