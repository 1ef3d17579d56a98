"""Adversarial samples of a network, made by foolbox (Rauber et al. 2017, 2020) along its gradients."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.plugins import library
from quantrift.core.base.progress_bar import bar
from quantrift.core.base.streams import stream
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.settings.attacks import AnyAttack, Attack, CarliniWagner

BATCH = 500
"""Inputs attacked at once."""


def attack(network: Path, inputs: Inputs, settings: AnyAttack, out: Path) -> None:
    """Attack test inputs, with progress on standard error, and write the samples.

    ``out`` holds ``numbers``, int64 (n,), of the inputs, and ``samples``, float32 (n, H, W, C), within the data's
    range. They are not rounded to the grid of images of 8 bits. An input on which the attack fails has a sample too.
    Where the network takes channels on scales of their own, images from 0 to 1 are attacked, and scaled after that.

    Args:
        network: .keras file, from inputs to logits.
        inputs: its inputs.
        settings: of the attack.
        out: .npz to write.

    Raises:
        QuantriftError: if foolbox is not installed, or TensorFlow already runs with another number of threads.
    """
    reproducible(settings, "threads")
    foolbox = library(
        "foolbox",
        "attacks need foolbox, which is not installed; run `pip install quantrift[attacks]`, or leave the table out",
    )
    model = load(network)
    plain = inputs.plain
    low, high = plain.data_range
    # A compiled function: the attacks ask for gradients hundreds of times.
    compiled = tf.function(lambda x: model(inputs.scaled(x), training=False), reduce_retracing=True)
    run = _method(foolbox, foolbox.TensorFlowModel(compiled, (low, high), "/CPU:0"), settings, high - low)
    numbers = np.sort(drawn(inputs, settings))
    samples = np.empty((len(numbers), *inputs.shape), np.float32)
    with bar(total=len(numbers), desc=f"attack {model.name}", unit=" inputs") as progress:
        for start in range(0, len(numbers), BATCH):
            chosen = numbers[start : start + BATCH]
            samples[start : start + BATCH] = inputs.scaled(run(plain.take(chosen), inputs.labels[chosen]))
            progress.update(len(chosen))
    write_arrays(out, {"numbers": numbers, "samples": samples})


def drawn(inputs: Inputs, settings: Attack) -> np.ndarray:
    """Numbers of the test inputs that are attacked, int64 (n,), in the order in which they were drawn."""
    return stream("attack", inputs.dataset, settings.seed).permutation(inputs.test)[: settings.inputs]


def _method(
    foolbox: Any, model: Any, settings: AnyAttack, width: float
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """From inputs (n, H, W, C) and labels (n,) to samples; ``width``: of the data's range."""
    if isinstance(settings, CarliniWagner):
        epsilon, method = (
            None,
            foolbox.attacks.L2CarliniWagnerAttack(
                binary_search_steps=settings.searches,
                steps=settings.steps,
                stepsize=settings.rate,
                initial_const=settings.first,
                confidence=settings.confidence,
            ),
        )
    else:
        epsilon, method = settings.radius * width, foolbox.attacks.LinfFastGradientAttack(random_start=False)

    def run(x: np.ndarray, truth: np.ndarray) -> np.ndarray:
        _, clipped, _ = method(model, tf.constant(x), tf.constant(truth), epsilons=epsilon)
        return np.asarray(clipped.numpy())

    return run
