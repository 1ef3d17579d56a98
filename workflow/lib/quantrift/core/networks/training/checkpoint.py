"""Checkpoints: an interrupted training resumes after its last epoch."""

import hashlib
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import keras
import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.code_digests import digest
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.versions import versions
from quantrift.core.settings.networks import Training

SHARE = 0.02
"""Largest share of a training's time for writing checkpoints."""


class Checkpoint:
    """The file of one training: network, optimizer, random generator and history after an epoch."""

    def __init__(
        self, path: Path, model: keras.Model, inputs: Inputs, training: Training, loop: str = "training_run"
    ) -> None:
        """A checkpoint at ``path`` for a compiled ``model`` that no step has been taken with.

        ``loop`` is the module of this folder whose code takes the steps.
        """
        self._path, self._model, self._next = path, model, 0.0
        self._identity = _identity(model, inputs, training, loop)

    def restore(self, rng: np.random.Generator) -> list[dict[str, Any]]:
        """Put network, optimizer and ``rng`` back to where the file has them, and return its history.

        The history is empty, and nothing is changed, where there is no file or the file belongs to another training:
        other settings, data, code, versions or initial weights. The same holds for a file that cannot be read, with a
        line on stderr.
        """
        if not self._path.is_file():
            return []
        try:
            with np.load(self._path, allow_pickle=False) as file:
                if file["identity"].item() != self._identity:
                    return []
                state, history = (json.loads(file[name].item()) for name in ("rng", "history"))
                self._model.optimizer.build(self._model.trainable_variables)
                values = [(variable, file[name]) for name, variable in self._variables().items()]
        except Exception as error:
            # A damaged file may cause almost any error, and must cost no more than the epochs that it held.
            reason = (str(error) or type(error).__name__).splitlines()[0]
            print(f"{self._path}: not a readable checkpoint ({reason}); training starts anew", file=sys.stderr)
            return []
        for variable, value in values:
            variable.assign(value)
        rng.bit_generator.state = state
        return list(history)

    def save(self, rng: np.random.Generator, history: list[dict[str, Any]], *, last: bool) -> None:
        """Write the file, unless writing would take more than a ``SHARE`` of the time since the last one.

        Epochs of small networks take milliseconds, and writing to a network disk may take seconds, so that no fixed
        interval suits both. The last epoch is always written, as the work after it takes time too.
        """
        started = perf_counter()
        if started < self._next and not last:
            return
        about = {"identity": self._identity, "rng": json.dumps(rng.bit_generator.state), "history": json.dumps(history)}
        arrays = {name: keras.ops.convert_to_numpy(variable) for name, variable in self._variables().items()}
        write_arrays(self._path, about | arrays)
        written = perf_counter()
        self._next = written + (written - started) / SHARE

    def _variables(self) -> dict[str, keras.Variable]:
        """All numbers that a step depends on and changes, by a name that is the same in another process.

        The network's numbers include the statistics of batch normalisation and the random states of dropout.
        """
        kinds = {"model": self._model.variables, "optimizer": self._model.optimizer.variables}
        return {f"{kind}{number}": value for kind, values in kinds.items() for number, value in enumerate(values)}


def _identity(model: keras.Model, inputs: Inputs, training: Training, loop: str) -> str:
    """Digest of everything that a training's numbers depend on, the type of CPU aside; 64 hexadecimal digits."""
    about = {
        "training": training.model_dump(mode="json"),
        "model": model.get_config(),
        # Code of the loop and its imports; the network's own code is identified by its layers and initial weights.
        "code": digest(Path(__file__).with_name(f"{loop}.py")),
        "versions": versions(),
    }
    found = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    arrays = {name: np.asarray(array) for name, array in inputs.arrays.items()}
    arrays |= {str(number): keras.ops.convert_to_numpy(value) for number, value in enumerate(model.variables)}
    for name, array in arrays.items():
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()
