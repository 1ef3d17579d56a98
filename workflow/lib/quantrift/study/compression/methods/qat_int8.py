"""Quantization-aware fine-tuning: the network learns on the grids that it is used with in 8 bits (Jacob et al. 2018).

``qat_control`` is the float network after the same steps: what it labels otherwise than the original comes of training.
"""

from typing import TYPE_CHECKING, Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import InEightBits, Qat
from quantrift.study.compression.trainable import Trainable, stored

if TYPE_CHECKING:
    import keras


class Settings(Qat, InEightBits):
    """Quantization-aware fine-tuning of the 2-D twin with fake-quantized weights and activations."""

    method: Literal["qat_int8"] = "qat_int8"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The twin of ``original`` fine-tuned with rounded weights and activations, in 8 bits.

    Raises:
        QuantriftError: if a layer of the twin has no fake-quantized form, or if TensorFlow already runs in this process
            with another number of threads.
    """
    from quantrift.core.networks.training.fine_tuning import facts_of, fine_tuned

    model, history = fine_tuned(original, inputs, settings.training, rounded=True)
    return Compressed(converted(model), facts=facts_of(settings.training, history), files=stored(model))


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.method``."""
    from quantrift.core.networks.training.fine_tuning import untuned

    model = untuned(original, inputs, settings.training, rounded=True)
    # Ranges of activations come to be when inputs go through.
    model(inputs.take(inputs.train[:1]))
    return Trainable(model, lambda: converted(model))


def converted(model: "keras.Model") -> bytes:
    """Content of the .tflite file, in 8 bits, of a network that ``fine_tuned`` rounds."""
    import tensorflow as tf

    from quantrift.core.networks.tflite_files import to_tflite

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        # The grids stand in the network; without this the converter would keep it in float.
        converter.optimizations = [tf.lite.Optimize.DEFAULT]

    return to_tflite(model, configure)
