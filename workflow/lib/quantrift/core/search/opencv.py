"""OpenCV, loaded where it is first used: it takes a while, and most tools need nothing of it."""

from types import ModuleType

from quantrift.core.base.errors import QuantriftError


def opencv() -> ModuleType:
    """OpenCV on one thread, as parallel searches are processes.

    Raises:
        QuantriftError: it is not installed; the line names the extra that installs it.
    """
    try:
        import cv2
    except ModuleNotFoundError as error:
        if error.name != "cv2":
            raise
        # Said here and not by ``base.extras``, whose lines no search depends on.
        line = "this change of images needs OpenCV; pip install 'quantrift[triggerfinder]'"
        raise QuantriftError(line) from None

    if cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)
    return cv2
