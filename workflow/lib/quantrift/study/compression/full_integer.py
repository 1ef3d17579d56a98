"""Full-integer quantization after training by TFLite's converter, of any Keras network."""

import warnings
from collections.abc import Iterator

import keras
import numpy as np
import tensorflow as tf

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.tflite_files import optimized
from quantrift.core.settings.compressions import Representative
from quantrift.study.compression.representative import representative


def full_integer(model: keras.Model, inputs: Inputs, settings: Representative) -> bytes:
    """Content of the .tflite file of ``model`` in 8 bits, as far as TFLite has 8-bit kernels for its layers.

    Input and logits stay float32 at the border. Activation ranges are the extremes over ``settings.representative``
    training inputs; weights are symmetric, with one scale per output channel.

    Raises:
        QuantriftError: if the training split holds fewer inputs than that.
    """
    chosen = representative(inputs, settings)

    def samples() -> Iterator[list[np.ndarray]]:
        return ([inputs.take(chosen[i : i + 1])] for i in range(len(chosen)))

    with warnings.catch_warnings():
        # The converter misses statistics that only graphs with a quantized input have.
        warnings.filterwarnings("ignore", "Statistics for quantized inputs were expected")
        return optimized(model, samples, supported_ops=[tf.lite.OpsSet.TFLITE_BUILTINS_INT8])
