"""Training of networks with a given number of bits for each weight, from scratch, one after the other.

Bits, first weights and the order of inputs are drawn anew for each network, from streams that its dataset, model,
setting and repetition name: a network does not depend on what else is trained.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.code_digests import digest
from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
from quantrift.core.base.streams import stream
from quantrift.core.networks import architecture
from quantrift.core.networks.evaluate import labels, logits
from quantrift.core.networks.training.compiled_training import CompiledTraining
from quantrift.core.networks.versions import versions
from quantrift.core.settings.bit_studies import BitTraining
from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.core.settings.networks import Network
from quantrift.study.compression.bits import bit_tensors
from quantrift.study.compression.bits.bit_networks import Form, packed, unpack
from quantrift.study.compression.bits.rounded_training import settle, with_weights_behind
from quantrift.study.compression.bits.rounding import FLOAT, Bits
from quantrift.study.compression.published_form import kernels


@dataclass(frozen=True)
class Job:
    """What is trained: networks of one dataset and model."""

    dataset: str
    model: str
    network: Network
    """Settings of the network, its width and training aside."""
    how: BitTraining
    """How it is trained, how wide, and with which dense layers."""
    settings: Mapping[str, Homogeneous | Heterogeneous]
    """Setting -> how many bits its weights have."""
    networks: Sequence[tuple[str, int]]
    """Setting and repetition of each network."""
    seed: int
    """Of all that is drawn."""

    def stream(self, *purpose: str | int) -> np.random.Generator:
        """The stream of one purpose."""
        return stream("bits", self.seed, self.dataset, self.model, *purpose)


@dataclass(frozen=True)
class Trained:
    """A trained network."""

    weights: dict[str, NDArray[Any]]
    """Its weights, rounded, and bits (``quantrift.study.compression.bits.bit_networks.packed``)."""
    drawn: list[dict[str, int]]
    """How many ``weights`` have how many ``bits``."""
    history: list[dict[str, Any]]
    """An entry an epoch: ``epoch`` from 1, ``loss``, ``accuracy`` on the training inputs."""
    correct: int
    """Test inputs that it labels correctly."""


class Trainer:
    """Trains the networks of a job; what is finished stays in a folder until the whole job is."""

    def __init__(self, job: Job, inputs_path: Path, folder: Path) -> None:
        """A trainer on the inputs of a file, whose process has been made reproducible."""
        self._job = job
        self._folder = folder
        self.inputs = _limited(Inputs.load(inputs_path), job)
        self.form = Form.of(job.model, job.how.shaped(job.network), self.inputs.shape, len(self.inputs.class_names))
        self._tested = self.form.build()
        self._training: tuple[list[tuple[bool, bool]], CompiledTraining] | None = None
        self._about = {
            "job": [job.dataset, job.model, job.seed, job.how.model_dump(mode="json")],
            "form": vars(self.form),
            "inputs": sha256(inputs_path),
            "code": digest(Path(__file__), [f"{architecture.FOLDER}.{job.model}"]),
            "versions": versions(),
        }

    def trained(self, setting: str, repetition: int, progress: tqdm) -> Trained:
        """The network of one repetition of a setting; ``progress`` counts training inputs, once an epoch each.

        Raises:
            QuantriftError: if the bits drawn exceed the budget.
        """
        distribution = self._job.settings[setting].model_dump(mode="json", include={"bits", "shares", "budget"})
        about = json.dumps([self._about, setting, repetition, distribution], sort_keys=True)
        identity = hashlib.sha256(about.encode()).hexdigest()
        file = self._folder / f"{setting}.{repetition}.npz"
        found = _finished(file, identity)
        if found is not None:
            progress.update(len(found.history) * len(self.inputs.train))
            return found
        checkpoint = self._folder / f"{setting}.{repetition}.checkpoint.npz"
        found = self._train(setting, repetition, checkpoint, progress)
        facts = json.dumps({name: value for name, value in vars(found).items() if name != "weights"})
        write_arrays(file, {"identity": identity, "facts": facts, **found.weights})
        checkpoint.unlink()
        return found

    def all(self) -> dict[tuple[str, int], Trained]:
        """All networks of the job, by setting and repetition, with progress on standard error.

        Raises:
            QuantriftError: if the bits drawn exceed a budget.
        """
        job, found = self._job, {}
        total = len(job.networks) * job.how.training.epochs * len(self.inputs.train)
        with bar(total=total, unit="input", unit_scale=True) as progress:
            for setting, number in job.networks:
                progress.set_description(f"{job.model}, {setting}, {number + 1}", refresh=False)
                found[setting, number] = self.trained(setting, number, progress)
        return found

    def _train(self, setting: str, repetition: int, checkpoint: Path, progress: tqdm) -> Trained:
        rngs = {purpose: self._job.stream(setting, repetition, purpose) for purpose in ("weights", "bits", "order")}
        keras.utils.set_random_seed(int(rngs["weights"].integers(2**31)))
        network = self.form.build()
        shapes = [tuple(kernel.shape) for kernel in kernels(network)]
        bits = bit_tensors.drawn(self._job.settings[setting], shapes, int(rngs["bits"].integers(2**62)))
        latent = with_weights_behind(network, bits)
        weights = [keras.ops.convert_to_numpy(variable) for variable in latent.variables]
        training = self._training_of(latent, bits)
        history = training.fit(weights, rngs["order"], checkpoint, progress)
        settle(network, training.model)
        arrays = packed(network, bits)
        unpack(self._tested, arrays)
        outputs = logits(self._tested.predict_on_batch, self.inputs, self.inputs.test)
        correct = int((labels(outputs) == self.inputs.labels[self.inputs.test]).sum())
        return Trained(arrays, _counts(bits), history, correct)

    def _training_of(self, latent: keras.Model, bits: Sequence[Bits]) -> CompiledTraining:
        """What trains networks like ``latent``; compiled anew only if the last one was of another form."""
        kinds = [(bool(np.ptp(own)), bool(own.min() == FLOAT)) for own in bits]
        if self._training is None or kinds != self._training[0]:
            self._training = kinds, CompiledTraining(latent, self.inputs, self._job.how.training)
        return self._training[1]


def _counts(bits: Sequence[Bits]) -> list[dict[str, int]]:
    found = np.sum([np.bincount(own.ravel(), minlength=FLOAT + 1) for own in bits], axis=0)
    return [{"bits": number, "weights": int(found[number])} for number in np.flatnonzero(found).tolist()]


def _limited(inputs: Inputs, job: Job) -> Inputs:
    """With as many training inputs as ``job`` has, drawn once for all its networks; all where there are fewer."""
    if job.how.inputs is None or job.how.inputs >= len(inputs.train):
        return inputs
    return replace(inputs, train=np.sort(job.stream("inputs").choice(inputs.train, job.how.inputs, replace=False)))


def _finished(file: Path, identity: str) -> Trained | None:
    """The network of a file that this job wrote; None where there is none."""
    arrays = read_arrays(file) if file.is_file() else {}
    if not arrays or arrays.pop("identity").item() != identity:
        return None
    return Trained(**json.loads(arrays.pop("facts").item()), weights=arrays)
