"""Symmetric linear quantization of weights and activations, computed in float, as in Distiller."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Representative
from quantrift.study.compression.representative import representative


class Settings(Representative):
    """Symmetric linear quantization of weights and activations, simulated in float (Distiller)."""

    method: Literal["linear"] = "linear"
    bits: Annotated[int, Field(ge=2, le=16)] = 8


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.study.compression.linear_quantization``.

    Raises:
        QuantriftError: if the training split holds fewer than ``settings.representative`` inputs, or if a layer has
            weights of another kind.
    """
    from quantrift.study.compression import linear_quantization

    return linear_quantization.compress(original, inputs, representative(inputs, settings), settings.bits)
