"""Between which values a quantized network expects its inputs: its file says so where the first step is to round."""

from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.config.model_files import TFLITE
from quantrift.models.runtimes.graph import numbers, operation


def input_range(path: Path) -> tuple[float, float] | None:
    """Least and greatest value that the integers at the input of a network stand for.

    They are those of the input itself or, where that is float, of what a first QUANTIZE makes of it. ``None`` for
    networks that start in float, and for .onnx files. ``path`` is a file that an interpreter has accepted.
    """
    if path.suffix not in TFLITE:
        return None
    root = schema.Model.GetRootAs(path.read_bytes(), 0)
    graph = root.Subgraphs(0)
    given = int(graph.Inputs(0))
    tensors = [given]
    for operator in map(graph.Operators, range(graph.OperatorsLength())):
        if given in numbers(operator.InputsAsNumpy()) and operation(root, operator) == schema.BuiltinOperator.QUANTIZE:
            tensors.append(int(operator.Outputs(0)))
    return next((found for number in tensors if (found := _range(graph.Tensors(number)))), None)


def _range(tensor: Any) -> tuple[float, float] | None:
    types = {schema.TensorType.INT8: np.int8, schema.TensorType.UINT8: np.uint8}
    if tensor.Type() not in types or not (grid := tensor.Quantization()) or grid.ScaleLength() != 1:
        return None
    limits = np.iinfo(types[tensor.Type()])
    scale, zero = float(grid.Scale(0)), int(grid.ZeroPoint(0)) if grid.ZeroPointLength() else 0
    return (float(limits.min) - zero) * scale, (float(limits.max) - zero) * scale
