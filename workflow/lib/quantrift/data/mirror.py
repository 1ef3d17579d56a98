"""Official data files below a local folder, each checked against its digest before anyone parses it."""

import hashlib
from pathlib import Path

from quantrift.config.datasets import SourceFile
from quantrift.config.errors import QuantriftError


def official(mirror: Path | None, file: SourceFile) -> Path:
    """The path of an official file whose sha256 is as configured.

    Raises:
        QuantriftError: when there is no mirror, the file is not in it, or its digest is another one.
    """
    if mirror is None:
        raise QuantriftError(
            f"{file.path}: no folder to read it from; set data.mirror or QUANTRIFT_MIRROR to the folder that holds it"
        )
    path = mirror / file.path
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; put the official file there, or set another data.mirror")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != file.sha256:
        raise QuantriftError(
            f"{path}: sha256 is {digest}, expected {file.sha256}; replace it by the official file, "
            "or correct the digest in the dataset's settings"
        )
    return path
