"""Training of a network in a foreign Keras file, in a confined process of its own, in float or with rounding to 8 bits.

Started by ``GivenTraining`` as ``quantrift.core.networks.foreign.worker`` is.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import extras
from quantrift.core.base.arrays import read_arrays, write_arrays
from quantrift.core.base.inputs import ValueStack
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.worker import CONVERTED, Worker, main
from quantrift.core.networks.training.learned_inputs import learned
from quantrift.core.settings.training import Training

LEARNED, TRAINED = "learned.npz", "trained.keras"


@dataclass(frozen=True)
class Trained:
    """A network after its training, from inputs to logits, without batch normalisation where that can be folded."""

    keras: bytes
    """Content of the .keras file."""
    tflite: bytes
    """The same in float32 TensorFlow Lite."""


class GivenTraining(ForeignFiles):
    """Trains networks in foreign .keras and .h5 files; nothing in these is run."""

    PROGRAM = "quantrift.core.networks.training.given_training"

    def train(
        self, path: Path, values: np.ndarray, labels: np.ndarray, training: Training, *, rounded: bool
    ) -> Trained:
        """The network in a file after more training, from the weights it has; all its layers are trained.

        Args:
            path: .keras or .h5.
            values: what is learned, float32 (n, ...) in the shape that the network takes, n > 0.
            labels: their labels, int64 (n,).
            training: how.
            rounded: whether weights and activations are rounded as in 8 bits meanwhile
                (``quantrift.core.networks.training.fine_tuning``); the result has the weights alone.

        Raises:
            QuantriftError: the file cannot be read, a layer has no rounded form, or TensorFlow is not installed.
        """
        extras.check(path.name, "tensorflow")
        folder = Path(self._folder.name)
        write_arrays(folder / LEARNED, {"values": values, "labels": labels})
        self._request(path, "train", more=[training.model_dump_json(), rounded])
        return Trained((folder / TRAINED).read_bytes(), (folder / CONVERTED).read_bytes())


class Trainer(Worker):
    """Answers requests to train."""

    def train(self, path: str, stated: str, rounded: bool) -> None:
        """Write ``TRAINED`` and ``CONVERTED``, of the network in a file and what ``LEARNED`` holds."""
        training = Training.model_validate_json(stated)
        # TensorFlow, which starts with the number of threads that it has when it is first used.
        from quantrift.core.networks.batch_norm import folded_where_possible
        from quantrift.core.networks.foreign.given_keras import read_network
        from quantrift.core.networks.keras_files import save
        from quantrift.core.networks.tflite_files import to_tflite
        from quantrift.core.networks.training.fine_tuning import fine_tuned, with_weights_of
        from quantrift.core.networks.training.original import Original
        from quantrift.core.networks.training.training_run import fit, reproducible

        reproducible(training)
        network = read_network(Path(path))
        result, given = folded_where_possible(network), self._given(network.output_shape[-1])
        if rounded:
            save(network, self._folder / "model.keras")
            save(result, self._folder / "twin.keras")
            original = Original(self._folder)
            tuned, _ = fine_tuned(original, given, training, rounded=True)
            result = with_weights_of(tuned, original.twin)
        else:
            # Networks of others come with layers that they froze; setting the network alone leaves these so.
            for layer in result.layers:
                layer.trainable = True
            fit(result, given, training)
        save(result, self._folder / TRAINED)
        self._write(Path(path), CONVERTED, lambda: to_tflite(result))

    def _given(self, classes: int) -> ValueStack:
        found, names = read_arrays(self._folder / LEARNED), [str(number) for number in range(classes)]
        return learned("given", "Inputs that are learned", names, found["values"], found["labels"])


if __name__ == "__main__":
    main(Trainer)
