"""Quantrift finds inputs on which a compressed network disagrees with its original.

What Python programs call is here: ``quantrift.load_pair``, ``search``, ``assess``, ``mend``, ``certify`` and the rest
of ``quantrift.api``, which is loaded where a name is first used. Modules of the package import nothing from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quantrift.api import *


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'quantrift' has no attribute '{name}'")
    return getattr(import_module("quantrift.api"), name)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "LIMITS",
    "Function",
    "InputForm",
    "Limits",
    "Pair",
    "Replay",
    "Searched",
    "assess",
    "certify",
    "load_pair",
    "mend",
    "read",
    "replay",
    "report",
    "search",
    "task_of",
]
