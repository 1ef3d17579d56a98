"""Final operation of the graph in a .tflite file, by the file's schema; runs nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.networks.graphs.choices import Choices
from quantrift.core.networks.graphs.notes import at_end

_OPERATOR = schema.BuiltinOperator
UNCHANGING = {_OPERATOR.DEQUANTIZE, _OPERATOR.QUANTIZE, _OPERATOR.RESHAPE, _OPERATOR.SQUEEZE}
"""Operations that give their input in another type or shape."""


def whole(content: bytes) -> bool:
    """Whether a file holds a network at all; the interpreter ends the whole process on one that does not."""
    if not schema.Model.ModelBufferHasIdentifier(content, 0):
        return False
    return bool(schema.Model.GetRootAs(content, 0).SubgraphsLength() > 0)


def final_operator(content: bytes) -> int | None:
    """Number, in the schema, of the operation that decides the values of a file's output; ``None`` if there is none.

    Of several outputs, the first that is compared counts. ``content`` is a file that an interpreter has accepted.
    """
    root = schema.Model.GetRootAs(content, 0)
    found = deciding(root, compared_output(content))
    return None if found is None else operation(root, found)


def output_names(content: bytes, outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of a file's outputs: those of its signature, where it has one that names each; else those of its tensors.

    Args:
        content: a file that an interpreter has accepted.
        outputs: details of the outputs, from that interpreter.
    """
    first = _signature_of(content)
    return _names(outputs, [] if first is None else map(first.Outputs, range(first.OutputsLength())))


def input_names(content: bytes, inputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of a file's inputs, likewise."""
    first = _signature_of(content)
    return _names(inputs, [] if first is None else map(first.Inputs, range(first.InputsLength())))


def changed_input(content: bytes) -> int:
    """Number of the tensor of a file's only input, or of the one that searches change.

    ``content`` is a file that an interpreter has accepted.
    """
    tensors = input_tensors(content)
    return int(tensors[choices(content).changed(input_names(content, tensors))]["index"])


def compared_output(content: bytes) -> int:
    """Number of the tensor of a file's first output, or of the first that is compared.

    ``content`` is a file that an interpreter has accepted.
    """
    tensors, wanted = output_tensors(content), choices(content).outputs[:1]
    names = output_names(content, tensors) if wanted else []
    found = [one for one, name in zip(tensors, names, strict=False) if name in wanted] or tensors
    return int(found[0]["index"]) if found else 0


def choices(content: bytes) -> Choices:
    """What a user chose of a file."""
    return Choices.of(at_end(content)[1])


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


def _signature_of(content: bytes) -> Any:
    """The first signature of a file; ``None`` where it has none."""
    root = schema.Model.GetRootAs(content, 0)
    return root.SignatureDefs(0) if root.SignatureDefsLength() else None


def _names(tensors: Sequence[Mapping[str, Any]], stated: Iterable[Any]) -> list[str]:
    said = {int(one.TensorIndex()): one.Name().decode(errors="replace") for one in stated}
    names = [said.get(int(one["index"]), "") for one in tensors]
    unique = all(names) and len(set(names)) == len(names)
    return names if unique else [str(one.get("name", "")) for one in tensors]


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
