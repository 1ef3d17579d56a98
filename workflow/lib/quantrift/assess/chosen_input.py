"""The input that searches change, of networks with several: chosen by its name, and written into a copy of the file."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quantrift.assess.input_form import InputForm
from quantrift.base.errors import QuantriftError
from quantrift.models.foreign.reader import ForeignFiles
from quantrift.models.graphs.input_order import SUFFIXES, plain, with_order
from quantrift.models.graphs.input_sides import longer_sides
from quantrift.models.graphs.named_inputs import NamedInput, chosen, matched
from quantrift.models.graphs.signature import Signature
from quantrift.models.runtime import beside

COPY = "quantrift-copy-"
"""Begins the names of folders that hold a copy of a network's file with the user's choices in it."""


@contextmanager
def ordered(
    path: Path, owned: Path, files: ForeignFiles, form: InputForm, like: Sequence[NamedInput]
) -> Iterator[Path]:
    """The file of a network or, where it has several inputs and one was chosen, a copy that states their order.

    The copy is removed if the block fails, and else with the network that is loaded from it.

    Args:
        path: the file.
        owned: what the user named, for messages.
        files: reader of foreign files.
        form: names the input that searches change, if any.
        like: inputs of the original, of a compressed network.
    """
    if form.change is None:
        yield path
        return
    if path.suffix not in SUFFIXES:
        raise QuantriftError(
            f"{owned}: inputs are chosen by name in {', '.join(SUFFIXES)} and Keras files and SavedModels; leave out "
            "--change, or export it as one of these"
        )
    inputs = files.inputs(path)
    names = matched(owned, inputs, like)[0] if like else chosen(owned, inputs, form.change)
    copy = copied(path, with_order(path.read_bytes(), path.suffix, names))
    try:
        yield copy
    except BaseException:
        shutil.rmtree(copy.parent, ignore_errors=True)
        raise


def copied(path: Path, content: bytes) -> Path:
    """A network's file with another content, in a new folder, with the files beside it."""
    copy = Path(tempfile.mkdtemp(prefix=COPY)) / path.name
    copy.write_bytes(content)
    for file, place in beside(path, copy).items():
        shutil.copyfile(file, place)
    return copy


def carried_along(signature: Signature) -> str:
    """Line that names the changed input of a network with several, and those that keep their values."""
    others = " and ".join(f"'{plain(name)}'" for name in signature.carried_shapes)
    return f"only '{plain(signature.name)}' is changed; {others} of the same input {_goes(signature)} along unchanged"


def check_carried(path: Path, inputs: Sequence[NamedInput], original: Path, wanted: Sequence[NamedInput]) -> None:
    """Refuse two networks, each with its path and inputs, that do not take the same inputs beside the changed one.

    Raises:
        QuantriftError: one line, with the difference.
    """
    if [longer_sides(one.shape) for one in inputs[1:]] != [longer_sides(one.shape) for one in wanted[1:]]:
        raise QuantriftError(
            f"{path}: takes {_listed(inputs[1:])} beside the input that is changed, {original.name} takes "
            f"{_listed(wanted[1:])}; give two networks that take these alike"
        )


def _goes(signature: Signature) -> str:
    return "goes" if len(signature.carried) == 1 else "go"


def _listed(inputs: Sequence[NamedInput]) -> str:
    return ", ".join(f"'{plain(one.name)}' {one.shape}" for one in inputs) or "nothing"
