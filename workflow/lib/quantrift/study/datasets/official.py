"""Official data files, from a local folder or downloaded, each checked against its digest before anyone parses it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import sha256
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.addresses import Addresses, mirror

MEND = "put the official file into a folder laid out like its path and set data.mirror or QUANTRIFT_MIRROR to it"


@dataclass(frozen=True)
class Places:
    """Where official files may come from, in this order."""

    mirror: Path | None = None
    """Local folder of files that somebody else keeps."""
    downloads: Path | None = None
    """Folder that downloads are kept in; without it the network is never touched."""
    known: Mapping[str, SourceFile] = field(default_factory=dict)
    """sha256 of a file -> its addresses and size, for files that come without."""

    @staticmethod
    def of(addresses: Addresses) -> "Places":
        """The places that the settings allow; the mirror may also stand in the environment.

        A job's own settings say which files it reads, but not where they come from.
        """
        return Places(
            mirror=None if addresses.data.source == "official" else mirror(addresses.data.mirror),
            downloads=None if addresses.data.source == "mirror" else Path(addresses.data.downloads),
            known=addresses.files,
        )


def official(places: Places, file: SourceFile) -> Path:
    """The path of a file whose sha256 is as configured; downloaded where it has to be.

    A path to a file that is there, like one of your own, is taken as it stands; others lie below the mirror or the
    downloads. A file of the mirror is never replaced, a damaged download is fetched again.

    Raises:
        QuantriftError: when the file is nowhere to be had, or the mirror holds another one.
    """
    for path in (Path(file.path), *([places.mirror / file.path] if places.mirror else [])):
        if path.is_file():
            return checked(path, file)
    if known := places.known.get(file.sha256):
        file = file.model_copy(update={"urls": known.urls, "bytes": known.bytes})
    missing = f"{places.mirror / file.path}: no such file" if places.mirror else f"{file.path}: not in any mirror"
    if places.downloads is None:
        raise QuantriftError(f"{missing}, and data.source forbids downloads; {MEND}")
    path = places.downloads / file.path
    if path.is_file() and sha256(path) == file.sha256:
        return path
    refuse((not file.urls, f"{missing}, and it has no address to be fetched from; {MEND}"))
    # Few files are, and it takes a while to load.
    from quantrift.study.datasets.download import download

    if refused := download(file, path):
        raise QuantriftError(
            f"{missing}, and none of its addresses serves it ({'; '.join(refused)}); check the network, or {MEND}"
        )
    return path


def checked(path: Path, file: SourceFile) -> Path:
    """A path whose content is as configured.

    Raises:
        QuantriftError: it is another file.
    """
    if (digest := sha256(path)) != file.sha256:
        raise QuantriftError(
            f"{path}: sha256 is {digest}, expected {file.sha256}; replace it by the official file, "
            "or correct the digest in its settings"
        )
    return path
