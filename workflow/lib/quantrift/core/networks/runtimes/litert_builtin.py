"""Inference with LiteRT's own optimized kernels, without XNNPACK, on one thread."""

from functools import partial
from pathlib import Path

from quantrift.core.networks.runtimes import litert

SUFFIXES: tuple[str, ...] = ()
"""It runs LiteRT's files, when asked to."""
PACKAGES = litert.PACKAGES
ORIGINAL, COMPRESSED = litert.ORIGINAL, None
WAYS = dict.fromkeys(litert.SUFFIXES, "builtin")
HOW = "LiteRT's optimized built-in kernels"


TOGETHER = 1
"""Inputs that are run at once: the last bits of one may depend on others beside it."""


class Builtin(litert.LiteRT):
    """A network in a .tflite file, run without the default delegate."""

    RESOLVER = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """See ``LiteRT``; whatever the ``batch``, ``TOGETHER`` inputs are run at once."""
        super().__init__(path, min(batch, TOGETHER), values)


load, load_values = Builtin, partial(Builtin, values=True)
