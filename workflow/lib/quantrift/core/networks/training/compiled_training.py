"""Fast training of many networks of one architecture: data in memory, steps in one compiled function.

The step is that of ``core.networks.training.training_run``. On small networks its time goes to Python and to passes
over the weights, one for each operation of the rounding and of the optimizer. Compiled by XLA, these are one pass.
Networks are trained one after the other: side by side in one step, they compete for the caches of the processor and are
slower.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from numpy.typing import NDArray
from tqdm import tqdm

from quantrift.core.base.inputs import Inputs, Integers
from quantrift.core.networks.training.checkpoint import Checkpoint
from quantrift.core.networks.training.optimizer import compile_for
from quantrift.core.settings.networks import Training

COMPILED_WHOLE = (layers.InputLayer, layers.Flatten, layers.Dense)
"""Layers whose networks XLA compiles whole. Convolutions are as fast without it, and the gradient of pooling has no
deterministic form in it; of networks with others it compiles what passes over the weights."""
CHUNK = 200
"""Steps between two reports of progress."""


class CompiledTraining:
    """Trains a network repeatedly, each time from other weights; compiled once."""

    def __init__(self, model: keras.Model, inputs: Inputs, training: Training) -> None:
        """A training of ``model``, whose outputs are logits, on the training split of ``inputs``.

        The process must have been made ``reproducible``. ``training.augment`` and ``training.seed`` have no effect.
        """
        self.model, self._inputs, self._training = model, inputs, training
        self._full, rest = divmod(len(inputs.train), training.batch)
        compile_for(training, model, self._full + (rest > 0))
        self._unused = [keras.ops.convert_to_numpy(value) for value in model.optimizer.variables]
        self._steps = compiled(model, inputs.take(inputs.train), inputs.labels[inputs.train])

    def fit(
        self, weights: Sequence[NDArray[Any]], rng: np.random.Generator, checkpoint: Path, progress: tqdm
    ) -> list[dict[str, Any]]:
        """Train the model from ``weights``, one for each of its variables; each epoch takes all inputs in a new order.

        Returns what is known of each epoch: ``epoch``, from 1; ``loss``, cross-entropy in nats and the penalty of
        weight decay; ``accuracy``, the share of the training inputs that were labelled correctly. Both are means over
        the inputs at the time of their step.

        Training resumes after the last epoch that an interrupted run of the same training wrote to ``checkpoint``, and
        ends with the same numbers as a run without interruption. The file stays. ``progress`` counts inputs.
        """
        model, epochs, count = self.model, self._training.epochs, len(self._inputs.train)
        for variables, values in ((model.variables, weights), (model.optimizer.variables, self._unused)):
            for variable, value in zip(variables, values, strict=True):
                variable.assign(value)
        saved = Checkpoint(checkpoint, model, self._inputs, self._training, "compiled_training")
        history = saved.restore(rng)
        if history:
            print(f"training {checkpoint.stem}: resuming after epoch {len(history)} of {epochs}", file=sys.stderr)
            progress.update(len(history) * count)
        for epoch in range(len(history) + 1, epochs + 1):
            loss, correct = self._epoch(rng.permutation(count).astype(np.int32), progress)
            means = {"loss": loss / count, "accuracy": correct / count}
            history.append({"epoch": epoch, **means})
            saved.save(rng, history, last=epoch == epochs)
            progress.set_postfix(means, refresh=False)
        return history

    def _epoch(self, order: NDArray[np.int32], progress: tqdm) -> tuple[float, float]:
        """Sums of the loss and of correct labels over the inputs, taken in this order."""
        batch, sums = self._training.batch, np.zeros(2)
        whole = tf.constant(order[: self._full * batch].reshape(-1, batch))
        rest = tf.constant(order[self._full * batch :][None])
        parts = [(whole, start, min(start + CHUNK, self._full)) for start in range(0, self._full, CHUNK)]
        for batches, start, end in [*parts, *([(rest, 0, 1)] if rest.shape[1] else [])]:
            sums += [float(one) for one in self._steps(batches, tf.constant(start), tf.constant(end))]
            progress.update((end - start) * batches.shape[1])
        return float(sums[0]), float(sums[1])


def compiled(
    model: keras.Model, images: NDArray[np.float32], truth: Integers
) -> Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]:
    """A function that trains a compiled ``model`` on some of the batches (steps, batch) of numbers of ``images``.

    It takes the batches, the index of the first to use and the end index, and gives the sums of the loss and of
    correct labels over their inputs.
    """
    x, y = tf.constant(images), tf.constant(truth)
    whole = all(isinstance(layer, COMPILED_WHOLE) for layer in model.layers)

    @tf.function(jit_compile=True, autograph=False)
    def update(*gradients: tf.Tensor) -> None:
        model.optimizer.apply(gradients, model.trainable_variables)

    def step(batch: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        labels = tf.gather(y, batch)
        with tf.GradientTape() as tape:
            logits = model(tf.gather(x, batch), training=True)
            loss = tf.add_n([model.loss(labels, logits), *model.losses])
        update(*tape.gradient(loss, model.trainable_variables))
        hits = tf.math.count_nonzero(tf.argmax(logits, axis=1) == labels, dtype=tf.float32)
        return loss * tf.cast(tf.shape(batch)[0], tf.float32), hits

    @tf.function(jit_compile=whole, autograph=False)
    def steps(batches: tf.Tensor, first: tf.Tensor, end: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        def body(number: tf.Tensor, loss: tf.Tensor, hits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            more_loss, more_hits = step(batches[number])
            return number + 1, loss + more_loss, hits + more_hits

        zero = tf.constant(0.0)
        _, loss, hits = tf.while_loop(lambda number, *_: number < end, body, (first, zero, zero))
        return loss, hits

    return steps
