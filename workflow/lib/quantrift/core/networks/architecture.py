"""Architectures, found by name: ``quantrift.core.networks.architectures.<id>`` builds the network ``<id>``."""

from typing import TYPE_CHECKING, Protocol, cast

from quantrift.core.base import plugins

if TYPE_CHECKING:
    import keras

    from quantrift.core.settings.networks import Network as NetworkSettings


FOLDER = "quantrift.core.networks.architectures"


class Network(Protocol):
    """Interface of the module of a network."""

    def build(self, settings: "NetworkSettings", shape: tuple[int, int, int], classes: int) -> "keras.Model":
        """The untrained network, from inputs (n, *shape) to logits (n, classes), both float32."""
        ...

    def twin(self, model: "keras.Model") -> "keras.Model":
        """The same function as a trained ``model``, made of layers that exist in 8 bits; may be ``model`` itself."""
        ...


def load(model_id: str) -> Network:
    """The network called ``model_id``; the configuration has checked that there is one."""
    return cast(Network, plugins.load(FOLDER, model_id))


def unchanged(model: "keras.Model") -> "keras.Model":
    """The twin of a network all of whose layers exist in 8 bits: ``model`` itself."""
    return model


def scaled(number: int, width: float) -> int:
    """A published number of filters or units under the ``width`` setting: at least 1."""
    return max(1, round(number * width))
