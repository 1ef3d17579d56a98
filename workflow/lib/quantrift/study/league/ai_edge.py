"""Errors of tensors as ai-edge-quantizer's ``validate`` compares them.

``Quantizer.validate`` hands its two files to ``model_validator.compare_model``, which is called here for a file that
another converter may have made.
"""

from importlib import import_module
from pathlib import Path

import numpy as np

from quantrift.core.base import extras
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.layer_values.tflite_layers import LayeredTFLite
from quantrift.study.league.outputs import of_any_outputs

PACKAGE = "ai_edge_quantizer"
"""Imported by its name in full, by which digests of jobs find its version."""
INPUTS = 8
"""Inputs that are compared, one at a time: the library loads both files anew for each."""


def errors(original: Path, compressed: Path, inputs: np.ndarray, metric: str) -> dict[str, float]:
    """Layer, or ``output`` -> the library's error, mean over inputs; tensors that hold weights are left out.

    Args:
        original: float .tflite.
        compressed: .tflite.
        inputs: float32 (n, H, W, C), of which the first ``INPUTS`` are run.
        metric: name of one of the library's metrics, like ``MSE``.

    Raises:
        QuantriftError: ai-edge-quantizer is not installed.
    """
    extras.check("the comparison of ai-edge-quantizer", PACKAGE)
    validator = import_module("ai_edge_quantizer.model_validator")
    wanted = import_module("ai_edge_quantizer.utils.validation_utils").ValidationErrorMetric[metric]
    interpreter = import_module("ai_edge_quantizer.utils.tfl_interpreter_utils").create_tfl_interpreter(str(original))
    [(key, ends)] = interpreter.get_signature_list().items()
    [given] = ends["inputs"]
    names = of_any_outputs(LayeredTFLite, original).tensor_names()
    found = validator.compare_model(
        original.read_bytes(),
        compressed.read_bytes(),
        {key: [{given: one[None]} for one in inputs[:INPUTS]]},
        error_metrics=[wanted],
        use_xnnpack=False,
        num_threads=1,
    ).get_signature_comparison_result(key)
    told = {names[tensor]: one[wanted.value] for tensor, one in found.intermediate_tensors.items() if tensor in names}
    [of_output] = found.output_tensors.values()
    return told | {OUTPUT: of_output[wanted.value]}
