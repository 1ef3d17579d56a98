"""Versions of the software that a network's numbers depend on."""

import platform
from importlib import metadata


def versions() -> dict[str, str]:
    """Version of Python and of each library that computes a network's numbers; imports none of them."""
    packages = ("ai-edge-litert", "keras", "numpy", "tensorflow")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}}
