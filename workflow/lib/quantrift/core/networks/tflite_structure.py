"""Structure of a .tflite file's graph by the format's schema: operations, their tensors, ends; runs nothing."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

_OPERATOR = schema.BuiltinOperator
UNCHANGING = {_OPERATOR.DEQUANTIZE, _OPERATOR.QUANTIZE, _OPERATOR.RESHAPE, _OPERATOR.SQUEEZE}
"""Operations that give their input in another type or shape."""
SOFTMAX = int(_OPERATOR.SOFTMAX)


def whole(content: bytes) -> bool:
    """Whether a file holds a network at all; the interpreter ends the whole process on one that does not."""
    if not schema.Model.ModelBufferHasIdentifier(content, 0):
        return False
    return bool(schema.Model.GetRootAs(content, 0).SubgraphsLength() > 0)


def input_tensors(content: bytes) -> list[dict[str, Any]]:
    """Number and name of the tensor of each input of a file, as an interpreter has them in its details."""
    graph = schema.Model.GetRootAs(content, 0).Subgraphs(0)
    return _tensors(graph, map(graph.Inputs, range(graph.InputsLength())))


def output_tensors(content: bytes) -> list[dict[str, Any]]:
    """Likewise of each output."""
    graph = schema.Model.GetRootAs(content, 0).Subgraphs(0)
    return _tensors(graph, map(graph.Outputs, range(graph.OutputsLength())))


def _tensors(graph: Any, numbers_of: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"index": int(one), "name": graph.Tensors(int(one)).Name().decode(errors="replace")} for one in numbers_of]


def deciding(root: Any, output: int) -> Any:
    """The operator of the model ``root`` that decides the values of a tensor; ``None`` if there is none."""
    graph = root.Subgraphs(0)
    makers = {
        int(number): operator
        for operator in map(graph.Operators, range(graph.OperatorsLength()))
        for number in numbers(operator.OutputsAsNumpy())
    }
    tensor = output
    # No path through the graph is longer than the graph, unless the file is wrong.
    for _ in makers:
        if tensor not in makers:
            break
        if operation(root, makers[tensor]) not in UNCHANGING:
            return makers[tensor]
        tensor = int(makers[tensor].Inputs(0))
    return None


def operation(root: Any, operator: Any) -> int:
    """Number, in the schema, of the operation that an operator of the model ``root`` does."""
    code = root.OperatorCodes(operator.OpcodeIndex())
    # Files of old converters have codes below 127 in the old field alone.
    return max(int(code.BuiltinCode()), int(code.DeprecatedBuiltinCode()))


def numbers(given: Any) -> Any:
    """Numbers of tensors; the schema's code gives 0 instead of an array for none at all."""
    return given if isinstance(given, np.ndarray) else ()
