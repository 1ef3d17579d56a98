"""Optional libraries, imported when a tool uses them: search libraries by name, and OpenCV."""

from importlib import import_module
from typing import Any

from quantrift.core.base import plugins


def library(name: str) -> Any:
    """The module ``name``.

    Raises:
        QuantriftError: if it is not installed.
    """
    package = name.partition(".")[0]
    plugins.library(
        package, f"this search needs {package}, which is not installed; run `pip install quantrift[libraries]`"
    )
    return import_module(name)


def opencv() -> Any:
    """OpenCV on one thread, as parallel searches are processes; loaded where it is first used, as that takes a while.

    Raises:
        QuantriftError: it is not installed; the line names the extra that installs it.
    """
    # Said here and not by ``base.extras``, whose lines no search depends on.
    cv2 = plugins.library("cv2", "this change of images needs OpenCV; pip install 'quantrift[triggerfinder]'")

    if cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)
    return cv2
