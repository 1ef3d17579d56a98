"""Inference with OpenVINO, on one thread: networks in its own format, an .xml file and the .bin of its weights."""

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

from quantrift.base.errors import QuantriftError, on_one_line
from quantrift.base.limits import check_unpacked
from quantrift.models.graphs import openvino_start
from quantrift.models.graphs.axis_order import mark_at_end
from quantrift.models.graphs.signature import signature
from quantrift.models.libraries import content, library
from quantrift.models.openvino_requests import Requests, request
from quantrift.models.working_memory import rows

SUFFIXES = (".xml",)
PACKAGES = ("openvino",)
ORIGINAL, COMPRESSED = "original.xml", "model.xml"
NAME = "openvino_ir"
"""Not written into the call that loads the library, where it would be taken for a package (``base.code_digests``)."""
WEIGHTS = ".bin"
BETWEEN = 32
"""Times the size of an input that the largest tensor in between is taken to have."""
OTHERS = {"Assign": "keeps a state", "ReadValue": "keeps a state"}
OTHERS |= dict.fromkeys(("Multinomial", "RandomUniform"), "draws at random")
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
        data, model = _read(openvino, path)
        try:
            inputs = [openvino_start.details(port) for port in model.inputs]
            outputs = [openvino_start.details(port) | {"index": place} for place, port in enumerate(model.outputs)]
            begin, end = openvino_start.openvino_start(model), openvino_start.ending(model)
            names = [_name(port) for port in model.outputs] if values else None
            found = signature(path, inputs, outputs, end, begin, mark_at_end(data), names)
            made = request(openvino.Core(), model)
        except (QuantriftError, MemoryError):
            raise
        # Types and shapes that it cannot express have errors of several classes.
        except Exception as error:
            raise _unreadable(path, error) from None
        super().__init__(path, found, made, rows(BETWEEN * 4 * prod(found.image), batch))


load = OpenVINOIR


def load_values(path: str | Path, batch: int = 256) -> OpenVINOIR:
    """The network in a file, which gives the values of all its outputs."""
    return OpenVINOIR(path, batch, values=True)


def beside(path: Path, target: Path) -> Mapping[Path, Path]:
    """See ``RuntimeModule``."""
    return {_weights(path): target.with_suffix(WEIGHTS)}


def range_of_input(path: Path) -> tuple[float, float, float] | None:
    """See ``RuntimeModule``."""
    return openvino_start.range_of_input(_read(library("openvino", NAME), path)[1])


def stored(path: Path) -> list[tuple[bool, int]]:
    """See ``RuntimeModule``."""
    _, model = _read(library("openvino", NAME), path)
    held = [node for node in model.get_ordered_ops() if node.get_type_name() == "Constant"]
    types = [(node.get_element_type(), prod(node.shape)) for node in held]
    return [(kind.bitwidth <= 8, count) for kind, count in types if kind.is_real() or kind.bitwidth <= 8]


def _read(openvino: Any, path: Path) -> tuple[bytes, Any]:
    """Content of the .xml file, and the model in it."""
    data, weights = content(path, SUFFIXES, NAME), _weights(path)
    check_unpacked(path, len(data) + weights.stat().st_size)
    try:
        model = openvino.Core().read_model(str(path), str(weights))
    except RuntimeError as error:
        raise _unreadable(path, error) from None
    for node in model.get_ops():
        if (what := OTHERS.get(node.get_type_name())) is not None:
            kind = node.get_type_name()
            raise QuantriftError(f"{path}: {what} ({kind}), so no result could be repeated; export it without")
    if not model.inputs or not model.outputs:
        raise QuantriftError(f"{path}: has no input or no output; export it again")
    return data, model


def _weights(path: Path) -> Path:
    """The file of the weights, which must lie beside the network's."""
    weights = path.with_suffix(WEIGHTS)
    if not weights.is_file() or weights.is_symlink():
        raise QuantriftError(f"{path}: its weights, {weights.name}, are no file beside it; put them there")
    return weights


def _unreadable(path: Path, error: Exception) -> QuantriftError:
    reason = on_one_line(error)
    return QuantriftError(f"{path}: OpenVINO cannot run it ({reason}); export it again")


def _name(port: Any) -> str:
    """A name of an output, the first of several in the order of letters; of the operation where it has none."""
    return min(port.names) if port.names else port.get_node().get_friendly_name()
