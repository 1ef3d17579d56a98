"""Inputs and outputs that a user chose of networks with several, by name, and noted in a copy of the file.

Of several inputs, searches change one. Of several outputs, those that are named are compared.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.files import temporary_prefix
from quantrift.core.base.temporary_folders import START
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.graphs.choices import INPUTS, OUTPUTS, SIZES, plain, with_note
from quantrift.core.networks.graphs.ends import (
    ALL,
    ChosenOutputs,
    NamedInput,
    chosen_inputs,
    chosen_outputs,
    matched_inputs,
    matched_outputs,
)
from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.networks.runtime import beside
from quantrift.judge.intake.input_form import InputForm

COPY = "-copy"
"""Ends the names of folders that hold a copy of a network's file with the user's choices in it."""


@dataclass(frozen=True)
class Chosen:
    """What was chosen of one network, to which that of another is matched."""

    inputs: Sequence[NamedInput] = ()
    """All inputs, the one that searches change first; none where nothing was chosen."""
    outputs: ChosenOutputs = ALL
    assumed: tuple[str, ...] = ()
    """How both were matched to the original's, a clause each."""


NOTHING = Chosen()


@contextmanager
def noted(path: Path, owned: Path, files: ForeignFiles, form: InputForm, like: Chosen) -> Iterator[tuple[Path, Chosen]]:
    """The file of a network or, where a user chose of its inputs or outputs, a copy that notes these; and the choice.

    The copy is removed if the block fails, and else with the network that is loaded from it.

    Args:
        path: the file.
        owned: what the user named, for messages.
        files: reader of foreign files.
        form: names the input that searches change and the outputs that are compared, if any.
        like: choice of the original, of a compressed network; ``NOTHING`` of the original itself.
    """
    if form.change is None and not form.outputs:
        yield path, NOTHING
        return
    ends, content = files.ends(path), path.read_bytes()
    inputs, outputs, assumed = list[NamedInput](), ALL, list[str]()
    if form.change is not None:
        names, how = (
            matched_inputs(owned, ends.inputs, like.inputs)
            if like.inputs
            else (chosen_inputs(owned, ends.inputs, form.change), "")
        )
        assumed += [f"inputs matched to the original's {how}"] if how else []
        inputs = [next(one for one in ends.inputs if one.name == name) for name in names]
        content = with_note(content, path.suffix, INPUTS, names)
    if form.outputs:
        outputs, how = (
            matched_outputs(owned, ends.outputs, like.outputs)
            if like.outputs.names
            else (chosen_outputs(owned, ends.outputs, form.outputs), "")
        )
        more = f"; matched to the original's {how}" if how else ""
        assumed += [line + more for line in compared(outputs)]
        content = with_note(content, path.suffix, OUTPUTS, outputs.names)
    with _kept(copied(path, content)) as copy:
        yield copy, Chosen(inputs, outputs, tuple(assumed))


def sized(path: Path, sizes: Sequence[int]) -> AbstractContextManager[Path]:
    """A copy of a network's file, likewise removed, that notes the sizes of open sides, 0 for the others."""
    content = with_note(path.read_bytes(), path.suffix, SIZES, ",".join(map(str, sizes)))
    if not path.parent.name.endswith(COPY):
        return _kept(copied(path, content))
    path.write_bytes(content)
    return _kept(path)


@contextmanager
def _kept(copy: Path) -> Iterator[Path]:
    """A copy that is removed, with its folder, if the block fails."""
    try:
        yield copy
    except BaseException:
        shutil.rmtree(copy.parent, ignore_errors=True)
        raise


def copied(path: Path, content: bytes) -> Path:
    """A network's file with another content, in a new folder, with the files beside it."""
    copy = Path(tempfile.mkdtemp(COPY, f"{temporary_prefix(START)}-")) / path.name
    copy.write_bytes(content)
    for file, place in beside(path, copy).items():
        shutil.copyfile(file, place)
    return copy


def carried_along(signature: Signature) -> str:
    """Line that names the changed input of a network with several, and those that keep their values."""
    others = " and ".join(f"'{plain(name)}'" for name in signature.carried_shapes)
    go = "goes" if len(signature.carried) == 1 else "go"
    return f"only '{plain(signature.name)}' is changed; {others} of the same input {go} along unchanged"


def compared(outputs: ChosenOutputs) -> list[str]:
    """Line that names the outputs that are compared, and those that are not; none where nothing was chosen."""
    if not outputs.names:
        return []
    names = " and ".join(f"'{name}'" for name in outputs.titles)
    others = " and ".join(f"'{plain(name)}'" for name in outputs.among if name not in outputs.names)
    many = len(outputs.names) > 1
    left = f"; {others} {'are' if len(outputs.among) - len(outputs.names) > 1 else 'is'} not" if others else ""
    return [f"only output{'s' if many else ''} {names} {'are' if many else 'is'} compared{left}"]
