"""All hostile files: importing their modules registers them."""

from tests.hostile import keras_files, onnx_files, other_files, saved_models, tflite_files, torch_files
from tests.hostile.makers import MAKERS

__all__ = ["MAKERS", "keras_files", "onnx_files", "other_files", "saved_models", "tflite_files", "torch_files"]
