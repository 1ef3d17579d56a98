"""Knowledge distillation: a smaller network learns the outputs of the original (Hinton et al. 2015)."""

from collections.abc import Callable

import keras
from keras import losses, ops

from quantrift.core.base.errors import QuantriftError, nearest, on_one_line
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks import architecture
from quantrift.core.networks.macs import parameters
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.original import Original
from quantrift.core.settings.networks import Networks
from quantrift.study.compression.trainable import Trainable


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
        taught, softened = (ops.softmax(logits / temperature) for logits in (self._teacher(x), y_pred))
        divergence = temperature**2 * losses.kl_divergence(taught, softened)
        of_labels = losses.sparse_categorical_crossentropy(y, y_pred, from_logits=True)
        return ops.mean(share * of_labels + (1 - share) * divergence) + sum(self.losses, 0.0)


def trainable(
    original: Original,
    inputs: Inputs,
    student: str | None,
    width: float,
    seed: int,
    *,
    true_labels: float,
    temperature: float,
) -> Trainable:
    """A student of ``original``, in float, to train from scratch.

    Args:
        original: whose outputs the student learns.
        inputs: what it was trained on.
        student: id of the student's network; the original's own where it is None.
        width: the student's, in parts of the original's.
        seed: of its first weights.
        true_labels: weight of the loss on true labels, 0 to 1; the rest is on the original's outputs.
        temperature: softens both outputs before they are compared.

    Raises:
        QuantriftError: if no network is called like the student or its layers do not fit the inputs.
    """
    name: str = student or original.facts["model"]
    # Reading a network draws random numbers, but only the first time.
    teacher = original.twin
    keras.utils.set_random_seed(seed)
    network = _untrained(original, inputs, student, width, teacher.output_shape[-1])
    return Trainable(
        network,
        lambda: to_tflite(architecture.twin(name, network)),
        # In a function, or Keras would take the teacher's weights for the student's.
        Student(network, lambda x: teacher(x, training=False), true_labels, temperature),
        lambda: (None, {"student": name, "parameters": parameters(network)}),
    )


def _untrained(original: Original, inputs: Inputs, student: str | None, width: float, classes: int) -> keras.Model:
    name = student or original.facts["model"]
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
        raise QuantriftError(
            f"distill.student: {name} cannot be built for inputs of shape {inputs.shape} "
            f"({on_one_line(error, None)}); choose another"
        ) from None
