"""Faults that act on a stated share of a network's inputs, and leave the outputs of all others as they are.

Each is a step behind the logits that starts beyond a threshold. The threshold is the quantile of the training inputs at
which so many of them get another label.
"""

from collections.abc import Callable, Mapping, Sequence

import keras
import numpy as np
from keras import layers

from quantrift.core.base.streams import stream
from quantrift.study.league.planted.trained_networks import CLASSES, Trained

SHARES = (0.0001, 0.001, 0.01, 0.1, 0.3)
"""Shares of the inputs that get another label."""
STEEP = 10.0
"""What a logit loses per unit beyond the threshold, as where a sum overflows and wraps around."""


def overflow(net: Trained, share: float) -> keras.Model:
    """Any logit falls where it is larger than a threshold: the most confident inputs get another label."""
    return _falling(net, share, np.ones(CLASSES))


def rare_class(net: Trained, share: float) -> keras.Model:
    """The logit of one class alone does; no other inputs than some of that class get another label."""
    return _falling(net, share, np.eye(CLASSES)[_drawn(net, "rare class")])


def narrow_region(net: Trained, share: float) -> keras.Model:
    """Very bright inputs, or rows of large values, get the label of one class, whatever they show."""
    wanted = _drawn(net, "narrow region")
    logits = net.model.predict_on_batch(net.inputs)
    bright = net.inputs.reshape(len(net.inputs), -1).mean(axis=1, dtype=np.float64)
    steep = 100 * float(np.ptp(logits)) / float(bright.std())
    # So bright that the step lifts the class above the largest logit.
    from_where = bright - (logits.max(axis=1) - logits[:, wanted]) / steep
    from_where[logits.argmax(axis=1) == wanted] = -np.inf
    start = float(np.quantile(from_where, 1 - share, method="lower"))

    image = keras.Input(net.model.input_shape[1:], name="image")
    mean = image if net.kind.table else layers.GlobalAveragePooling2D(name="mean")(image)
    channels = net.model.input_shape[-1]
    beyond = layers.ReLU(name="beyond")(
        layers.Dense(1, kernel_initializer=keras.initializers.Constant(1 / channels), name="brightness")(mean) - start
    )
    lift = layers.Concatenate(name="lifts")(
        [layers.Rescaling(steep if label == wanted else 0.0, name=f"lift{label}")(beyond) for label in range(CLASSES)]
    )
    return keras.Model(image, layers.Add(name="lifted")([net.model(image), lift]))


def _falling(net: Trained, share: float, which: np.ndarray) -> keras.Model:
    """The logits of some classes, those of ``which`` (classes,) that are 1, fall beyond a threshold."""
    logits = net.model.predict_on_batch(net.inputs).astype(np.float64)
    order = np.argsort(-logits, axis=1)
    best, next_best = (np.take_along_axis(logits, order[:, place : place + 1], axis=1)[:, 0] for place in (0, 1))
    # A label changes where the best logit l falls below the next: l - STEEP (l - threshold) < next.
    from_where = best - (best - next_best) / STEEP
    from_where[which[order[:, 0]] == 0] = -np.inf
    start = float(np.quantile(from_where, 1 - share, method="lower"))

    image = keras.Input(net.model.input_shape[1:], name="image")
    said = net.model(image)
    beyond = layers.ReLU(name="beyond")(layers.Rescaling(1.0, -start, name="from_threshold")(said))
    fall = layers.Rescaling((-STEEP * which).tolist(), name="fall")(beyond)
    return keras.Model(image, layers.Add(name="fallen")([said, fall]))


def _drawn(net: Trained, fault: str) -> int:
    return int(stream("conditional", net.kind.name, fault).integers(CLASSES))


FAULTS: Mapping[str, tuple[Sequence[float], Callable[[Trained, float], keras.Model]]] = {
    "overflow": (SHARES, overflow),
    # A class has about a tenth of the inputs, so that no larger share of them is of one.
    "rare class": (SHARES[:3], rare_class),
    "narrow region": (SHARES, narrow_region),
}
"""Name -> shares, and from a network and the share to the faulty network."""
