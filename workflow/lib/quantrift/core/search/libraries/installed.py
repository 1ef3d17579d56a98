"""Optional search libraries, imported by name when a tool uses them."""

import importlib
from typing import Any

from quantrift.core.base.errors import QuantriftError


def library(name: str) -> Any:
    """The module ``name``.

    Raises:
        QuantriftError: if it is not installed.
    """
    package = name.partition(".")[0]
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        # Anything else that is missing is a broken installation, which its own message describes best.
        if error.name != package:
            raise
        raise QuantriftError(
            f"this search needs {package}, which is not installed; run `pip install quantrift[libraries]`"
        ) from None
    return importlib.import_module(name)
