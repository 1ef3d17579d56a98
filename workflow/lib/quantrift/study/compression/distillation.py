"""Knowledge distillation: a smaller network learns the outputs of the original (Hinton et al. 2015)."""

from collections.abc import Callable

import keras
from keras import losses, ops

from quantrift.core.base.errors import QuantriftError, nearest, on_one_line
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks import architecture
from quantrift.core.networks.macs import parameters
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training import device
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.networks import Networks
from quantrift.core.settings.training import Training
from quantrift.study.compression.trainable import Trainable, stored


class Student(keras.Model):
    """A network that is trained on what another one says of the same inputs, changed or not, and on true labels."""

    def __init__(
        self,
        network: keras.Model,
        teacher: Callable[[keras.KerasTensor], keras.KerasTensor],
        true_labels: float,
        temperature: float,
    ) -> None:
        super().__init__(inputs=network.inputs, outputs=network.outputs, name=network.name)
        self._teacher = teacher
        self._true_labels, self._temperature = true_labels, temperature

    def compute_loss(
        self,
        x: keras.KerasTensor,
        y: keras.KerasTensor,
        y_pred: keras.KerasTensor,
        sample_weight: None = None,
        training: bool = True,
    ) -> keras.KerasTensor:
        """Mean loss of a batch ``x`` (n, H, W, C) of labels ``y`` (n,), and the penalty of weight decay.

        The square of the temperature keeps gradients of both parts alike, whatever the temperature (Section 2).
        """
        share, temperature = self._true_labels, self._temperature
        taught = ops.softmax(self._teacher(x) / temperature)
        softened = ops.softmax(y_pred / temperature)
        divergence = temperature**2 * losses.kl_divergence(taught, softened)
        of_labels = losses.sparse_categorical_crossentropy(y, y_pred, from_logits=True)
        return ops.mean(share * of_labels + (1 - share) * divergence) + sum(self.losses, 0.0)


def compress(
    original: Original,
    inputs: Inputs,
    student: str | None,
    width: float,
    training: Training,
    *,
    true_labels: float,
    temperature: float,
) -> Compressed:
    """A student of ``original`` trained from scratch on the training split, in float.

    Args:
        original: whose outputs the student learns.
        inputs: with the training split.
        student: id of the student's network; the original's own where it is None.
        width: the student's, in parts of the original's.
        training: of the student.
        true_labels: weight of the loss on true labels, 0 to 1; the rest is on the original's outputs.
        temperature: softens both outputs before they are compared.

    Raises:
        QuantriftError: if no network is called like the student or its layers do not fit the inputs, or if TensorFlow
            already runs in this process with another number of threads.
    """
    reproducible(training)
    teacher = original.twin
    made = trainable(original, inputs, student, width, training.seed)
    # In a function, or Keras would take the teacher's weights for the student's.
    pupil = Student(made.network, lambda x: teacher(x, training=False), true_labels, temperature)
    history = fit(pupil, inputs, training)
    facts = {
        "student": _name(original, student),
        "parameters": parameters(made.network),
        "training_loss": [epoch.loss for epoch in history],
        **device.facts(training),
    }
    return Compressed(made.content(), facts=facts, files=stored(made.network))


def trainable(original: Original, inputs: Inputs, student: str | None, width: float, seed: int) -> Trainable:
    """See ``quantrift.study.compression.method``; the student, on labels alone."""
    # Reading a network draws random numbers, but only the first time.
    classes = original.twin.output_shape[-1]
    keras.utils.set_random_seed(seed)
    network = _untrained(original, inputs, student, width, classes)
    return Trainable(network, lambda: to_tflite(architecture.load(_name(original, student)).twin(network)))


def _name(original: Original, student: str | None) -> str:
    name: str = student or original.facts["model"]
    return name


def _untrained(original: Original, inputs: Inputs, student: str | None, width: float, classes: int) -> keras.Model:
    name = _name(original, student)
    known = Networks.model_fields
    if name not in known:
        hint = nearest(name, known)
        if student is None:
            hint = f"'{name}' is a network from a file, so name another for its student; {nearest('', known)}"
        raise QuantriftError(f"distill.student: {hint}")
    common = getattr(Networks(), name).model_copy(update={"width": width * original.facts["settings"].get("width", 1)})
    try:
        return architecture.load(name).build(common, inputs.shape, classes)
    except ValueError as error:
        reason = on_one_line(error, None)
        raise QuantriftError(
            f"distill.student: {name} cannot be built for inputs of shape {inputs.shape} ({reason}); choose another"
        ) from None
