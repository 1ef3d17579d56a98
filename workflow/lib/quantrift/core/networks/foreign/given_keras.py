"""Reader of Keras networks from foreign files, their form from images to logits, and normalisation inside them.

Their code is never run.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import activations, layers, tree

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.graphs.choices import SIZES, with_note
from quantrift.core.networks.graphs.open_sides import fill
from quantrift.core.networks.graphs.signature import ONE_INPUT, ONE_OUTPUT
from quantrift.core.networks.keras_files import load

PASSED = (layers.InputLayer, layers.Reshape, layers.ZeroPadding2D)
"""Layers that leave values as they are."""


def read_network(path: Path) -> keras.Model:
    """The network in a .keras file or a whole-model .h5 file of Keras 2 or 3, from images to logits, both float32.

    Raises:
        QuantriftError: as ``read_as_given`` and ``as_logits`` do.
    """
    return as_logits(read_as_given(path), path)


def as_logits(model: keras.Model, path: Path) -> keras.Model:
    """The network of the file ``path`` from images to logits.

    Raises:
        QuantriftError: for networks that have no such form.
    """
    try:
        return logits_form(model)
    except QuantriftError as error:
        raise QuantriftError(f"{path}: {error}; change the network, or export it as .tflite") from None


def read_as_given(path: Path) -> keras.Model:
    """The network in a .keras file or a whole-model .h5 file of Keras 2 or 3, unchanged.

    Raises:
        QuantriftError: if the file is missing, damaged or holds weights alone; for code and layers that are not Keras's
            own.
    """
    model = load(path, "name the network's file", "Keras cannot build this network", "export it as .tflite")
    refuse(
        (
            not getattr(model, "inputs", None),
            f"{path}: states no inputs of the network; call it on an image and save it again",
        ),
    )
    return model


def of_size(model: keras.Model, shape: Sequence[int] | None) -> tuple[keras.Model, bytes]:
    """A network of one input, with open sides of this as in ``shape`` of one input; and a note for its .tflite file.

    The network itself, and nothing, where nothing is open or nothing tells the sizes (``open_sides.fill``).
    """
    own = [side or -1 for side in model.inputs[0].shape[1:]]
    sizes = fill(own, shape) if len(model.inputs) == 1 and -1 in own else None
    if sizes is None:
        return model, b""
    given = keras.Input([size or side for size, side in zip(sizes, own, strict=True)], name=model.inputs[0].name)
    # The same layers on another input: a network around this one would change their names.
    outputs = _graph_of(model)._run_through_graph(given, call_fn=lambda layer, *args, **named: layer(*args, **named))
    return keras.Model(given, outputs, name=model.name), with_note(b"", ".tflite", SIZES, ",".join(map(str, sizes)))


def normalisation(model: keras.Model) -> tuple[np.ndarray, np.ndarray] | None:
    """Factor and then offset that the first layers apply to inputs, float64 (1,) or one for each channel.

    ``None`` where they apply neither. The layers are a plain chain up to the first one of another kind.
    """
    slope, offset, found = np.ones(1), np.zeros(1), False
    for before, layer in pairwise([None, *model.layers]):
        if before is not None and layer.input is not before.output:
            break
        if isinstance(layer, PASSED):
            continue
        if isinstance(layer, layers.Rescaling):
            times, plus = _values(layer.scale), _values(layer.offset)
        elif isinstance(layer, layers.Normalization):
            spread, mean = np.maximum(np.sqrt(_values(layer.variance)), keras.config.epsilon()), _values(layer.mean)
            times, plus = (spread, mean) if layer.invert else (1 / spread, -mean / spread)
        else:
            break
        slope, offset, found = slope * times, offset * times + plus, True
    return (slope, offset) if found else None


def _values(given: Any) -> np.ndarray:
    return np.ravel(keras.ops.convert_to_numpy(given)).astype(np.float64)


def logits_form(model: keras.Model) -> keras.Model:
    """The same network, from images (n, H, W, C), or rows of a table (n, F), to logits (n, K), float32, for any n.

    Networks inside it become part of one graph, in which names stay unique. A softmax at its end is left out. A
    network for images without channels or for signals, (H, W), or for 3-D convolutions, (H, W, C, 1), gets a Reshape
    in front, one with outputs (1, 1, K) a Reshape at its end. A sigmoid behind a single output stays.

    Raises:
        QuantriftError: if it has several inputs or outputs, is not for images of one size or not a classifier, uses a
            layer twice, computes in another type, or ends in a sigmoid of several outputs.
    """
    listed = ", ".join(f"'{one.name}' {' x '.join(str(side or '?') for side in one.shape[1:])}" for one in model.inputs)
    shape = tuple(model.inputs[0].shape[1:])
    image = (*shape, 1) if len(shape) == 2 else shape[:3]
    refuse(
        (len(model.inputs) > 1, f"has {len(model.inputs)} inputs ({listed}); {ONE_INPUT}"),
        (
            len(model.outputs) > 1,
            f"has {len(model.outputs)} outputs (output_0 is the first of a list, and those of a dictionary have its "
            f"keys); {ONE_OUTPUT}",
        ),
        (
            None in shape or len(image) not in (1, 3) or shape not in (image, image[:2], (*image, 1)),
            f"takes inputs of shape {shape}, expected images (H, W, C), signals (T, C) or rows of a table (F,) of one "
            "size, or inputs that tell it (in Python, input_shape)",
        ),
    )
    copier = _Copier()
    given = x = keras.Input(image, name=copier.named(model.inputs[0].name))
    if shape != image:
        x = layers.Reshape(shape, name=copier.named("unfold"))(x)
    x = copier.without_softmax(copier.output(model, x))
    outputs = tuple(x.shape[1:])
    refuse(
        (
            not outputs or None in outputs or prod(outputs) != outputs[-1],
            f"gives outputs of shape {outputs}, expected the logits of a classifier",
        ),
    )
    if len(outputs) > 1:
        x = layers.Reshape(outputs[-1:], name=copier.named("logits"))(x)
    return keras.Model(given, x, name=model.name)


def _graph_of(model: keras.Model) -> Any:
    """A network with the function behind Keras's clone_model, which itself cannot begin in the middle of a graph."""
    return keras.Model(model.inputs, model.outputs)


