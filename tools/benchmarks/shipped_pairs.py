"""Pairs made of networks that people ship: by public quantizers, and with faults as they happen in conversions."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from quantrift.core.networks.libraries import library
from quantrift.study.board.public_networks import PublicNetwork
from quantrift.study.board.public_quantizers import QUANTIZERS
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX

GOOD: Sequence[tuple[str, str]] = (
    ("direction", "static, percentiles"),
    ("direction", "static, activations of 16 bits"),
    ("direction", "static, 16 bits"),
    ("direction", "float16"),
    ("page", "static"),
    ("page", "float16"),
    ("places", "static, 16 bits"),
    ("places", "float16"),
    ("reader", "float16"),
    ("notes", "weights alone"),
    # These stand in for some that are not good.
    ("direction", "static"),
    ("page", "static, percentiles"),
    ("reader", "static, 16 bits"),
    ("page", "dynamic"),
    ("page", "static, 16 bits"),
    ("places", "static, activations of 16 bits"),
    ("notes", "dynamic, ai-edge-quantizer"),
)
"""Network, and quantizer that is meant well."""
BASE = {"direction": "static", "page": "static", "places": "static, activations of 16 bits", "reader": "float16"}
"""Network -> the way in which faults are planted."""


def led_in(model: Any, steps: str, **numbers: Any) -> None:
    """Put operations, in the language of ``onnx.parser``, between the input and the network.

    Args:
        model: is changed.
        steps: from ``given`` to ``planted``.
        numbers: constants of the operations.
    """
    onnx = library("onnx", "onnxruntime")
    name = model.graph.input[0].name
    first = import_module("onnx.parser").parse_graph(f"first (float given) => (float planted) {{ {steps} }}")
    for nodes, old, new in ((model.graph.node, name, "planted"), (first.node, "given", name)):
        for node in nodes:
            node.input[:] = [new if one == old else one for one in node.input]
    every = [*first.node, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(every)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(one, name) for name, one in numbers.items())


def reordered(order: Sequence[int], model: Any, standard: Any) -> None:
    """Let a classifier that ends in softmax give the logit of class ``order[k]`` as that of class k."""
    onnx = library("onnx", "onnxruntime")
    place, last = [(place, node) for place, node in enumerate(model.graph.node) if node.op_type == "Softmax"][-1]
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(order), "planted_order"))
    gather = onnx.helper.make_node("Gather", [last.input[0], "planted_order"], ["planted"], axis=-1)
    last.input[0] = "planted"
    model.graph.node.insert(place, gather)


def scaled(white: float, model: Any, standard: Any) -> None:
    """Let the network take 0 to ``white``, and standardise that itself."""
    mean, deviation = (np.float32(white) * np.asarray(one, np.float32).reshape(1, -1, 1, 1) for one in standard)
    led_in(
        model,
        "centred = Sub(given, planted_mean) planted = Div(centred, planted_std)",
        planted_mean=mean,
        planted_std=deviation,
    )


def unit(white: float, samples: np.ndarray, standard: Any) -> np.ndarray:
    """Images of 0 to ``white`` for standardised ones, float32 (n, 3, rows, columns)."""
    mean, deviation = (np.float32(white) * np.asarray(one, np.float32).reshape(1, -1, 1, 1) for one in standard)
    return np.asarray(samples * deviation + mean)


def dark(samples: np.ndarray, standard: Any) -> np.ndarray:
    """The same images, standardised, with a sixteenth of the light."""
    black = -np.divide(*standard).astype(np.float32).reshape(1, -1, 1, 1)
    return np.asarray(black + (samples - black) / 16)


def without_bias(file: EditedONNX, layer: int) -> None:
    """Set the bias of a layer to 0."""
    for bias, _ in file.stored(layer)[1:]:
        file.put(bias, 0 * file.get(bias))


def saturating(file: Any, layer: int) -> None:
    """Let the numbers before the last softmax or sigmoid end at a 32nd of their range."""
    last = [one for one in file._graph.operations if one.kind in ("Softmax", "Sigmoid")][-1]
    scale = file._graph.makers[last.inputs[0]].inputs[1]
    file.put(scale, np.asarray(file.get(scale) / 32, np.float32))


class Cause(NamedTuple):
    """A fault."""

    name: str
    networks: Sequence[str]
    """Those that it can befall."""
    said: str | None = None
    """Words by which a cause names it; of a fault in a layer none, as the layer is named."""
    edit: Callable[[Any, Any], None] = lambda model, standard: None
    """Of the float network, ``onnx.ModelProto``, before it is quantized."""
    samples: Callable[[np.ndarray, Any], np.ndarray] = lambda samples, standard: samples
    """Of the inputs on which ranges are measured."""
    stored: Callable[[EditedONNX, int], object] | None = None
    """Of a layer of the quantized file."""


IMAGES, STATIC = ("direction", "places", "reader"), ("direction", "page")
CAUSES = (
    Cause("two classes exchanged", ("direction",), "are exchanged", partial(reordered, [1, 0])),
    Cause("classes in another order", ("page",), "are in another order", partial(reordered, [3, 0, 1, 2])),
    Cause(
        "BGR for RGB",
        IMAGES,
        "BGR for RGB",
        lambda model, _: led_in(
            model, "planted = Gather<axis = 1>(given, planted_order)", planted_order=np.array([2, 1, 0])
        ),
    ),
    Cause(
        "rows for columns",
        ("page", "places"),
        "rows for columns",
        lambda model, _: led_in(model, "planted = Transpose<perm = [0, 1, 3, 2]>(given)"),
    ),
    Cause("other scale", IMAGES, "takes inputs from 0 to 255", partial(scaled, 255), partial(unit, 255)),
    Cause("standardised twice", IMAGES, "takes inputs from 0 to 1,", partial(scaled, 1), partial(unit, 1)),
    Cause("scale of a layer x 4", STATIC, stored=lambda file, layer: file.scale(layer, 4.0)),
    Cause(
        "bias dropped",
        STATIC,
        stored=without_bias,
    ),
    Cause(
        "three of four channels dead",
        STATIC,
        stored=lambda file, layer: file.silence(layer, np.flatnonzero(np.arange(file.outputs[layer]) % 4)),
    ),
    Cause("weights of 2 bits", STATIC, stored=lambda file, layer: file.round(layer, 6)),
    Cause("ranges of dark inputs", STATIC, "cut off", samples=dark),
    Cause("output saturates", STATIC, "saturate", stored=saturating),
)


def broken(cause: Cause, net: PublicNetwork, content: bytes, samples: np.ndarray, rng: np.random.Generator) -> bytes:
    """A quantized file with a fault in a layer that ``rng`` chooses, or in all.

    Args:
        cause: the fault.
        net: the network.
        content: of its prepared file.
        samples: float32 (n, ...) as it takes them.
        rng: draws the layer.
    """
    model = library("onnx", "onnxruntime").load_from_string(content)
    cause.edit(model, net.standard)
    made = QUANTIZERS[BASE[net.name]](model.SerializeToString(), cause.samples(samples, net.standard))
    if cause.stored is None:
        return made
    file = EditedONNX(made)
    cause.stored(file, int(rng.integers(len(file.layers))))
    return file.content()
