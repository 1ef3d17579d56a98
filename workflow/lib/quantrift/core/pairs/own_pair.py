"""Pairs of networks that were made here; nothing that reads given files stands behind this module."""

from importlib import import_module

from quantrift.core.base.files import sha256
from quantrift.core.networks.own import litert
from quantrift.core.pairs.pair import BATCH, Pair, PairFiles, check_fit

NEURONS = "quantrift.core.networks.layer_values.neurons"
RUNTIMES = "quantrift.core.networks.own"
"""Folder of the runtimes of originals, which are loaded by name."""


def load(files: PairFiles, batch: int = BATCH) -> Pair:
    """The pair of two files, the compressed one on LiteRT; TensorFlow keeps to ``BATCH`` inputs at once, as its results
    change in the last bits with their number.

    Raises:
        QuantriftError: if a file cannot be read, or the two models do not fit each other.
    """
    runtime = import_module(f"{RUNTIMES}.{files.original_runtime}")
    second = litert.load(files.compressed, batch)
    pair = Pair(runtime.load(files.original, batch if runtime is litert else BATCH), second)
    check_fit(pair.original, pair.compressed, files.original, files.compressed)
    return pair


def packages(files: PairFiles) -> list[str]:
    """See ``Opening``."""
    return [*litert.PACKAGES, *import_module(f"{RUNTIMES}.{files.original_runtime}").PACKAGES]


digest = sha256
