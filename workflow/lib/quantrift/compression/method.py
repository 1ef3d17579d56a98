"""Methods of compression, found by name: the module ``quantrift.compression.<method>`` is the method of that name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from quantrift.compression.original import Compressed, Original

if TYPE_CHECKING:
    from quantrift.compression.trainable import Trainable
    from quantrift.data.inputs import Inputs


class Method(Protocol):
    """What the module of a method offers."""

    def compress(self, original: Original, inputs: "Inputs", settings: Any) -> Compressed:
        """The compressed network; of ``inputs`` only the training split is used.

        Args:
            original: the network.
            inputs: what it was trained on.
            settings: of this method (``quantrift.config.compressions``).
        """
        ...


class TrainedMethod(Method, Protocol):
    """What the module of a method that trains offers besides; its models come with the file ``TRAINABLE``."""

    def trainable(self, original: Original, inputs: "Inputs", settings: Any) -> "Trainable":
        """The compressed network in the form that ``compress`` trains, before it does.

        Args:
            original: the network.
            inputs: what it was trained on.
            settings: of this method.
        """
        ...


def load(method: str) -> Method:
    """The method called ``method``; the configuration has checked that there is one."""
    return cast(Method, import_module(f"quantrift.compression.methods.{method}"))


def load_trained(method: str) -> TrainedMethod:
    """The same of a method that trains; the configuration has checked that it does (``config.repairs``)."""
    return cast(TrainedMethod, load(method))
