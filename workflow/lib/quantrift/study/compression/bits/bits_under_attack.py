"""Accuracy of the networks of a bit study under attack.

The gradient of the loss in the input goes straight through the rounding: it is that of the network with its rounded
weights.
"""

from collections.abc import Collection
from functools import partial
from pathlib import Path

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
from quantrift.core.networks.training.accuracy_under_attack import Attacked, measure, write
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.settings.attacks import Robustness
from quantrift.study.compression.bits.bit_networks import restored


def attack(
    networks: Path, chosen: Collection[str], inputs: Inputs, settings: Robustness, strengths: list[float], out: Path
) -> None:
    """Attack networks and write the outcomes (``training.accuracy_under_attack``), with progress on standard
    error.

    Args:
        networks: file of ``quantrift.study.compression.bits.bit_networks``.
        chosen: the settings whose networks are attacked.
        inputs: of the networks.
        settings: of the attacks.
        strengths: in parts of the data's range, 0 first.
        out: .parquet to write.

    Raises:
        QuantriftError: if TensorFlow already runs with another number of threads.
    """
    reproducible(settings, "threads")
    attacked: Attacked | None = None
    outcomes = []
    for setting, repetition, network in bar(restored(networks), unit=" networks", desc="attack"):
        if setting in chosen:
            # One model takes the weights of all networks in turn, so that it is compiled once.
            attacked = attacked or Attacked(partial(network, training=False), inputs.shape, inputs.data_range)
            outcomes += [(setting, repetition, one) for one in measure(attacked, inputs, settings, strengths)]
    write(outcomes, out)
