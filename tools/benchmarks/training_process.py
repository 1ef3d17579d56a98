"""A few steps of a training in a process of their own, for benchmarks: on one device, and with compilation before them.

Started as ``python -m tools.benchmarks.training_process SETTINGS``, with the fields of ``Steps`` as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from math import prod
from typing import Any

from tools.benchmarks.benchmark import cost

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.networks import Networks, Training

BITS = 2
"""Of each weight; the time of a step does not depend on their number."""


@dataclass(frozen=True)
class Steps:
    """What is trained, and for how many steps."""

    model: str
    settings: Mapping[str, Any]
    """Of the network, as in YAML."""
    shape: tuple[int, int, int]
    """Of an image."""
    training: Mapping[str, Any]
    """Of the training, as in YAML."""
    untimed: int
    """Steps before those that count: the first compiles."""
    timed: int


@dataclass(frozen=True)
class Took:
    """A timed step."""

    seconds: float
    processor_seconds: float
    device: str
    """Name of the graphics processor; empty on processors."""
    multiplications: int
    """Of one input on its way through the network."""


def took(steps: Steps) -> Took | None:
    """Seconds of a step, in a new process; None where the training asks for a device that is not there.

    Raises:
        QuantriftError: if the process fails otherwise.
    """
    command = [sys.executable, "-m", __name__, json.dumps(asdict(steps))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Took(**json.loads(done.stdout.splitlines()[-1]))
    reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message"
    if reason.startswith("training.device: "):
        return None
    raise QuantriftError(f"training {steps.model} failed: {reason}")


def measured(steps: Steps) -> Took:
    """Train on noise in this process, as a bit study does, and time it.

    Raises:
        QuantriftError: if there is no such device.
    """
    # Only here, as the benchmarks themselves start without TensorFlow.
    import numpy as np
    import tensorflow as tf

    from quantrift.core.networks.training import device
    from quantrift.core.networks.training.compiled_training import compiled
    from quantrift.core.networks.training.optimizer import compile_for
    from quantrift.core.networks.training.training_run import reproducible
    from quantrift.study.compression.bits.bit_networks import Form
    from quantrift.study.compression.bits.bit_tensors import homogeneous
    from quantrift.study.compression.bits.rounded_training import with_weights_behind
    from quantrift.study.compression.published_form import kernels

    training = Training.model_validate(steps.training)
    reproducible(training)
    networks = Networks.model_validate({steps.model: steps.settings})
    network = Form.of(steps.model, networks.trained[steps.model], steps.shape, 10).build()
    latent = with_weights_behind(network, homogeneous(BITS, [tuple(kernel.shape) for kernel in kernels(network)]))
    count = steps.untimed + steps.timed
    compile_for(training, latent, count)
    rng = np.random.default_rng(0)
    images = rng.random((count * training.batch, *steps.shape), np.float32)
    take = compiled(latent, images, rng.integers(10, size=len(images)))
    batches = tf.constant(rng.permutation(len(images)).astype(np.int32).reshape(count, training.batch))

    def run(first: int, end: int) -> float:
        """Take some steps; reading their loss waits for the device."""
        return float(take(batches, tf.constant(first), tf.constant(end))[0])

    run(0, steps.untimed)
    spent = cost(partial(run, steps.untimed, count))
    name = device.facts(training).get("device", {}).get("name", "")
    each = [multiplications(layer) for layer in network.layers]
    return Took(spent.seconds / steps.timed, spent.processor_seconds / steps.timed, name, sum(each))


def multiplications(layer: Any) -> int:
    """Multiplications of a convolution or dense layer of Keras for one input; 0 of another layer."""
    if not hasattr(layer, "kernel"):
        return 0
    *places, channels = layer.output.shape[1:]
    # A kernel's last axis has the output channels.
    return prod(places) * prod(layer.kernel.shape[:-1]) * channels


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    try:
        print(json.dumps(asdict(measured(Steps(**given | {"shape": tuple(given["shape"])})))))
    except QuantriftError as error:
        sys.exit(str(error))
