"""Choices for a network, and the notes in its file that hold them: what a user said, or a trial showed.

A search loads a network by its path alone, so choices that the file does not state itself have to be in the file, as
texts under keys. All formats allow this without a change to any byte of the network: a .tflite or .pte file may be
followed by other bytes, an .xml file by comments, bytes after an .onnx file are merged into the model, and a .pt2 file
is an archive that may hold more files.
"""

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from quantrift.core.base.errors import refuse
from quantrift.core.networks.libraries import library

LAYOUT, INPUTS, OUTPUTS, ALONE, SIZES = KEYS = tuple(
    f"quantrift.{one}" for one in ("layout", "inputs", "outputs", "alone", "sizes")
)
LONGEST = 2**16
"""Bytes at the end of a file among which a note may begin."""
COMMENT = b"<!--", b"-->"
FOLDER = "extra"
"""Folder of notes in a .pt2 file, below the folder in which all of its members lie."""


def with_note(content: bytes, suffix: str, key: str, said: str | Sequence[str]) -> bytes:
    """The content of a network's file, ending in ``suffix``, with a note added.

    Args:
        content: of the file, which may hold notes under other keys.
        suffix: of its name.
        key: one of ``KEYS``.
        said: a ``Mark`` under ``LAYOUT``, names of all inputs under ``INPUTS``, of which the first is changed, names of
            the outputs that are compared under ``OUTPUTS``, ``YES`` under ``ALONE``, and under ``SIZES`` the sides of
            the changed input that fill open ones, with 0 for the others, like ``64,64,0``.
    """
    # Comments of .xml files hold no two hyphens in a row.
    text = said if isinstance(said, str) else json.dumps(list(said)).replace("-", "\\u002d")
    if suffix == ".pt2":
        held = BytesIO(content)
        with zipfile.ZipFile(held, "a") as archive:
            folder = archive.namelist()[0].partition("/")[0]
            # A time of now would give other bytes each time.
            archive.writestr(zipfile.ZipInfo(f"{folder}/{FOLDER}/{key}"), text)
        return held.getvalue()
    if suffix == ".onnx":
        onnx = library("onnx", "onnxruntime")
        entry = onnx.StringStringEntryProto(key=key, value=text)
        return content + bytes(onnx.ModelProto(metadata_props=[entry]).SerializeToString())
    begin, end = COMMENT if suffix == ".xml" else (b"", b"")
    return content + begin + f"{key}={text}".encode("ascii") + end


def at_end(content: bytes) -> tuple[bytes, dict[str, str]]:
    """A .tflite, .pte or .xml file as it was before ``with_note``, and the notes, key -> text, that were added."""
    found: dict[str, str] = {}
    while (one := _last(content)) is not None:
        content, key, text = one
        found.setdefault(key, text)
    return content, found


def of_onnx(model: Any) -> dict[str, str]:
    """The notes in the .onnx file of ``model``."""
    return {entry.key: entry.value for entry in model.metadata_props if entry.key in KEYS}


def of_archive(archive: zipfile.ZipFile, members: Mapping[str, str]) -> dict[str, str]:
    """The notes in a .pt2 file.

    Args:
        archive: the file.
        members: name of a member below the folder of all -> its name in the archive.
    """
    held = {key: members.get(f"{FOLDER}/{key}") for key in KEYS}
    return {key: archive.read(name).decode(errors="replace") for key, name in held.items() if name is not None}


def _last(content: bytes) -> tuple[bytes, str, str] | None:
    """What stands before the last note, its key and its text; ``None`` if the file does not end with one."""
    tail = content[-LONGEST:]
    place, key = max((tail.rfind(f"{key}=".encode()), key) for key in KEYS)
    if place < 0:
        return None
    text, begin = tail[place + len(key) + 1 :], len(content) - len(tail) + place
    # Numbers of the network that happen to hold a key are followed by others.
    if any(byte < 0x20 or byte > 0x7E for byte in text):
        return None
    if content[:begin].endswith(COMMENT[0]) and text.endswith(COMMENT[1]):
        text, begin = text.removesuffix(COMMENT[1]), begin - len(COMMENT[0])
    return content[:begin], key, text.decode("ascii")


ADDED = re.compile(r"^(?:serving_default|serve)_|:\d+$")
"""Parts of names that converters to TensorFlow Lite add."""

YES = "yes"
Layout = Literal["channels_last", "channels_first"]
LAYOUTS: tuple[Layout, ...] = ("channels_last", "channels_first")
Mark = Literal["channels_last", "channels_first", "table", "signal", "signal_channels_first", "signal_undecided"]
"""The layout of images; or other inputs, signals with the axis of time first, last, or with nothing that tells it."""
MARKS: tuple[Mark, ...] = (*LAYOUTS, "table", "signal", "signal_channels_first", "signal_undecided")


@dataclass(frozen=True)
class Choices:
    """Choices that stand in a network's file; ``None`` and nothing for what was not chosen."""

    mark: Mark | None = None
    """Layout and kind of the input."""
    inputs: tuple[str, ...] | None = None
    """All inputs, the one that searches change first; of networks with several."""
    outputs: tuple[str, ...] = ()
    """Outputs that are compared, where these are not all of them."""
    alone: bool = False
    """The network runs on one input at a time, as its result for one depends on the others of a run."""
    sizes: tuple[int, ...] = ()
    """Sides of the changed input, 0 where the file fixes them; none where it leaves no side open."""

    @staticmethod
    def of(notes: Mapping[str, str]) -> "Choices":
        """From the notes in a file (``at_end``, ``of_onnx``, ``of_archive``)."""
        return Choices(
            next((mark for mark in MARKS if mark == notes.get(LAYOUT)), None),
            _names(notes.get(INPUTS, "")),
            _names(notes.get(OUTPUTS, "")) or (),
            notes.get(ALONE) == YES,
            tuple(map(int, notes[SIZES].split(","))) if re.fullmatch(r"\d+(,\d+)*", notes.get(SIZES, "")) else (),
        )

    def changed(self, names: Sequence[str]) -> int:
        """Place of the input that searches change among all inputs; 0 if it is not there, or none was chosen."""
        return names.index(self.inputs[0]) if self.inputs and self.inputs[0] in names else 0

    def compared(self, path: Path, names: Sequence[str]) -> list[int]:
        """Places of the outputs that are compared among all outputs.

        Raises:
            QuantriftError: the file, ``path``, has no output of a name that was chosen.
        """
        refuse(
            *(
                (name not in names, f"{path}: has outputs {', '.join(names)}, not {name}; make the assessment again")
                for name in self.outputs
            )
        )
        return [names.index(name) for name in self.outputs] or list(range(len(names)))


def plain(name: str) -> str:
    """A name of an input or output without what converters add to it.

    >>> plain("serving_default_angle:0")
    'angle'
    """
    return ADDED.sub("", name)


def _names(text: str) -> tuple[str, ...] | None:
    try:
        found = json.loads(text)
    # Other bytes that happen to hold the key are no names.
    except ValueError:
        return None
    return tuple(map(str, found)) if isinstance(found, list) and found else None
