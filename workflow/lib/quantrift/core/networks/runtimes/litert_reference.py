"""Inference with LiteRT's reference kernels, on one thread: plain loops, which its tests hold other kernels against."""

from functools import partial

from quantrift.core.networks.runtimes import litert

SUFFIXES: tuple[str, ...] = ()
"""It runs LiteRT's files, when asked to."""
PACKAGES = litert.PACKAGES
ORIGINAL, COMPRESSED = litert.ORIGINAL, None
WAYS = dict.fromkeys(litert.SUFFIXES, "reference")
HOW = "LiteRT's reference kernels"


class Reference(litert.LiteRT):
    """A network in a .tflite file, run by the reference kernels."""

    RESOLVER = "BUILTIN_REF"


load, load_values = Reference, partial(Reference, values=True)
