"""Check of foreign HDF5 files: no links to other files, and a limit on unpacked content."""

import h5py

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.limits import check_unpacked


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
    seen = set()
    total = 0
    while waiting:
        group = waiting.pop()
        for key in group:
            if not isinstance(group.get(key, getlink=True), h5py.HardLink):
                raise QuantriftError(f"{name}: '{key}' in it is a link to another place; save the network again")
            item = group[key]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset):
                if item.external or item.is_virtual:
                    raise QuantriftError(f"{name}: '{key}' in it is stored in another file; save the network again")
                total += item.size * item.dtype.itemsize if item.size else 0
                check_unpacked(name, total)
