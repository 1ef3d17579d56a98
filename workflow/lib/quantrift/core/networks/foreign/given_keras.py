"""Reader of Keras networks from foreign files; their code is never run."""

from pathlib import Path

import keras

from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.networks import keras_config
from quantrift.core.networks.foreign.logits_form import logits_form


def read_network(path: Path) -> keras.Model:
    """The network in a .keras file or a whole-model .h5 file of Keras 2 or 3, from images to logits, both float32.

    Raises:
        QuantriftError: as ``read_as_given`` and ``as_logits`` do.
    """
    return as_logits(read_as_given(path), path)


def as_logits(model: keras.Model, path: Path) -> keras.Model:
    """The network of the file ``path`` from images to logits (``quantrift.core.networks.foreign.logits_form``).

    Raises:
        QuantriftError: for networks that have no such form.
    """
    try:
        return logits_form(model)
    except QuantriftError as error:
        raise QuantriftError(f"{path}: {error}; change the network, or export it as .tflite") from None


def read_as_given(path: Path) -> keras.Model:
    """The network in a .keras file or a whole-model .h5 file of Keras 2 or 3, unchanged.

    Nothing in the file is run: its configuration is checked before Keras reads it, and Keras reads in safe mode.

    Raises:
        QuantriftError: if the file is missing, damaged or holds weights alone; for code and layers that are not Keras's
            own.
    """
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; name the network's file")
    keras_config.check(path)
    with reading(path, "Keras cannot build this network", "export it as .tflite"):
        model = keras.saving.load_model(path, compile=False, safe_mode=True)
    if not getattr(model, "inputs", None):
        raise QuantriftError(f"{path}: states no inputs of the network; call it on an image and save it again")
    return model
