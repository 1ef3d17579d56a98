"""Images and labels in gzip-compressed idx files, the format MNIST is published in."""

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.limits import check_unpacked, max_unpacked
from quantrift.core.settings.datasets import OfficialImages, SourceFile
from quantrift.study.datasets.image_parts import Part, joined
from quantrift.study.datasets.official import Places, official


class Settings(OfficialImages):
    """Images and labels in the four gzip-compressed idx files of MNIST, with their official split."""

    channels: ClassVar[int | None] = 1
    train_images: SourceFile
    train_labels: SourceFile
    test_images: SourceFile
    test_labels: SourceFile


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """The array of unsigned bytes in a gzip-compressed idx file.

    Raises:
        QuantriftError: when the file is not gzip, holds another type or number of dimensions, has another length than
            its header says, or is empty.
    """
    try:
        with gzip.open(path) as stream:
            raw = stream.read(max_unpacked() + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise QuantriftError(f"{path}: not a complete gzip file ({error}); fetch it again") from None
    check_unpacked(path, len(raw))
    header = 4 + 4 * dimensions
    expected = bytes([0, 0, 0x08, dimensions])
    if len(raw) < header or raw[:4] != expected:
        raise QuantriftError(
            f"{path}: begins with {raw[:4].hex() or 'nothing'}, an idx file of unsigned bytes in {dimensions} "
            f"dimension(s) with {expected.hex()}; check that images and labels are not swapped"
        )
    shape = struct.unpack(f">{dimensions}I", raw[4:header])
    refuse(
        (
            len(raw) - header != math.prod(shape),
            f"{path}: holds {len(raw) - header} bytes of data, its header announces {math.prod(shape)}; fetch it again",
        )
    )
    refuse(
        (
            not math.prod(shape),
            f"{path}: holds nothing, its header announces {'x'.join(map(str, shape))}; fetch it again",
        )
    )
    return np.frombuffer(raw, np.uint8, offset=header).reshape(shape)


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, rows, columns, 1) uint8, ``labels`` (N,), ``train`` and ``test``: the official split.

    Raises:
        QuantriftError: for missing or damaged files, and files that do not fit each other or the class names.
    """
    train = _part(settings.train_images, settings.train_labels, places)
    return joined(train, _part(settings.test_images, settings.test_labels, places), len(settings.class_names))


def _part(images: SourceFile, labels: SourceFile, places: Places) -> Part:
    pixels = read_idx(official(places, images), dimensions=3)
    return Part(pixels[..., None], read_idx(official(places, labels), dimensions=1), images.path, labels.path)
