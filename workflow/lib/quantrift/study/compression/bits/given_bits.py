"""A network with a given number of bits for each weight, in both forms of the thesis's quantization."""

from typing import Any

import keras
import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.macs import parameters
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training import device
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.study.compression.bits.bit_tensors import drawn
from quantrift.study.compression.bits.rounded_training import settle, with_weights_behind
from quantrift.study.compression.bits.rounding import FLOAT, Bits, rounded_within_range
from quantrift.study.compression.published_form import built_anew, copy_of, kernels, twin_of
from quantrift.study.compression.trainable import Trainable, stored


def compressed(original: Original, inputs: Inputs, settings: Homogeneous | Heterogeneous) -> Compressed:
    """The network with the kernels of its convolutions and dense layers rounded by Equation 3.1, as a float file.

    Biases and normalisations stay in float.

    Args:
        original: the network.
        inputs: to train on, in the form ``trained``.
        settings: the form, the bits, and how to train.

    Raises:
        QuantriftError: if the bits drawn exceed the budget by more than one weight's, or if a network from a file is to
            be trained anew.
    """
    facts = {}
    if settings.form == "trained":
        reproducible(settings.training)
        network, bits, made = _made(original, inputs, settings)
        fit(made.network, inputs, settings.training)
        content = made.content()
        files = stored(made.network)
        facts = device.facts(settings.training)
    else:
        network = copy_of(original)
        bits = _bits(network, settings)
        for kernel, of_kernel in zip(kernels(network), bits, strict=True):
            kernel.assign(rounded_within_range(keras.ops.convert_to_numpy(kernel), of_kernel))
        content, files = to_tflite(twin_of(original, network)), {}
    count = sum(of_kernel.size for of_kernel in bits)
    total = sum(int(of_kernel.sum()) for of_kernel in bits)
    return Compressed(content, total + FLOAT * (parameters(network) - count), _facts(bits) | facts, files)


def trainable(original: Original, inputs: Inputs, settings: Homogeneous | Heterogeneous) -> Trainable:
    """See ``quantrift.study.compression.method``; the network of the form ``trained``, with its initial weights.

    Raises:
        QuantriftError: if ``original`` is a network from a file.
    """
    return _made(original, inputs, settings)[2]


def _made(
    original: Original, inputs: Inputs, settings: Homogeneous | Heterogeneous
) -> tuple[keras.Model, list[Bits], Trainable]:
    network = built_anew(original, inputs)
    bits = _bits(network, settings)
    latent = with_weights_behind(network, bits)

    def content() -> bytes:
        settle(network, latent)
        return to_tflite(twin_of(original, network))

    return network, bits, Trainable(latent, content)


def _bits(network: keras.Model, settings: Homogeneous | Heterogeneous) -> list[Bits]:
    return drawn(settings, [tuple(kernel.shape) for kernel in kernels(network)], settings.seed)


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
