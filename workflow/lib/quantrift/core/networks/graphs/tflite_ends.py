"""Inputs and outputs of the graph in a given .tflite file, as a user chose them; runs nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quantrift.core.networks.graphs.choices import Choices
from quantrift.core.networks.graphs.notes import at_end
from quantrift.core.networks.tflite_graph import Graph


def final_operation(content: bytes) -> str | None:
    """Name of the operation that decides the values of a file's output; ``None`` if there is none.

    Of several outputs, the first that is compared counts. ``content`` is a file that an interpreter has accepted.
    """
    found = Graph(content).deciding(compared_output(content))
    return None if found is None else found.kind


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


def input_tensors(content: bytes) -> list[dict[str, Any]]:
    """Index and name of the tensor of each input of a file, as an interpreter has them in its details."""
    return [{"index": one.index, "name": one.name} for one in Graph(content).inputs]


def output_tensors(content: bytes) -> list[dict[str, Any]]:
    """Likewise of each output."""
    return [{"index": one.index, "name": one.name} for one in Graph(content).outputs]


def changed_input(content: bytes) -> int:
    """Index of the tensor of a file's only input, or of the one that searches change.

    ``content`` is a file that an interpreter has accepted.
    """
    tensors = input_tensors(content)
    return int(tensors[choices(content).changed(input_names(content, tensors))]["index"])


def compared_output(content: bytes) -> int:
    """Index of the tensor of a file's first output, or of the first that is compared.

    ``content`` is a file that an interpreter has accepted.
    """
    tensors, wanted = output_tensors(content), choices(content).outputs[:1]
    names = output_names(content, tensors) if wanted else []
    found = [one for one, name in zip(tensors, names, strict=False) if name in wanted] or tensors
    return int(found[0]["index"]) if found else 0


def choices(content: bytes) -> Choices:
    """What a user chose of a file."""
    return Choices.of(at_end(content)[1])


def _signature_of(content: bytes) -> Any:
    """The first signature of a file; ``None`` where it has none."""
    root = Graph(content).root
    return root.SignatureDefs(0) if root.SignatureDefsLength() else None


def _names(tensors: Sequence[Mapping[str, Any]], stated: Iterable[Any]) -> list[str]:
    said = {int(one.TensorIndex()): one.Name().decode(errors="replace") for one in stated}
    names = [said.get(int(one["index"]), "") for one in tensors]
    unique = all(names) and len(set(names)) == len(names)
    return names if unique else [str(one.get("name", "")) for one in tensors]
