"""The binary version of CIFAR-10 (Krizhevsky 2009), read from its archive without unpacking it.

Each file of the archive is a row of records: a byte that is the label, then the red, the green and the blue values of
an image of 32x32 pixels, row by row. How many records a file holds follows from its size.
"""

import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.settings.datasets import OfficialImages, SourceFile
from quantrift.study.datasets.image_parts import Part, joined
from quantrift.study.datasets.official import Places, official

TRAIN = [f"data_batch_{number}.bin" for number in range(1, 6)]
"""Files of the training images, in their order."""
TEST = "test_batch.bin"
"""File of the test images."""
CHANNELS, SIDE = 3, 32
RECORD = 1 + CHANNELS * SIDE * SIDE
"""Bytes of a label and its image."""


class Settings(OfficialImages):
    """The binary version of CIFAR-10, one .tar.gz file that is read as it is, with its official split."""

    channels: ClassVar[int | None] = 3
    archive: SourceFile


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, 32, 32, 3) uint8, ``labels`` (N,), ``train`` and ``test``: the official split.

    Raises:
        QuantriftError: for a missing, damaged or foreign archive, and labels without a class name.
    """
    path = official(places, settings.archive)
    records = {name: _records(content, f"{path}: {name}") for name, content in _files(path).items()}
    for name in (*TRAIN, TEST):
        refuse((name not in records, f"{path}: holds no {name}; name the binary version, cifar-10-binary.tar.gz"))
    train = _part(np.concatenate([records[name] for name in TRAIN]), f"{path}: data_batch_*.bin")
    return joined(train, _part(records[TEST], f"{path}: {TEST}"), len(settings.class_names))


def _files(path: Path) -> dict[str, bytes]:
    """Contents of the files with images, by their names without folders."""
    found: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                if name not in (*TRAIN, TEST):
                    continue
                if name in found or not member.isreg() or member.issparse():
                    raise tarfile.TarError(f"{name} stands in it twice or is no plain file")
                total += member.size
                check_unpacked(path, total)
                stream = archive.extractfile(member)
                found[name] = stream.read() if stream else b""
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise QuantriftError(
            f"{path}: not a complete .tar.gz archive ({on_one_line(error, None)[:200]}); fetch it again"
        ) from None
    return found


def _records(content: bytes, source: str) -> NDArray[np.uint8]:
    """(N, RECORD): a file's labels and images."""
    refuse(
        (
            not content or len(content) % RECORD,
            f"{source}: {len(content)} bytes, not a whole number of records of {RECORD}; fetch the archive again",
        )
    )
    return np.frombuffer(content, np.uint8).reshape(-1, RECORD)


def _part(records: NDArray[np.uint8], source: str) -> Part:
    planes = records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE)
    return Part(planes.transpose(0, 2, 3, 1), records[:, 0], source, source)
