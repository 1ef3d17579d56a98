"""Inference with OpenVINO, on one thread: networks in its own format, an .xml file and the .bin of its weights."""

from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.batches import rows_of
from quantrift.core.networks.graphs.choices import Choices, at_end
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.graphs.openvino_start import OpenVINOGraph, details, name_of, sides
from quantrift.core.networks.graphs.signature import signature
from quantrift.core.networks.libraries import content, library
from quantrift.core.networks.runtimes.openvino import Requests, request, reshaped

SUFFIXES = (".xml",)
PACKAGES = ("openvino",)
ORIGINAL, COMPRESSED = "original.xml", "model.xml"
NAME = "openvino_ir"
"""Not written into the call that loads the library, where it would be taken for a package (``base.code_digests``)."""
WEIGHTS = ".bin"
OTHERS = dict.fromkeys(("Assign", "ReadValue"), "keeps a state") | dict.fromkeys(
    ("Multinomial", "RandomUniform"), "draws at random"
)
"""Operations that give something else each time."""


class OpenVINOIR(Requests):
    """A network in an .xml file, from images to logits.

    Images go in with their channels where the first operation that is defined on channels has them, like a convolution.
    Results were bit-identical over all batch sizes tried (1 to 256), on one thread. A file for one batch size runs on
    that, filled up.
    """

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if OpenVINO is not installed; if a file is missing or damaged, no network, or not one from
                images to logits.
        """
        path = Path(path)
        openvino = library("openvino", NAME)
        choices, model = _read(openvino, path)
        found = signature(path, details(model.inputs), details(model.outputs), OpenVINOGraph(model), choices, values)
        places = [one.index for one in found.inputs]
        super().__init__(path, found, request(openvino.Core(), model), rows_of(found.row, batch), places)


load, load_values = OpenVINOIR, partial(OpenVINOIR, values=True)


def beside(path: Path, target: Path) -> Mapping[Path, Path]:
    """See ``RuntimeModule``."""
    return {_weights(path): target.with_suffix(WEIGHTS)}


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    _, model = _read(library("openvino", NAME), path)
    inputs = [NamedInput(name_of(port), tuple(sides(port)[1:])) for port in model.inputs]
    return Ends(inputs, [name_of(port) for port in model.outputs])


def range_of_input(path: Path) -> tuple[float, float, float] | None:
    """See ``RuntimeModule``."""
    choices, model = _read(library("openvino", NAME), path)
    graph = OpenVINOGraph(model)
    return graph.range_of_input(graph.inputs[choices.changed([name_of(port) for port in model.inputs])])


def stored(path: Path) -> list[tuple[bool, int]]:
    """See ``RuntimeModule``."""
    _, model = _read(library("openvino", NAME), path)
    held = [node for node in _operations(model) if node.get_type_name() == "Constant"]
    types = [(node.get_element_type(), prod(node.shape)) for node in held]
    return [(kind.bitwidth <= 8, count) for kind, count in types if kind.is_real() or kind.bitwidth <= 8]


def widened(path: Path) -> list[str]:
    """See ``RuntimeModule``."""
    _, model = _read(library("openvino", NAME), path)
    found = {port.get_element_type().get_type_name() for node in model.get_ops() for port in node.outputs()}
    return [name for kind, name in (("f16", "float16"), ("bf16", "bfloat16")) if kind in found]


def _read(openvino: Any, path: Path) -> tuple[Choices, Any]:
    """What a user chose of the .xml file, and the model in it."""
    data, weights = content(path, SUFFIXES, NAME), _weights(path)
    # OpenVINO chooses a format by the content, and others have checks of their own.
    refuse(
        (
            not data.lstrip().startswith(b"<"),
            f"{path}: is not in OpenVINO's own format; name it as what it is, or export it again",
        ),
    )
    check_unpacked(path, len(data) + weights.stat().st_size)
    model = openvino.Core().read_model(str(path), str(weights))
    for node in _operations(model):
        if (kind := node.get_type_name()) in OTHERS:
            raise QuantriftError(f"{path}: {OTHERS[kind]} ({kind}), so no result could be repeated; export it without")
    refuse((not model.inputs or not model.outputs, f"{path}: has no input or no output; export it again"))
    choices = Choices.of(at_end(data)[1])
    reshaped(openvino, model, choices, choices.changed([name_of(port) for port in model.inputs]))
    return choices, model


def _operations(model: Any) -> Iterator[Any]:
    """All operations of a model, with those of the bodies of branches and loops."""
    waiting = [model]
    while waiting:
        for node in waiting.pop().get_ops():
            yield node
            kind = node.get_type_name()
            if kind == "If":
                waiting += [node.get_then_body(), node.get_else_body()]
            elif kind in ("Loop", "TensorIterator"):
                waiting.append(node.get_function())


def _weights(path: Path) -> Path:
    """The file of the weights, which must lie beside the network's."""
    weights = path.with_suffix(WEIGHTS)
    refuse(
        (
            not weights.is_file() or weights.is_symlink(),
            f"{path}: its weights, {weights.name}, are no file beside it; put them there",
        ),
    )
    return weights
