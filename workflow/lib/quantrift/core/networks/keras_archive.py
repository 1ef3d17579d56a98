"""Members of .keras files, and HDF5 files that hold nothing but their own content; needs no Keras."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import h5py

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.limits import check_unpacked

CONFIG, WEIGHTS = "config.json", "model.weights.h5"
MEMBERS = {CONFIG, WEIGHTS, "metadata.json"}
"""Members of a .keras file of a network; assets belong to layers that read text."""
LONGEST = 10**8
"""Bytes of a configuration."""


def members(path: Path) -> tuple[Any, bytes]:
    """The configuration in a .keras file, and the content of its file of weights; both are looked at first.

    Raises:
        QuantriftError: there are other members, or one that is larger than the limit.
        Exception: of whatever kind, for a damaged file.
    """
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        names = [member.filename for member in members]
        refuse(
            *(
                (name not in MEMBERS, f"{path}: holds '{name}', which no network of images needs; save it again")
                for name in sorted(names)
            ),
            (len({*names}) != len(names), f"{path}: holds two members of one name; save the network again"),
        )
        check_unpacked(path, sum(member.file_size for member in members))
        if (length := archive.getinfo(CONFIG).file_size) > LONGEST:
            raise QuantriftError(
                f"{path}: has a configuration of {length / 1e9:.1f} GB, which is damaged; save it again"
            )
        weights = archive.read(WEIGHTS)
        with h5py.File(io.BytesIO(weights)) as file:
            check_plain(file, path)
        return json.loads(archive.read(CONFIG)), weights


def check_plain(file: h5py.File, name: object) -> None:
    """Refuse links to other places and files, and data that are larger than the limit.

    HDF5 follows such links to any file that the reader may read, and its compression ratio is unbounded.

    Args:
        file: open for reading.
        name: of the file, for messages.

    Raises:
        QuantriftError: for a link that is not to an object of its own, a dataset that is stored elsewhere, or more
            content than the limit allows.
    """
    waiting: list[h5py.Group] = [file]
    seen, total = set(), 0
    while waiting:
        group = waiting.pop()
        for key in group:
            refuse(
                (
                    not isinstance(group.get(key, getlink=True), h5py.HardLink),
                    f"{name}: '{key}' in it is a link to another place; save the network again",
                ),
            )
            item = group[key]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset):
                refuse(
                    (
                        item.external or item.is_virtual,
                        f"{name}: '{key}' in it is stored in another file; save the network again",
                    ),
                )
                total += item.size * item.dtype.itemsize if item.size else 0
                check_unpacked(name, total)
