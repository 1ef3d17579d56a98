"""Accuracy of a network under attack along its own gradients, by FGSM and PGD.

FGSM (Goodfellow et al. 2015) and PGD (Madry et al. 2018, in the maximum norm) give the samples that foolbox's give.
This form is for speed on many networks: one gradient serves FGSM at every strength, and the code is compiled once.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import tensorflow as tf

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.table_parquet import write_rows
from quantrift.core.networks.evaluate import labels
from quantrift.core.networks.training.adversarial_samples import drawn
from quantrift.core.settings.attacks import Robustness

BATCH = 500
"""Inputs attacked at once."""
Network = Callable[[Any], Any]
"""From inputs (n, H, W, C) to logits (n, K), both tensors of float32; differentiable."""
Judge = Callable[[np.ndarray], np.ndarray]
"""From inputs (n, H, W, C) to logits (n, K), both float32."""
Loss = Literal["cross_entropy", "margin"]
COLUMNS = pa.schema(
    {
        "setting": pa.string(),
        "repetition": pa.int16(),
        "attack": pa.string(),
        "strength": pa.float64(),
        "correct": pa.int32(),
        "inputs": pa.int32(),
        "unmoved": pa.int32(),
    }
)
"""Columns of a file of outcomes: a row for each network, attack and strength.

``attack`` is ``fgsm``, ``fgsm_margin`` (FGSM along the gradient of the margin loss) or ``pgd``. ``strength`` is the
largest change of each value, in parts of the data's range. Of all ``inputs`` attacked, ``correct`` are labelled
correctly, and ``unmoved`` stay as they are: where the softmax saturates, its gradient is 0 everywhere.
"""
Outcome = Mapping[str, Any]
"""Row of an attack: the values of ``COLUMNS`` but those of the network."""


class Attacked:
    """A network under attack; its weights may be changed between two attacks."""

    def __init__(self, network: Network, shape: tuple[int, int, int], data_range: tuple[float, float]) -> None:
        """Of a network for inputs of this shape, with values within ``data_range``."""
        self._range = data_range
        rows = tf.TensorSpec((None, *shape), tf.float32)
        number = tf.TensorSpec((), tf.float32)
        self._gradients = {
            loss: tf.function(
                partial(_gradient, network, loss), [rows, tf.TensorSpec((None,), tf.int64)], autograph=False
            )
            for loss in get_args(Loss)
        }
        self._moved = tf.function(self._move, [rows, rows, rows, number, number], autograph=False)
        self._logits = tf.function(network, [rows], autograph=False)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K), of inputs, float32 (n, H, W, C)."""
        return np.asarray(self._logits(x))

    def fast_gradient(
        self, x: np.ndarray, truth: np.ndarray, strengths: list[float], loss: Loss = "cross_entropy"
    ) -> Iterator[np.ndarray]:
        """Samples of each strength, float32 (n, H, W, C) within the data's range, by one step.

        Args:
            x: inputs, float32 (n, H, W, C).
            truth: their labels, int64 (n,).
            strengths: how far values move, in the unit of the data.
            loss: that the step increases. ``cross_entropy`` loses digits, and in the end its gradient, where the
                softmax saturates; ``margin``, the largest other logit minus the true one, loses neither.
        """
        gradient = self._gradients[loss](x, truth)
        for strength in strengths:
            yield self._moved(x, x, gradient, strength, strength).numpy()

    def projected(self, x: np.ndarray, truth: np.ndarray, strength: float, steps: int, step: float) -> np.ndarray:
        """Samples, float32 (n, H, W, C) within the data's range, by some steps within ``strength`` of the inputs.

        Args:
            x: inputs, float32 (n, H, W, C).
            truth: their labels, int64 (n,).
            strength: how far values may move, in the unit of the data.
            steps: their number.
            step: their length, in parts of the strength.
        """
        samples = tf.constant(x)
        for _ in range(steps if strength else 0):
            gradient = self._gradients["cross_entropy"](samples, truth)
            samples = self._moved(samples, x, gradient, step * strength, strength)
        return np.asarray(samples)

    def _move(self, x: Any, origin: Any, gradient: Any, step: Any, strength: Any) -> Any:
        moved = x + step * tf.sign(gradient) - origin
        return tf.clip_by_value(origin + tf.clip_by_value(moved, -strength, strength), *self._range)


def measure(
    attacked: Attacked, inputs: Inputs, settings: Robustness, strengths: list[float], judge: Judge | None = None
) -> Iterator[Outcome]:
    """Outcomes of all attacks, attack by attack, each at every strength.

    Args:
        attacked: the network whose gradients are followed.
        inputs: of which test inputs are drawn (``training.adversarial_samples``); PGD takes the first of them.
        settings: of the attacks.
        strengths: in parts of the data's range.
        judge: the network that labels the samples; by default the attacked one.
    """
    numbers = drawn(inputs, settings)
    pgd = settings.pgd
    low, high = inputs.data_range
    units = [strength * (high - low) for strength in strengths]

    def by_pgd(x: np.ndarray, truth: np.ndarray) -> Iterator[np.ndarray]:
        return (attacked.projected(x, truth, strength, pgd.steps, pgd.step) for strength in units)

    attacks: dict[str, tuple[Callable[[np.ndarray, np.ndarray], Iterator[np.ndarray]], np.ndarray]] = {
        "fgsm": (partial(attacked.fast_gradient, strengths=units), numbers),
        "fgsm_margin": (partial(attacked.fast_gradient, strengths=units, loss="margin"), numbers),
        "pgd": (by_pgd, numbers[: pgd.inputs]),
    }
    for name, (samples_of, chosen) in attacks.items():
        correct, unmoved = np.zeros((2, len(strengths)), np.int64)
        for start in range(0, len(chosen), BATCH):
            now = chosen[start : start + BATCH]
            x, truth = inputs.take(now), inputs.labels[now]
            for place, samples in enumerate(samples_of(x, truth)):
                correct[place] += np.count_nonzero(labels((judge or attacked)(samples)) == truth)
                unmoved[place] += np.count_nonzero((samples == x).reshape(len(x), -1).all(axis=1))
        for strength, right, still in zip(strengths, correct.tolist(), unmoved.tolist(), strict=True):
            yield {
                "attack": name,
                "strength": strength,
                "correct": right,
                "inputs": len(chosen),
                "unmoved": still,
            }


def write(outcomes: list[tuple[str, int, Outcome]], out: Path) -> None:
    """Write ``out`` (.parquet) with ``COLUMNS``: outcomes, each after its network's setting and repetition."""
    write_rows(out, COLUMNS, [{"setting": setting, "repetition": number, **one} for setting, number, one in outcomes])


def _gradient(network: Network, loss: Loss, x: Any, truth: Any) -> Any:
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        logits = network(x)
        if loss == "margin":
            true = tf.one_hot(truth, logits.shape[-1], on_value=True, off_value=False)
            others = tf.reduce_max(tf.where(true, -np.inf, logits), axis=1)
            each = others - tf.reduce_sum(tf.where(true, logits, 0), axis=1)
        else:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(truth, logits)
        total = tf.reduce_sum(each)
    return tape.gradient(total, x)
