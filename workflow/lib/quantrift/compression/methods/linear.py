"""Symmetric linear quantization of weights and activations, computed in float, as in Distiller."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.compression.original import Compressed, Original
from quantrift.compression.representative import representative
from quantrift.config.compressions import Representative
from quantrift.data.inputs import Inputs


class Settings(Representative):
    """Symmetric linear quantization of weights and activations, simulated in float (Distiller)."""

    method: Literal["linear"] = "linear"
    bits: Annotated[int, Field(ge=2, le=16)] = 8


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.compression.linear_quantization``.

    Raises:
        QuantriftError: if the training split holds fewer than ``settings.representative`` inputs, or if a layer has
            weights of another kind.
    """
    from quantrift.compression import linear_quantization

    return linear_quantization.compress(original, inputs, representative(inputs, settings), settings.bits)
