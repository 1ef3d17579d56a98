"""The published setting: post-training quantization of the 3-D graph, whose 3-D convolutions stay in float.

TFLite has no 8-bit kernel for 3-D convolutions, and its converter leaves them in float without an error. DiverGet's
"8-bit" networks were most likely made so.
"""

from typing import Literal

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Representative


class Settings(Representative):
    """The published setting: 8-bit quantization of the 3-D graph, whose 3-D convolutions stay in float."""

    method: Literal["ptq_int8_conv3d_float"] = "ptq_int8_conv3d_float"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network as published, in 8 bits but for its 3-D convolutions.

    Raises:
        QuantriftError: if the network has no 3-D convolution, so that the result would be ``ptq_int8`` by another name.
    """
    from quantrift.core.networks.macs import conv3d_share
    from quantrift.study.compression.full_integer import full_integer

    if not conv3d_share(original.network):
        raise QuantriftError(
            f"{settings.method}: {original.network.name} has no 3-D convolutions that could stay in float; use ptq_int8"
        )
    return Compressed(full_integer(original.network, inputs, settings))
