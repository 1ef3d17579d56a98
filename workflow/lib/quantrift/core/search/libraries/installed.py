"""Optional libraries, imported when a tool uses them: search libraries by name, and OpenCV."""

import importlib
from types import ModuleType
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


def opencv() -> ModuleType:
    """OpenCV on one thread, as parallel searches are processes; loaded where it is first used, as that takes a while.

    Raises:
        QuantriftError: it is not installed; the line names the extra that installs it.
    """
    try:
        import cv2
    except ModuleNotFoundError as error:
        if error.name != "cv2":
            raise
        # Said here and not by ``base.extras``, whose lines no search depends on.
        raise QuantriftError("this change of images needs OpenCV; pip install 'quantrift[triggerfinder]'") from None

    if cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)
    return cv2
