"""Keras networks as .onnx files, to compare ONNX Runtime with the others."""

import tempfile
import warnings
from pathlib import Path

import keras

from quantrift.models.libraries import library


def to_onnx(model: keras.Model) -> bytes:
    """Content of the .onnx file of ``model``, float32, from the same inputs to the same outputs; the batch stays open.

    Raises:
        QuantriftError: if tf2onnx, through which Keras writes such files, is not installed.
    """
    # Keras itself would end with a message of its own.
    library("tf2onnx", "onnxruntime")
    # Keras refuses networks that were never called, as ones from files are, unless it is told what they take.
    image = keras.InputSpec("float32", (None, *model.inputs[0].shape[1:]), name="image")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # Of the patch by which Keras makes tf2onnx work with numpy 2.
        warnings.filterwarnings("ignore", "In the future `np.object`", FutureWarning)
        path = Path(folder) / "model.onnx"
        model.export(path, format="onnx", verbose=False, input_signature=[image])
        return path.read_bytes()
