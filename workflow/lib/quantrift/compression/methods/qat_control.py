"""The control of ``qat_int8``: the float network fine-tuned by the same steps, without rounding anything."""

from quantrift.compression.fine_tuning import fine_tuned, untuned, with_weights_of
from quantrift.compression.original import Compressed, Original
from quantrift.compression.trainable import Trainable, stored
from quantrift.config.compressions import QatControl
from quantrift.data.inputs import Inputs
from quantrift.models.tflite_files import to_tflite


def compress(original: Original, inputs: Inputs, settings: QatControl) -> Compressed:
    """The twin of ``original`` fine-tuned in float.

    Raises:
        QuantriftError: if ``qat_int8`` could not be made of the network, or if TensorFlow already runs in this process
            with another number of threads.
    """
    model, history = fine_tuned(original, inputs, settings.training, rounded=False)
    content = to_tflite(with_weights_of(model, original.twin))
    return Compressed(content, facts={"training_loss": [epoch.loss for epoch in history]}, files=stored(model))


def trainable(original: Original, inputs: Inputs, settings: QatControl) -> Trainable:
    """See ``quantrift.compression.method``."""
    model = untuned(original, inputs, settings.training, rounded=False)
    return Trainable(model, lambda: to_tflite(with_weights_of(model, original.twin)))
