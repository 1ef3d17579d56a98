"""Settings of the comparison of checkers: small networks with planted faults."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from quantrift.core.settings.fields import Strict

PlantedNetwork = Literal["perceptron", "lenet5", "separable", "deep_perceptron", "convolutions", "residual"]
"""Networks of ``quantrift.study.league.planted.six_networks``, one of each family in turn."""


class CheckerSettings(Strict):
    """Networks, kinds of files and faults on which checkers are compared (``python -m tools.bench checkers``)."""

    tflite: list[PlantedNetwork] = Field(default_factory=lambda: list(get_args(PlantedNetwork)))
    """Networks whose pairs are made in ``.tflite`` files. Thresholds come from other networks, so one is too few."""
    onnx: list[PlantedNetwork] = Field(default_factory=list)
    """Networks whose pairs are made in ``.onnx`` files too."""
    draws: Annotated[int, Field(ge=1)] = 1
    """Draws of layer, channels and class for each fault that has them."""
