"""Accuracy of a compressed network under attack, along the gradients of its differentiable twin."""

from pathlib import Path

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.training.accuracy_under_attack import Attacked, measure, write
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.pairs.tflite_to_tensorflow import Translation
from quantrift.core.settings.attacks import Robustness


def attack(
    name: str, network: Path, real: Runtime, inputs: Inputs, settings: Robustness, strengths: list[float], out: Path
) -> None:
    """Attack a network and write the outcomes (``quantrift.core.networks.training.accuracy_under_attack``).

    Where the network takes channels on scales of their own, images from 0 to 1 are attacked, and scaled after that.

    The gradients are those of its twin (``quantrift.core.pairs.tflite_to_tensorflow``), which are the true ones where
    activations are floats; the samples are labelled by the real file.

    Args:
        name: of the network, in the file.
        network: .tflite file.
        real: the same, ready to run.
        inputs: of the network.
        settings: of the attacks.
        strengths: in parts of the data's range, 0 first.
        out: .parquet to write.

    Raises:
        QuantriftError: if the network has no differentiable form, or TensorFlow already runs with
            another number of threads.
    """
    reproducible(settings, "threads")
    logits, plain = Translation(network).logits, inputs.plain
    attacked = Attacked(lambda x: logits(inputs.scaled(x)), plain.shape, plain.data_range)
    outcomes = measure(attacked, plain, settings, strengths, lambda x: real(inputs.scaled(x)))
    write([(name, 0, outcome) for outcome in outcomes], out)
