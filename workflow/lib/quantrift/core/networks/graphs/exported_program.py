"""Networks that ``torch.export.save`` wrote, read as data: a graph of operations, names of values, weights as bytes.

``torch.export.load`` is not used: it evaluates expressions that stand in the file as Python code, unpickles its example
inputs, constants and some weights, and runs compiled libraries that lie in the archive. Here JSON is parsed and bytes
are sliced, and nothing else in the archive is looked at.
"""

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError, reading, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.graphs.choices import Choices, of_archive

SCHEMA = 8
"""Major version of the format, as PyTorch 2.13 writes it."""
WIDTHS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 2, 7: 4, 8: 8, 12: 1, 13: 2}
"""Number of a type in the format -> bytes of a value, of the types that are read."""
STRIDED = 7
"""Number of the layout of dense tensors."""
AGAIN = "save it again with torch.export.save of PyTorch 2.13"


@dataclass(frozen=True)
class Value:
    """A value that was computed before, or an input or a weight, by its name."""

    name: str


@dataclass(frozen=True)
class Coded:
    """An argument that the format states by a number: ``scalar_type`` or ``memory_format``."""

    kind: str
    number: int


@dataclass(frozen=True)
class Node:
    """One operation."""

    target: str
    """Like ``torch.ops.aten.relu.default``."""
    positional: tuple[Any, ...]
    """``Value``, ``Coded``, plain values and lists of these."""
    named: Mapping[str, Any]
    results: tuple[str | tuple[str, ...], ...]
    """Names of what it gives; a list that it gives is a tuple of names."""

    def argument(self, name: str, place: int) -> Any:
        """An argument by its name or else by its place; None where it is left out."""
        if name in self.named:
            return self.named[name]
        return self.positional[place] if place < len(self.positional) else None

    @property
    def values(self) -> tuple[str, ...]:
        """Names of all values that it takes."""
        return tuple(dict.fromkeys(_names((*self.positional, *self.named.values()))))


@dataclass(frozen=True)
class Border:
    """Type and sizes of a tensor."""

    type: int
    """Its number in the format."""
    sizes: tuple[int, ...]
    """With -1 for sides that are open."""


@dataclass(frozen=True, eq=False)
class Weight(Border):
    """A weight, buffer or constant, as it is stored."""

    strides: tuple[int, ...]
    offset: int
    """In values from the beginning of ``content``."""
    content: bytes


@dataclass(frozen=True, eq=False)
class ExportedProgram:
    """A network of one graph."""

    inputs: tuple[str, ...]
    """Names of what the user gives."""
    weights: Mapping[str, Weight]
    """By the names under which operations take them."""
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    """Names of the values that it gives."""
    titles: tuple[str, ...]
    """Names of the outputs for people: keys where the network gives a dictionary."""
    borders: Mapping[str, Border]
    """Of each tensor by its name."""
    choices: Choices
    """What a user chose."""


def read_program(path: Path) -> ExportedProgram:
    """The network in a .pt2 file.

    Raises:
        QuantriftError: the file is missing, damaged, of another version, larger than the limit, or holds what could run
            code: weights or constants that are pickled, or compiled libraries alone.
    """
    refuse((not path.is_file(), f"{path}: no such file; build the model first"))
    with reading(path, "not a readable .pt2 file", AGAIN), zipfile.ZipFile(path) as archive:
        check_unpacked(path, sum(member.file_size for member in archive.infolist()))
        return _read(path, archive)


def _read(path: Path, archive: zipfile.ZipFile) -> ExportedProgram:
    # All lie in one folder, whose name is that of the file when it was written.
    members = {name.partition("/")[2]: name for name in archive.namelist()}
    models = [name for name in members if name.startswith("models/") and name.endswith(".json")]
    compiled = any(name.startswith("data/aotinductor/") for name in members)
    what = "compiled code, which is never run," if compiled else f"{len(models)} networks"
    refuse(
        (
            "serialized_exported_program.json" in archive.namelist(),
            f"{path}: is of a format in which weights are pickled, which could run code; {AGAIN}",
        ),
        (len(models) != 1, f"{path}: holds {what} in place of one exported network; {AGAIN}"),
    )
    whole = json.loads(archive.read(members[models[0]]))
    version = whole["schema_version"]["major"]
    refuse((version != SCHEMA, f"{path}: is of version {version} of the format, expected {SCHEMA}; {AGAIN}"))
    found, graph = whole["graph_module"], whole["graph_module"]["graph"]
    stored: dict[str, tuple[Any, str]] = {}
    for kind in ("constants", "weights"):
        table = members.get(f"data/{kind}/{Path(models[0]).stem}_{kind}_config.json", "")
        refuse((not table, f"{path}: has no list of its {kind}, or one that is pickled; {AGAIN}"))
        entries = json.loads(archive.read(table))["config"]
        stored |= {key: (one, members.get(f"data/{kind}/{one['path_name']}", "")) for key, one in entries.items()}
    inputs: list[str] = []
    weights: dict[str, Weight] = {}
    for spec in found["signature"]["input_specs"]:
        ((kind, said),) = spec.items()
        if kind == "user_input":
            inputs.append(_argument(said["arg"]).name)
        elif kind in ("parameter", "buffer", "tensor_constant"):
            key = said[f"{kind}_name"]
            weights[said["arg"]["name"]] = _weight(path, key, *stored[key], archive)
        else:
            raise QuantriftError(f"{path}: takes a {kind} as input, which is no tensor; export it without")
    own = [next(iter(spec)) for spec in found["signature"]["output_specs"] if set(spec) != {"user_output"}]
    refuse((own, f"{path}: changes its own state when it is run ({', '.join(own[:1])}); export it without"))
    outputs = tuple(_argument(one).name for one in graph["outputs"])
    return ExportedProgram(
        tuple(inputs),
        weights,
        tuple(_node(one) for one in graph["nodes"]),
        outputs,
        _titles(found["module_call_graph"]) or outputs,
        # The expression of an open side is not read.
        {
            key: Border(meta["dtype"], tuple(int(side.get("as_int", -1)) for side in meta["sizes"]))
            for key, meta in graph["tensor_values"].items()
        },
        Choices.of(of_archive(archive, members)),
    )


