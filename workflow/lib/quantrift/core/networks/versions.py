"""Versions of the software that a network's numbers depend on."""

import platform

from quantrift.core.base.package_versions import NONE, version


def versions() -> dict[str, str]:
    """Version of Python and of each library that computes a network's numbers, if it is installed; imports none."""
    found = {name: version(name) for name in ("ai-edge-litert", "keras", "numpy", "tensorflow")}
    return {"python": platform.python_version(), **{name: one for name, one in found.items() if one != NONE}}
