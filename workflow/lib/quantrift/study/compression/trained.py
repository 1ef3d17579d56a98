"""Networks that a method of compression trains."""

from collections.abc import Callable
from typing import Any

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training import device
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.study.compression.trainable import Trainable, stored


def trained(
    make: Callable[[Original, Inputs, Any], Trainable], original: Original, inputs: Inputs, settings: Any
) -> Compressed:
    """The network that a method makes, after its training on the training split.

    Args:
        make: ``trainable`` of the method.
        original: the network.
        inputs: what it was trained on.
        settings: of the method, ``Trained``.

    Raises:
        QuantriftError: if the method does, or if TensorFlow already runs in this process with another number of
            threads.
    """
    reproducible(settings.training)
    made = make(original, inputs, settings)
    history = fit(made.network if made.pupil is None else made.pupil, inputs, settings.training)
    bits, facts = made.told()
    facts |= {"training_loss": [epoch["loss"] for epoch in history], **device.facts(settings.training)}
    return Compressed(made.content(), bits, facts, stored(made.network))
