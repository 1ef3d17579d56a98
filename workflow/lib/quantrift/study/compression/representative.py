"""Representative inputs: training inputs on which methods measure the ranges of activations."""

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs, Integers
from quantrift.core.settings.compressions import Representative


def representative(inputs: Inputs, settings: Representative) -> Integers:
    """Numbers of ``settings.representative`` training inputs, drawn without repetition from ``settings.seed``.

    Raises:
        QuantriftError: if the training split holds fewer.
    """
    if settings.representative > len(inputs.train):
        raise QuantriftError(
            f"{settings.method}.representative is {settings.representative}, but {inputs.dataset} has only "
            f"{len(inputs.train)} training inputs; lower it"
        )
    return np.random.default_rng(settings.seed).choice(inputs.train, settings.representative, replace=False)
