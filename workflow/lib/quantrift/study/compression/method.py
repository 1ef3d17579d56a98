"""Methods of compression, found by folder: a module in ``compression/methods`` is a method.

Configurations are read with the settings of all methods, in a fraction of the seconds that Keras takes to load. So the
module of a method loads Keras and TensorFlow, and what needs them, in its functions; where these would fill pages, as
in pruning, they are a module of their own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from quantrift.core.base import plugins
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression
from quantrift.study.compression.trainable import Trainable

FOLDER = "quantrift.study.compression.methods"


class Method(Protocol):
    """Interface of the module of a method."""

    Settings: type[Compression]
    """Settings of a compression by the method; its ``method`` is the name of the module."""

    def compress(self, original: Original, inputs: Inputs, settings: Any) -> Compressed:
        """The compressed network; of ``inputs`` only the training split is used.

        Args:
            original: the network.
            inputs: what it was trained on.
            settings: of this method.
        """
        ...

    def trainable(self, original: Original, inputs: Inputs, settings: Any) -> Trainable:
        """The compressed network in the form that ``compress`` trains, before it does; of methods that train alone.

        Their models come with the file ``TRAINABLE``.

        Args:
            original: the network.
            inputs: what it was trained on.
            settings: of this method.
        """
        ...


def load(method: str) -> Method:
    """The method called ``method``; the configuration has checked that there is one."""
    return cast(Method, plugins.load(FOLDER, method))


def all_settings() -> Iterator[type[Compression]]:
    """The settings of all methods."""
    yield from (load(method).Settings for method in plugins.names(FOLDER))


def settings(stated: Mapping[str, Any]) -> Compression:
    """Settings of a compression by any method, as the parameters of jobs state them."""
    return load(stated["method"]).Settings.model_validate(stated)
