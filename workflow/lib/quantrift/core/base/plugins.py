"""Plug-ins: each module of a folder is one, named in configurations by its file name."""

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from quantrift.core.base.errors import QuantriftError


@cache
def names(package: str) -> tuple[str, ...]:
    """Names of the plug-ins in a package, like ``study.results.tables.kinds``, sorted; imports nothing but the folder.

    Modules whose names begin with an underscore are none.
    """
    found = (module.name for module in pkgutil.iter_modules(import_module(package).__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load(package: str, name: str) -> ModuleType:
    """The module of a plug-in.

    Raises:
        KeyError: the package has none of that name.
    """
    if name not in names(package):
        raise KeyError(name)
    return import_module(f"{package}.{name}")


def library(name: str, refusal: str) -> Any:
    """A module of a package that need not be installed.

    Raises:
        QuantriftError: if it is not; ``refusal`` is the message.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        # Anything else that is missing is a broken installation, which its own message describes best.
        if error.name != name:
            raise
        raise QuantriftError(refusal) from None
