"""Pruning: the smallest weights (Han et al. 2015) or filters (Li et al. 2017) become zero; the rest is fine-tuned."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Trained
from quantrift.core.settings.training import Training
from quantrift.study.compression.trainable import Trainable


class Settings(Trained):
    """Smallest weights or filters set to zero, the rest fine-tuned."""

    method: Literal["prune"] = "prune"
    by: Literal["weights", "filters"] = "weights"
    """Single weights by magnitude (Han et al. 2015), or whole filters by their L1 norm (Li et al. 2017)."""
    sparsity: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """Share set to zero: of the weights of each convolution and dense layer, or of the filters of each convolution; the
    network's last layer stays as it is."""
    training: Training = Training(epochs=5, batch=128, learning_rate=0.0001)


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.study.compression.pruning``."""
    from quantrift.study.compression.trained import trained

    return trained(trainable, original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.pruning``."""
    from quantrift.study.compression import pruning

    return pruning.trainable(original, settings.by, settings.sparsity, settings.training.seed)
