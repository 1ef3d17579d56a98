"""Images in an archive of folders, one for each class: ``train/CLASS/NAME`` and ``test/CLASS/NAME``.

The archive is read as it is, and the folders may lie within another one. Images are PNG, JPEG or BMP files of one size.
JPEG loses detail, so images in it are never the same as those they were made from.
"""

import io
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError, check_name, on_one_line, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.settings.datasets import OfficialImages, SourceFile
from quantrift.study.datasets.image_parts import Part, joined
from quantrift.study.datasets.official import Places, official

PARTS = ("train", "test")
FORMATS = {"PNG": (".png",), "JPEG": (".jpg", ".jpeg"), "BMP": (".bmp",)}
"""Formats that are read -> how names of their files end; other files are passed over."""
ENDINGS = tuple(ending for endings in FORMATS.values() for ending in endings)


class Settings(OfficialImages):
    """An archive of image files, .tar or compressed, in a folder for each class below ``train`` and ``test``."""

    archive: SourceFile
    grey: bool = False
    """Read one channel, the brightness; else three, red, green and blue."""

    def channels_in(self, folders: Sequence[Path]) -> int | None:
        """As stated; see ``Dataset``."""
        return 1 if self.grey else 3


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, rows, columns, channels) uint8, ``labels`` (N,), ``train`` and ``test``, sorted by name.

    Raises:
        QuantriftError: for a missing or damaged archive or image, a folder that is no class, a part without images, and
            images of several sizes.
    """
    path = official(places, settings.archive)
    found: dict[str, list[tuple[str, int, NDArray[np.uint8]]]] = {part: [] for part in PARTS}
    shape: tuple[int, ...] | None = None
    held = 0
    for part, name, label, content in _files(path, settings.class_names):
        image = _decoded(content, f"{path}: {name}", grey=settings.grey)
        check_unpacked(path, held := held + image.nbytes)
        shape = shape or image.shape
        refuse((image.shape != shape, f"{path}: {name} is {image.shape}, others are {shape}; scale them to one size"))
        found[part].append((name, label, image))
    for part, own in found.items():
        refuse((not own, f"{path}: no image below {part}/CLASS/; pack the folders train and test into one archive"))
    train, test = (_part(sorted(found[part], key=lambda one: one[:2]), f"{path}: {part}") for part in PARTS)
    return joined(train, test, len(settings.class_names))


def _files(path: Path, classes: Sequence[str]) -> Iterator[tuple[str, str, int, bytes]]:
    """Part, name, class and content of each image."""
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts[-3:]
                if len(parts) < 3 or parts[0] not in PARTS or not parts[2].lower().endswith(ENDINGS):
                    continue
                refuse(
                    (not member.isreg() or member.issparse(), f"{path}: {member.name} is no plain file; pack it anew")
                )
                check_name(f"{path}: {member.name} is of no class", parts[1], classes)
                total += member.size
                check_unpacked(path, total)
                stream = archive.extractfile(member)
                yield parts[0], member.name, classes.index(parts[1]), stream.read() if stream else b""
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise QuantriftError(
            f"{path}: not a complete archive ({on_one_line(error, None)[:200]}); fetch it again"
        ) from None


def _decoded(content: bytes, source: str, *, grey: bool) -> NDArray[np.uint8]:
    """(rows, columns, channels)."""
    # Only here, as other kinds read no image files.
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=list(FORMATS)) as image:
            check_unpacked(source, 3 * image.width * image.height)
            pixels = np.asarray(image.convert("L" if grey else "RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise QuantriftError(f"{source}: no readable image ({on_one_line(error, None)[:200]}); replace it") from None
    return pixels.reshape(*pixels.shape[:2], -1)


def _part(own: Sequence[tuple[str, int, NDArray[np.uint8]]], source: str) -> Part:
    return Part(
        np.stack([image for *_, image in own]), np.array([label for _, label, _ in own], np.uint8), source, source
    )
