"""Differentiable twins of an original and its compressed model, for searches that follow gradients (DeepXplore).

A twin computes its .tflite file's graph in real numbers (``translation``). Of a model in 8 bits, it has the weights,
but not the rounding of activations. Twins give the direction of a step; verdicts are always those of the real models.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.networks.batches import runs
from quantrift.core.networks.layer_values.neurons import Neurons
from quantrift.core.networks.own.tensorflow import use_one_thread

PACKAGES = ("keras", "tensorflow")
BATCH = 32
"""Inputs run at once at most; results for an input are those that it has among so many, bit for bit."""


@dataclass(frozen=True, eq=False)
class Ascent:
    """Outputs of the twins for n inputs of G values each."""

    gradient: np.ndarray
    """Gradient of the weighted sum of neurons, float32 (n, G)."""
    original: np.ndarray
    """Neurons of the original, scaled between the lowest and the highest value of their layer for the same input,
    float32 (n, M), 0 to 1; 0 where all values of the layer are the same. The neurons of the output, one for each class,
    are the last."""
    compressed: np.ndarray
    """Likewise of the compressed model, float32 (n, M')."""


class Twin:
    """A network from inputs to its neurons, a channel's mean or a unit's value (``networks.layer_values.neurons``)."""

    def __init__(self, path: Path, neurons: Callable[[Path], Neurons] = Neurons) -> None:
        """Reads a .tflite file, whose neurons ``neurons`` reads.

        Raises:
            QuantriftError: if it cannot be read or translated.
        """
        network = neurons(path)
        self.image = network.input_shape
        self.neurons = sum(group.neurons for group in network.groups)
        self._groups = [(group.layer.tensor, group.values, group.neurons) for group in network.groups]
        from quantrift.core.pairs.tflite_to_tensorflow import Translation

        self._translation = Translation(path, dense_rows=BATCH)

    def __call__(self, x: Any) -> tuple[Any, Any]:
        """Values of the neurons, (n, M), and the same scaled within their layers, of a tensor ``x``, (n, H, W, C)."""
        import tensorflow as tf

        tensors = self._translation(x)
        values, heights = [], []
        for tensor, size, neurons in self._groups:
            rows = tf.reshape(tensors[tensor], (-1, size))
            # Over the last axis: sums over another one change in the last bits with a row's place among the rows.
            own = tf.reduce_mean(tf.transpose(tf.reshape(rows, (-1, size // neurons, neurons)), (0, 2, 1)), axis=2)
            low, high = (reduce(rows, axis=1, keepdims=True) for reduce in (tf.reduce_min, tf.reduce_max))
            values.append(own)
            heights.append(tf.math.divide_no_nan(own - low, high - low))
        return tf.concat(values, axis=1), tf.concat(heights, axis=1)


class Twins:
    """Both twins; their results are those of the threads that TensorFlow runs on (``load_twins``).

    What is computed for an input must not depend on how many others stand beside it, and it need not cost a whole batch
    where there are few. TensorFlow picks its kernels by the number of inputs, and kernels may differ in the order of
    their sums. So each number is tried once, on noise, against a whole batch (``alike``). One whose results have other
    last bits is never run: inputs are then added, up to the next number that is alike.
    """

    def __init__(self, original: Path, compressed: Path, neurons: Callable[[Path], Neurons] = Neurons) -> None:
        """Reads two .tflite files, whose neurons ``neurons`` reads.

        Raises:
            QuantriftError: if one cannot be read or translated.
        """
        import tensorflow as tf

        both = Twin(original, neurons), Twin(compressed, neurons)
        self.neurons = both[0].neurons, both[1].neurons
        """M and M', numbers of neurons of the original and of the compressed model."""

        def ascent(x: Any, *weights: Any) -> tuple[Any, ...]:
            with tf.GradientTape() as tape:
                tape.watch(x)
                (first, of_first), (second, of_second) = (twin(x) for twin in both)
                total = tf.reduce_sum(first * weights[0]) + tf.reduce_sum(second * weights[1])
            return tape.gradient(total, x), of_first, of_second

        shapes = [both[0].image, *((count,) for count in self.neurons)]
        # Any number of inputs: one that is stated would be traced for itself, which takes seconds.
        signature = [tf.TensorSpec((None, *shape), tf.float32) for shape in shapes]
        self._function = tf.function(ascent, signature, autograph=False)
        rng = np.random.default_rng(0)
        self._noise = [rng.random((BATCH, *shape), np.float32) for shape in shapes]
        self._whole = self._run(self._noise)
        """Results for the whole batch of noise."""
        self._alike: dict[int, bool] = {BATCH: True}

    def __call__(self, x: np.ndarray, original: np.ndarray, compressed: np.ndarray) -> Ascent:
        """Gradients and neurons of ``x``, float32 (n, H, W, C), n > 0; each row depends on itself alone.

        Args:
            x: the inputs.
            original: weights of the original's neurons in the sum whose gradient is computed, float32 (n, M).
            compressed: weights of those of the compressed model, float32 (n, M').
        """
        parts = []
        for start in range(0, len(x), BATCH):
            given = [values[start : start + BATCH] for values in (x, original, compressed)]
            size = self._size(len(given[0]))
            filled = [rows for values in given for _, rows, _ in runs(values, size, size)]
            parts.append([values[: len(given[0])] for values in self._run(filled)])
        gradient, *heights = (np.concatenate(of_all) for of_all in zip(*parts, strict=True))
        return Ascent(gradient.reshape(len(x), -1), *heights)

    def prepare(self, n: int) -> None:
        """Do what the first call with ``n`` inputs does beside its computation, so that no candidate is charged it."""
        self._size(n % BATCH or BATCH)

    def alike(self, count: int) -> bool:
        """Whether ``count`` inputs, 1 to ``BATCH``, have the same results as in a whole batch, bit for bit."""
        if count not in self._alike:
            # The last ones, so that places among the inputs count too.
            both = zip(self._run([values[-count:] for values in self._noise]), self._whole, strict=True)
            self._alike[count] = all(np.array_equal(own, whole[-count:]) for own, whole in both)
        return self._alike[count]

    def _size(self, count: int) -> int:
        """Number of inputs to run for ``count``: the least that is enough, and alike."""
        return next(size for size in range(count, BATCH + 1) if self.alike(size))

    def _run(self, given: list[np.ndarray]) -> list[np.ndarray]:
        return [values.numpy() for values in self._function(*given)]


def load_twins(original: Path, compressed: Path, neurons: Callable[[Path], Neurons] = Neurons) -> Twins:
    """The twins of two .tflite files, whose neurons ``neurons`` reads, on one thread.

    Raises:
        QuantriftError: if a file cannot be read or translated, or TensorFlow already runs on more threads.
    """
    use_one_thread(original)
    return Twins(original, compressed, neurons)
