"""Versions of the software that a network's numbers depend on."""

import platform
from importlib import metadata


def versions() -> dict[str, str]:
    """Version of Python and of each library between a network and its numbers, none of which is imported."""
    packages = ("ai-edge-litert", "keras", "numpy", "tensorflow")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}}