def _weight(path: Path, key: str, entry: Mapping[str, Any], member: str, archive: zipfile.ZipFile) -> Weight:
    refuse(
        (
            entry["use_pickle"] or entry["tensor_meta"] is None,
            f"{path}: '{key}' is pickled, which could run code, and is never read; export the network with plain "
            "tensors (torchao: unwrap_tensor_subclass)",
        ),
    )
    meta = entry["tensor_meta"]
    sizes, strides = (tuple(int(side["as_int"]) for side in meta[name]) for name in ("sizes", "strides"))
    offset, content = int(meta["storage_offset"]["as_int"]), archive.read(member)
    refuse(
        (
            meta["dtype"] not in WIDTHS or meta["layout"] != STRIDED,
            f"{path}: '{key}' is of a type or layout that is not read; export it as a dense float32",
        ),
    )
    count, width = prod(sizes), WIDTHS[meta["dtype"]]
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if min(*sizes, *strides, offset, 0) < 0 or (count and (last + 1) * width > len(content)):
        raise ValueError(f"'{key}' lies outside its file")
    check_unpacked(path, count * width)
    return Weight(meta["dtype"], sizes, strides, offset, content)


def _node(said: Mapping[str, Any]) -> Node:
    # 1 is the number of arguments by place; arguments of Python's own operators have no names.
    given = [(one, one.get("kind") == 1 or not one["name"]) for one in said["inputs"]]
    positional = tuple(_argument(one["arg"]) for one, by_place in given if by_place)
    named = {str(one["name"]): _argument(one["arg"]) for one, by_place in given if not by_place}
    return Node(str(said["target"]), positional, named, tuple(map(_result, said["outputs"])))


def _argument(said: Mapping[str, Any]) -> Any:
    """An argument of an operation, or an input or output."""
    ((kind, value),) = said.items()
    if kind not in ARGUMENTS or (kind == "as_layout" and value != STRIDED):
        raise ValueError(f"arguments of kind {kind} are not read")
    return ARGUMENTS[kind](value)


def _symbol(said: Mapping[str, Any]) -> Any:
    ((kind, value),) = said.items()
    return Value(str(value)) if kind == "as_name" else value


def _value(said: Mapping[str, Any]) -> Value:
    return Value(str(said["name"]))


ARGUMENTS: Mapping[str, Callable[[Any], Any]] = {
    "as_tensor": _value,
    "as_tensors": lambda value: list(map(_value, value)),
    "as_optional_tensors": lambda value: [None if "as_none" in one else _value(one["as_tensor"]) for one in value],
    **dict.fromkeys(("as_sym_int", "as_sym_float", "as_sym_bool"), _symbol),
    **dict.fromkeys(("as_sym_ints", "as_sym_floats", "as_sym_bools"), lambda value: list(map(_symbol, value))),
    "as_scalar_type": lambda value: Coded("scalar_type", int(value)),
    "as_memory_format": lambda value: Coded("memory_format", int(value)),
    # The processor takes the place of any device.
    "as_device": lambda value: "cpu",
    **dict.fromkeys(("as_layout", "as_none"), lambda value: None),
    **dict.fromkeys(("as_int", "as_bool", "as_string", "as_ints", "as_bools"), lambda value: value),
    # Infinities are texts in the format.
    "as_float": float,
    "as_floats": lambda value: list(map(float, value)),
}
"""Kinds of arguments that are read, and what each stands for; the only layout is that of dense tensors."""


def _result(said: Mapping[str, Any]) -> str | tuple[str, ...]:
    found = _argument(said)
    # A result that nobody takes may be left out.
    return tuple(one.name for one in found) if isinstance(found, list) else getattr(found, "name", "")


def _titles(calls: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Keys of the dictionary that a network gives; nothing where it gives something else."""
    for whole in [one["signature"] for one in calls if one["fqn"] == "" and one["signature"]][:1]:
        _, tree = json.loads(whole["out_spec"])
        if tree["type"] == "builtins.dict" and all(child["type"] is None for child in tree["children_spec"]):
            return tuple(map(str, json.loads(tree["context"])))
    return ()


def _names(values: Sequence[Any]) -> list[str]:
    nested = ([one.name] if isinstance(one, Value) else _names(one) if isinstance(one, list) else [] for one in values)
    return [name for names in nested for name in names]