class _Copier:
    """Applies copies of layers, and of the layers of networks inside networks, each once."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._used: set[int] = set()
        self._makers: dict[int, layers.Layer] = {}

    def named(self, name: str) -> str:
        """``name``, with a number behind it if it is taken."""
        number, free = 1, name
        while free in self._names:
            number, free = number + 1, f"{name}_{number}"
        self._names.add(free)
        return free

    def output(self, model: keras.Model, x: keras.KerasTensor) -> keras.KerasTensor:
        """Output of a copy of ``model`` for ``x``."""
        refuse(
            (
                len(model.inputs) != 1 or len(model.outputs) != 1,
                f"has {len(model.inputs)} inputs and {len(model.outputs)} outputs ('{model.name}'), expected one image "
                "and its logits",
            ),
        )
        return tree.flatten(_graph_of(model)._run_through_graph(x, call_fn=self._applied))[0]

    def without_softmax(self, x: keras.KerasTensor) -> keras.KerasTensor:
        """The logits behind probabilities ``x``, a result of ``output``; ``x`` itself if it is none."""
        layer = self._makers.get(id(x))
        activation = getattr(layer, "activation", None)
        refuse(
            (
                activation is activations.sigmoid and x.shape[-1] != 1,
                "ends in a sigmoid, whose outputs are no probabilities of classes",
            ),
        )
        is_softmax = activation is activations.softmax
        if isinstance(layer, layers.Softmax) or (isinstance(layer, layers.Activation) and is_softmax):
            return layer.input
        if layer is not None and is_softmax:
            layer.activation = activations.linear
        return x

    def _applied(self, layer: Any, *args: Any, **kwargs: Any) -> Any:
        refuse((id(layer) in self._used, f"uses layer '{layer.name}' twice"))
        self._used.add(id(layer))
        if isinstance(layer, keras.Model):
            return self.output(layer, args[0])
        refuse(
            (
                layer.dtype_policy.name != "float32",
                f"computes in {layer.dtype_policy.name} (layer '{layer.name}'), expected float32",
            ),
        )
        config, weights = layer.get_config() | {"name": self.named(layer.name)}, layer.get_weights()
        if isinstance(layer, layers.Normalization) and layer.input_mean is None:
            # Setting the weights does not change the numbers that this layer computes with; settings do.
            config |= {"mean": weights[0].tolist(), "variance": weights[1].tolist()}
            weights = []
        copy = layer.from_config(config)
        result = copy(*args, **kwargs)
        copy.set_weights(weights)
        self._makers[id(result)] = copy
        return result
