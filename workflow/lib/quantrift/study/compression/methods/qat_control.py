"""The control of ``qat_int8``: the float network fine-tuned by the same steps, without rounding anything."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Qat
from quantrift.study.compression.trainable import Trainable


class Settings(Qat):
    """The float network fine-tuned for the same steps; give it the training of the model it is the control of."""

    method: Literal["qat_control"] = "qat_control"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The twin of ``original`` fine-tuned in float.

    Raises:
        QuantriftError: if ``qat_int8`` could not be made of the network, or if TensorFlow already runs in this process
            with another number of threads.
    """
    from quantrift.study.compression.trained import trained

    return trained(trainable, original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.method``."""
    from quantrift.core.networks.tflite_files import to_tflite
    from quantrift.core.networks.training.fine_tuning import untuned, with_weights_of

    model = untuned(original, inputs, settings.training, rounded=False)
    return Trainable(model, lambda: to_tflite(with_weights_of(model, original.twin)))
