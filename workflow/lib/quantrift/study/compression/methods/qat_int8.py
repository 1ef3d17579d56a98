"""Quantization-aware fine-tuning: the network learns on the grids that it is used with in 8 bits (Jacob et al. 2018).

``qat_control`` is the float network after the same steps: what it labels otherwise than the original comes of training.
"""

from functools import partial
from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import InEightBits, Qat
from quantrift.study.compression.trainable import Trainable


class Settings(Qat, InEightBits):
    """Quantization-aware fine-tuning of the 2-D twin with fake-quantized weights and activations."""

    method: Literal["qat_int8"] = "qat_int8"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The twin of ``original`` fine-tuned with rounded weights and activations, in 8 bits.

    Raises:
        QuantriftError: if a layer of the twin has no fake-quantized form, or if TensorFlow already runs in this process
            with another number of threads.
    """
    from quantrift.study.compression.trained import trained

    return trained(trainable, original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.method``."""
    from quantrift.core.networks.tflite_files import optimized
    from quantrift.core.networks.training.fine_tuning import untuned

    model = untuned(original, inputs, settings.training, rounded=True)
    # The grids stand in the network; without optimization the converter would keep it in float.
    return Trainable(model, partial(optimized, model))
