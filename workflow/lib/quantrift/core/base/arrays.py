"""Named arrays in one .npz file, without pickles and equal byte for byte for equal arrays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantrift.core.base import archive
from quantrift.core.base.files import replacing


def write_arrays(path: str | Path, arrays: Mapping[str, ArrayLike]) -> None:
    """Write arrays (any number, text or their lists) uncompressed, as searches read them often and at once.

    Raises ``ValueError`` for an array of objects, which only a pickle could hold.
    """
    with replacing(path) as temporary:
        np.savez(temporary, allow_pickle=False, **{name: np.asarray(value) for name, value in arrays.items()})


def read_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """All arrays of a file that ``write_arrays`` wrote.

    Raises:
        QuantriftError: if there is no such file, or it was damaged or made by somebody else to be so.
    """
    return archive.read(Path(path))
