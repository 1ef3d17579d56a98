"""One seeded training run of a Keras network."""

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
from quantrift.core.networks import architecture
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.training import device
from quantrift.core.networks.training.augmentation import augmented
from quantrift.core.networks.training.checkpoint import Checkpoint
from quantrift.core.networks.training.optimizer import compile_for
from quantrift.core.settings.attacks import Attack
from quantrift.core.settings.networks import Network, Training

Epoch = dict[str, Any]
"""Values after an epoch: ``epoch``, from 1; ``loss``, cross-entropy in nats and the penalty of weight decay;
``accuracy``, the share of the training inputs that were labelled correctly, both means over the inputs at the time of
their step; ``validation_accuracy``, ``None`` where the split has no validation inputs; ``seconds``, the wall time that
it took in the process that trained it."""


def reproducible(settings: Training | Attack, key: str = "training.threads") -> None:
    """Make TensorFlow's results in this process depend on the settings alone, from here on.

    ``key`` is the key of the threads in the configuration, for the error. Other work than training runs on processors.

    Raises:
        QuantriftError: if TensorFlow already runs with another number of threads or on other devices, or if there is no
            device to train on.
    """
    device.use(settings.device if isinstance(settings, Training) else "cpu")
    keras.utils.set_random_seed(settings.seed)
    try:
        tf.config.threading.set_intra_op_parallelism_threads(settings.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:
        raise QuantriftError(
            f"TensorFlow already runs here with other threads than {key}={settings.threads}; use a new process"
        ) from None
    tf.config.experimental.enable_op_determinism()


def trained(model_id: str, settings: Network, inputs: Inputs, checkpoint: Path) -> tuple[keras.Model, list[Epoch]]:
    """The network called ``model_id``, built and fitted to ``inputs`` in a process made reproducible for it.

    The file ``checkpoint`` remains; the caller removes it once the results are written.
    """
    reproducible(settings.training)
    model = architecture.load(model_id).build(settings, inputs.shape, len(inputs.class_names))
    return model, fit(model, inputs, settings.training, checkpoint)


def fit(model: keras.Model, inputs: Inputs, training: Training, checkpoint: Path | None = None) -> list[Epoch]:
    """Train ``model``, whose outputs are logits, on the training split of ``inputs``; shows its progress.

    The optimizer minimises cross-entropy. Each epoch takes all inputs in a new order, with new augmentation where the
    settings have it, both drawn from ``training.seed``.

    With a file for ``checkpoint``, training resumes after the last epoch that an interrupted run of the same training
    wrote there, and ends with the same numbers as a run without interruption. The file stays.
    """
    steps = range(0, len(inputs.train), training.batch)
    compile_for(training, model, len(steps), metrics=["accuracy"])
    model.compute_metrics(None, inputs.labels[:1], np.zeros((1, model.output_shape[-1]), np.float32))
    rng = np.random.default_rng(training.seed)
    saved = Checkpoint(checkpoint, model, inputs, training) if checkpoint else None
    history = saved.restore(rng) if saved else []
    if history:
        print(f"training {model.name}: resuming after epoch {len(history)} of {training.epochs}", file=sys.stderr)
    total, done = training.epochs * len(steps), len(history) * len(steps)
    with bar(total=total, initial=done, desc=f"training {model.name}", unit="step") as progress:
        for epoch in range(len(history) + 1, training.epochs + 1):
            started = perf_counter()
            order = rng.permutation(inputs.train)
            totals = np.zeros(2)
            for start in steps:
                indices = order[start : start + training.batch]
                batch = augmented(inputs.take(indices), training.augment, rng)
                # Loss and accuracy of this batch alone.
                totals += len(indices) * np.array(model.train_on_batch(batch, inputs.labels[indices]))
                progress.update()
            validated = None
            if len(inputs.validation):
                outputs = logits(model.predict_on_batch, inputs, inputs.validation)
                validated = accuracy(outputs, inputs.labels[inputs.validation])
            means = dict(zip(("loss", "accuracy"), (totals / len(order)).tolist(), strict=True))
            more = {"validation_accuracy": validated, "seconds": perf_counter() - started}
            history.append({"epoch": epoch, **means, **more})
            if saved:
                saved.save(rng, history, last=epoch == training.epochs)
            progress.set_postfix(means, refresh=False)
    return history
