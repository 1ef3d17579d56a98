"""OpenCV, loaded where it is first used: it takes a while, and most tools need nothing of it."""

from types import ModuleType

from quantrift.core.base import extras


def opencv() -> ModuleType:
    """OpenCV on one thread, as parallel searches are processes.

    Raises:
        QuantriftError: it is not installed; the line names the extra that installs it.
    """
    extras.check("this change of images", "cv2")
    import cv2

    if cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)
    return cv2
