"""Methods of compression, found by name: the module ``quantrift.compression.<id>`` is the method ``<id>``."""

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    import keras

    from quantrift.config.networks import PtqInt8
    from quantrift.data.inputs import Inputs


class Method(Protocol):
    """What the module of a method offers."""

    def compress(self, model: "keras.Model", inputs: "Inputs", settings: "PtqInt8") -> bytes:
        """Content of the .tflite file of the compressed ``model``; of ``inputs`` only the training split is used."""
        ...


def load(method_id: str) -> Method:
    """The method called ``method_id``; the configuration has checked that there is one."""
    return cast(Method, import_module(f"quantrift.compression.{method_id}"))
