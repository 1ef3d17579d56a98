"""Some weights of a network brought from 32 to 16 bits of floating point (DiffChaser, Section 4.1).

The paper says "truncating 32-bit floating point to 16-bit". TensorFuzz, its baseline with the same experiment, says so
too, and its public code casts to float16, which rounds to the nearest number that 16 bits hold. To truncate in the
strict sense drops the bits beyond these, which errs twice as far on average, and always towards zero.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression
from quantrift.core.settings.fields import Fraction


class Settings(Compression):
    """Some weights truncated from 32 to 16 bits of floating point (DiffChaser §4.1)."""

    method: Literal["float16_truncation"] = "float16_truncation"
    share: Fraction
    """Share of the weights that are truncated, drawn over the whole network."""
    by: Literal["rounding", "cutting"] = "rounding"
    """``rounding``: to the nearest number of 16 bits, as a cast does (TensorFuzz's public code). ``cutting``: the last
    bits are dropped, so that weights shrink (the paper's word, "truncating")."""


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network with ``settings.share`` of all its trained weights, biases too, in 16 bits; its file has them in 32.

    They are drawn over the whole network from ``settings.seed``. With the same seed, those of a smaller share are
    among those of a larger one.

    Raises:
        QuantriftError: if a weight is too large for 16 bits.
    """
    import keras

    from quantrift.core.networks.tflite_files import to_tflite
    from quantrift.study.compression.published_form import copy_of, twin_of

    network = copy_of(original)
    weights = [keras.ops.convert_to_numpy(weight) for weight in network.trainable_weights]
    before = np.concatenate([weight.ravel() for weight in weights])
    chosen = np.random.default_rng(settings.seed).permutation(len(before))[: round(settings.share * len(before))]
    after = before.copy()
    after[chosen] = {"rounding": rounded, "cutting": cut}[settings.by](before[chosen])
    ends = np.cumsum([weight.size for weight in weights])[:-1]
    for variable, values in zip(network.trainable_weights, np.split(after, ends), strict=True):
        variable.assign(values.reshape(variable.shape))
    facts = {
        "weights": len(before),
        "truncated_weights": len(chosen),
        "changed_weights": int(np.count_nonzero(after != before)),
    }
    return Compressed(to_tflite(twin_of(original, network)), 32 * len(before) - 16 * len(chosen), facts)


def rounded(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest numbers that 16 bits of floating point hold.

    Raises:
        QuantriftError: if there are none, beyond 65504.
    """
    limit = np.finfo(np.float16).max
    if len(weights) and np.abs(weights).max() > limit:
        raise QuantriftError(
            f"float16_truncation: a weight is {np.abs(weights).max():g}, but 16 bits hold only up to {limit:g}; "
            "choose another compression, or train with weight_decay"
        )
    return weights.astype(np.float16).astype(np.float32)


def cut(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest numbers towards zero that 16 bits of floating point hold.

    Raises:
        QuantriftError: if a weight is beyond 65504.
    """
    near = rounded(weights)
    towards_zero = np.nextafter(near.astype(np.float16), np.float16(0)).astype(np.float32)
    return np.where(np.abs(near) > np.abs(weights), towards_zero, near)
