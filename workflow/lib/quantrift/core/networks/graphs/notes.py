"""Notes in a network's file: what a user said of it, or a trial showed, that the file does not state itself.

They are texts under keys. A search loads a network by its path alone, so these choices have to be in the file. All
formats allow this without a change to any byte of the network: a .tflite or .pte file may be followed by other bytes,
an .xml file by comments, bytes after an .onnx file are merged into the model, and a .pt2 file is an archive that may
hold more files.
"""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from quantrift.core.networks.libraries import library

LAYOUT, INPUTS, OUTPUTS, ALONE = KEYS = tuple(f"quantrift.{one}" for one in ("layout", "inputs", "outputs", "alone"))
LONGEST = 2**16
"""Bytes at the end of a file among which a note may begin."""
COMMENT = b"<!--", b"-->"
FOLDER = "extra"
"""Folder of notes in a .pt2 file, below the folder in which all of its members lie."""


def with_note(content: bytes, suffix: str, key: str, text: str) -> bytes:
    """The content of a network's file, ending in ``suffix``, with a note added.

    Args:
        content: of the file, which may hold notes under other keys.
        suffix: of its name.
        key: one of ``KEYS``.
        text: printable ASCII; of an .xml file without two hyphens in a row.
    """
    if suffix == ".pt2":
        return _archived(content, key, text)
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


def _archived(content: bytes, key: str, text: str) -> bytes:
    held = BytesIO(content)
    with zipfile.ZipFile(held, "a") as archive:
        folder = archive.namelist()[0].partition("/")[0]
        # A time of now would give other bytes each time.
        archive.writestr(zipfile.ZipInfo(f"{folder}/{FOLDER}/{key}"), text)
    return held.getvalue()
