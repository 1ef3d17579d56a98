"""Architectures, found by name: ``quantrift.core.networks.architectures.<id>`` builds the network ``<id>``."""

from typing import TYPE_CHECKING, Protocol, cast

from quantrift.core.base import plugins

if TYPE_CHECKING:
    import keras

    from quantrift.core.settings.networks import Network as NetworkSettings


FOLDER = "quantrift.core.networks.architectures"


class Network(Protocol):
    """Interface of the module of a network. One whose layers all exist in 8 bits leaves out ``twin``."""

    def build(self, settings: "NetworkSettings", shape: tuple[int, int, int], classes: int) -> "keras.Model":
        """The untrained network, from inputs (n, *shape) to logits (n, classes), both float32."""
        ...

    def twin(self, model: "keras.Model") -> "keras.Model":
        """The same function as a trained ``model``, made of layers that exist in 8 bits."""
        ...


def load(model_id: str) -> Network:
    """The network called ``model_id``; the configuration has checked that there is one."""
    return cast(Network, plugins.load(FOLDER, model_id))


def twin(model_id: str, model: "keras.Model") -> "keras.Model":
    """The same function as a trained network called ``model_id``, made of layers that exist in 8 bits.

    ``model`` itself where all of its layers do.
    """
    network = load(model_id)
    return network.twin(model) if hasattr(network, "twin") else model


def scaled(number: int, width: float) -> int:
    """A published number of filters or units under the ``width`` setting: at least 1."""
    return max(1, round(number * width))
