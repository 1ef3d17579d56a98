"""The published form of a network, whose weights some methods change one by one, and its 2-D twin afterwards.

The twin repeats weights of 3-D convolutions, and holds products of weights and normalisations and the zeros between
them, for which Equation 3.1 has no level. So weights are changed in the network as published, each once, and its twin
is made anew.
"""

import keras
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks import architecture
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.macs import CONVOLUTIONS
from quantrift.core.networks.training.original import Original
from quantrift.core.settings.networks import Networks


def copy_of(original: Original) -> keras.Model:
    """The network as published, to change.

    All its weights count as trained ones, but the statistics of normalisations, even if its file says otherwise.
    """
    copy = load(original.folder / "model.keras")
    copy.trainable = True
    return copy


def built_anew(original: Original, inputs: Inputs) -> keras.Model:
    """The same network without training.

    Raises:
        QuantriftError: if it was taken over from a file.
    """
    name = original.facts["model"]
    if not original.trained_here:
        raise QuantriftError(
            f"{name} is a file and cannot be trained anew, as 'form: trained' asks; use 'form: post_training'"
        )
    settings = type(Networks().trained[name]).model_validate(original.facts["settings"])
    return architecture.load(name).build(settings, inputs.shape, len(inputs.class_names))


def twin_of(original: Original, network: keras.Model) -> keras.Model:
    """The twin of a ``network`` in a form like ``original``; itself if it was taken over from a file.

    Such a network runs in float as it is, and its twin in 8 bits is not asked for.
    """
    return architecture.twin(original.facts["model"], network) if original.trained_here else network


def kernels(network: keras.Model) -> list[keras.Variable]:
    """Weights of the convolutions and dense layers of ``network``, in its order, without biases."""
    return [layer.kernel for layer in network.layers if isinstance(layer, (*CONVOLUTIONS, layers.Dense))]
