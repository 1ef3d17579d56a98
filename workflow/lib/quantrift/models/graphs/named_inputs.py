"""Inputs of a file by name: read from it, chosen by a user, and matched between two networks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.models.foreign.onnx_graph import check_graph, given_inputs
from quantrift.models.graphs.input_order import plain


@dataclass(frozen=True)
class NamedInput:
    """One input of a file."""

    name: str
    """By which users know it."""
    shape: tuple[int, ...]
    """For one input; -1 for sides that are open."""

    @property
    def sides(self) -> list[int]:
        """Sides longer than 1, sorted, which the order of axes does not change."""
        return sorted(side for side in self.shape if side != 1)


def named_inputs(path: Path) -> list[NamedInput]:
    """All inputs of a .tflite or .onnx file, in its order; read from the file, which is not run.

    Raises:
        QuantriftError: it is damaged.
    """
    try:
        return _of_onnx(path) if path.suffix == ".onnx" else _of_tflite(path)
    except (QuantriftError, MemoryError):
        raise
    # The schema's code trusts every offset in the file, and meets damage with whatever comes of it.
    except Exception:
        raise QuantriftError(f"{path}: damaged, so that its inputs cannot be read; export it again") from None


def chosen(path: Path, inputs: Sequence[NamedInput], change: str) -> list[str]:
    """Names of a network's inputs, the one that searches change first.

    Args:
        path: for messages.
        inputs: of its file.
        change: name that a user gave, with or without what converters add to it.

    Raises:
        QuantriftError: there is one input alone, or none of that name.
    """
    listed = ", ".join(f"'{plain(one.name)}'" for one in inputs)
    if len(inputs) < 2:
        raise QuantriftError(f"{path}: has one input, {listed}, and no others to carry along; leave out --change")
    same = [one.name for one in inputs if one.name == change] or [
        one.name for one in inputs if plain(one.name) == plain(change)
    ]
    if len(same) != 1:
        raise QuantriftError(f"{path}: has no input '{change}' to change; name one of {listed} with --change")
    return [*same, *(one.name for one in inputs if one.name != same[0])]


def matched(path: Path, inputs: Sequence[NamedInput], wanted: Sequence[NamedInput]) -> tuple[list[str], str]:
    """Names of a compressed network's inputs in the order of the original's, and how they were matched.

    Inputs of one name are the same; then those whose names are the same without what converters add; then those that
    alone on either side have their shape, whatever the order of its axes.

    Args:
        path: of the compressed network, for messages.
        inputs: of its file.
        wanted: of the original, the one that searches change first.

    Raises:
        QuantriftError: they do not fit each other.
    """
    found: dict[str, str] = {}
    ways: list[Callable[[NamedInput], object]] = [
        lambda one: one.name,
        lambda one: plain(one.name),
        lambda one: one.sides,
    ]
    for way in ways:
        left = [one for one in inputs if one.name not in found.values()]
        without = [one for one in wanted if one.name not in found]
        for one in without:
            fitting = [other.name for other in left if way(other) == way(one)]
            if len(fitting) == 1 and [way(other) for other in without].count(way(one)) == 1:
                found[one.name] = fitting[0]
    if len(found) < len(wanted) or len(inputs) != len(wanted):
        listed, of_original = (
            ", ".join(f"'{plain(one.name)}' {one.shape}" for one in both) for both in (inputs, wanted)
        )
        raise QuantriftError(
            f"{path}: its inputs {listed} are not those of the original, {of_original}, neither by name nor by shape; "
            "export it with the names of the original"
        )
    other = [f"'{new}' is '{plain(old)}'" for old, new in found.items() if plain(old) != plain(new)]
    how = f"by shape where names differ ({', '.join(other)})" if other else "by name"
    return [found[one.name] for one in wanted], how


def _of_onnx(path: Path) -> list[NamedInput]:
    return [
        NamedInput(one.name, tuple(int(side.dim_value) or -1 for side in one.type.tensor_type.shape.dim[1:]))
        for one in given_inputs(check_graph(path).graph)
    ]


def _of_tflite(path: Path) -> list[NamedInput]:
    from ai_edge_litert import schema_py_generated as schema

    from quantrift.models.graphs.tflite_graph import input_names, input_tensors, numbers

    content = path.read_bytes()
    tensors = input_tensors(content)
    graph = schema.Model.GetRootAs(content, 0).Subgraphs(0)
    names = input_names(content, tensors)
    shapes = [numbers(graph.Tensors(one["index"]).ShapeAsNumpy()) for one in tensors]
    return [NamedInput(name, tuple(int(side) for side in shape[1:])) for name, shape in zip(names, shapes, strict=True)]
