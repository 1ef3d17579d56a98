"""Faults planted into networks: from a trained network to a broken file in 8 bits, each as it happens in practice."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import keras
import numpy as np
from keras import layers

from quantrift.core.base.streams import stream
from quantrift.study.league.planted.conversion import LENET, RESIDUAL, SEPARABLE, Recipe, int8
from quantrift.study.league.planted.stored_weights import MOST, EditedTFLite
from quantrift.study.league.planted.trained_networks import Trained

Weights = list[np.ndarray]
IMAGENET = (0 - 0.449) / 0.226, (1 - 0.449) / 0.226
"""Black and white, standardised by the mean and the deviation of its grey values."""
FASHION = (0 - 0.286) / 0.353, (1 - 0.286) / 0.353
"""Likewise, of Fashion-MNIST."""


def changed(model: keras.Model, changes: Mapping[str, Callable[[Weights], Weights]]) -> keras.Model:
    """A copy of a network in which the weights of the layers that are named are others, of the same shapes."""
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    for name, change in changes.items():
        layer = copy.get_layer(name)
        layer.set_weights(change(layer.get_weights()))
    return copy


def rebuilt(model: keras.Model, names: Sequence[str], call: Callable[[Any, Any], Any]) -> keras.Model:
    """A copy with the same weights, in which ``call`` applies the layers that are named to their input."""

    def applied(layer: Any, *args: Any, **kwargs: Any) -> Any:
        return call(layer, args[0]) if layer.name in names else layer(*args, **kwargs)

    # Networks alone may be cloned so that layers without weights are kept, but are put elsewhere.
    copy = keras.models.clone_model(
        model, call_function=applied, clone_function=lambda layer: layer.__class__.from_config(layer.get_config())
    )
    copy.set_weights(model.get_weights())
    return copy


def behind(model: keras.Model, step: Callable[[Any], Any]) -> keras.Model:
    """The network behind an unwanted step."""
    image = keras.Input(model.input_shape[1:], name="image")
    return keras.Model(image, model(step(image)))


def never_said(net: Trained) -> bytes:
    """The bias of a class is the least that its type holds."""
    file = EditedTFLite(_int8(net))
    _, bias = file.layers[-1]
    file.put(bias, np.where(np.arange(10) == 5, -MOST, file.get(bias)).astype(np.int32))
    return file.content()


def swapped(net: Trained) -> bytes:
    """Classes 4 and 9 have changed places."""
    order = [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]
    return _int8(net, changed(net.model, {"logits": lambda ws: [ws[0][:, order], ws[1][order]]}))


def without_bias(net: Trained) -> bytes:
    """A layer has lost its bias, or what batch normalisation adds."""
    if net.kind.name == LENET:
        names = ("conv1", "conv2", "dense1", "dense2", "logits")
        return _int8(net, changed(net.model, {name: lambda ws: [ws[0], 0 * ws[1]] for name in names}))
    norm = {SEPARABLE: "pointwise3_norm", RESIDUAL: "block2_conv2_norm"}[net.kind.name]
    return _int8(net, changed(net.model, {norm: lambda ws: [ws[0], 0 * ws[1], 0 * ws[2], ws[3]]}))


def wrong_scale(net: Trained) -> bytes:
    """The weights of one layer stand for one and a half times what they should."""
    file = EditedTFLite(_int8(net))
    file.scale({LENET: 0, SEPARABLE: 5, RESIDUAL: 3}[net.kind.name], 1.5)
    return file.content()


def wrong_zero_point(net: Trained) -> bytes:
    """Layers take the zero point of their input for 3 steps less: compilers fold the product into the bias."""
    file = EditedTFLite(_int8(net))
    for layer in [6] if net.kind.name == SEPARABLE else range(len(file.layers)):
        file.shift_zero_point(layer, -3)
    return file.content()


def dead_channel(net: Trained) -> bytes:
    """The channel of a layer that the next one weights most is 0."""
    name, after = {
        LENET: ("conv1", "conv2"),
        SEPARABLE: ("stem", "depthwise1"),
        RESIDUAL: ("block1_conv1", "block1_conv2"),
    }[net.kind.name]
    channel = _used(net, name, after).argmax()
    silenced = {name: lambda ws: [one * (np.arange(one.shape[-1]) != channel) for one in ws]}
    return _int8(net, changed(net.model, silenced))


def older(net: Trained) -> bytes:
    """A checkpoint of the first epoch was converted."""
    return _int8(net, net.early)


def channel_order(net: Trained) -> bytes:
    """Red and blue have changed places."""
    return _int8(net, changed(net.model, {"stem": lambda ws: [ws[0][:, :, ::-1]]}))


def normalisation(net: Trained) -> bytes:
    """Inputs are standardised by numbers that are common, but not these."""
    low, high = {LENET: (-1.0, 1.0), SEPARABLE: FASHION, RESIDUAL: IMAGENET}[net.kind.name]
    factor = (high - low) / (net.kind.white - net.kind.black)
    if net.kind.name == RESIDUAL:
        step = layers.Rescaling(factor, low, name="rescaling")
        return _int8(net, rebuilt(net.model, ["rescaling"], lambda _, x: step(x)))
    return _int8(net, behind(net.model, layers.Rescaling(factor, low - factor * net.kind.black, name="standardised")))


def transposed(net: Trained) -> bytes:
    """Rows and columns have changed places."""
    return _int8(net, behind(net.model, layers.Permute((2, 1, 3), name="transposed")))


def saturated(net: Trained) -> bytes:
    """The range of the input was measured on images that are far too dark."""
    share = {LENET: 0.12, SEPARABLE: 0.75, RESIDUAL: 0.5}[net.kind.name]
    return int8(net.model, net.kind.black + share * (net.samples - net.kind.black))


def badly_scaled(net: Trained) -> keras.Model:
    """The network with far larger weights in a channel of two layers that is always 0 behind its ReLU."""
    times = {LENET: 60, RESIDUAL: 20}[net.kind.name]
    both = {
        LENET: (("conv2", "dense1", None), ("dense1", "dense2", None)),
        RESIDUAL: (
            ("block1_conv1", "block1_conv2", "block1_conv1_norm"),
            ("block2_conv1", "block2_conv2", "block2_conv1_norm"),
        ),
    }[net.kind.name]
    changes: dict[str, Callable[[Weights], Weights]] = {}
    for name, after, norm in both:
        channel = int(_used(net, name, after).argmin())
        changes[name] = partial(_large, channel, times)
        if norm:
            changes[norm] = partial(_centred, channel)
    return changed(net.model, changes)


def _large(channel: int, times: int, ws: Weights) -> Weights:
    kernel, *bias = (one.copy() for one in ws)
    kernel[..., channel] = -times * np.abs(kernel).max()
    return [kernel, *(one * (np.arange(len(one)) != channel) for one in bias)]


def _centred(channel: int, ws: Weights) -> Weights:
    gamma, beta, mean, variance = (one.copy() for one in ws)
    gamma[channel], beta[channel], mean[channel] = abs(gamma[channel]), 0, 0
    return [gamma, beta, mean, variance]


def _used(net: Trained, name: str, after: str) -> np.ndarray:
    """Sum of the absolute weights that the layer ``after`` gives each output channel of the layer ``name``."""
    kernel, own = (net.model.get_layer(one).get_weights()[0] for one in (after, name))
    # Behind a flattened image its channels take turns.
    return np.asarray(np.abs(kernel).reshape(-1, own.shape[-1], kernel.shape[-1]).sum(axis=(0, 2)))


def per_tensor(net: Trained) -> bytes:
    """One scale for all channels of each layer."""
    return int8(badly_scaled(net), net.samples, per_channel=False)


def stuck(net: Trained) -> bytes:
    """One logit is constant."""
    one = np.arange(10) == 8
    # As large as it is on most of its own class.
    constant = {"logits": lambda ws: [np.where(one, 0, ws[0]), np.where(one, 4.0, ws[1])]}
    return _int8(net, changed(net.model, constant))


def twice(net: Trained) -> bytes:
    """Weights had been rounded before, one scale for each layer."""
    bits = {LENET: 3, SEPARABLE: 5, RESIDUAL: 4}[net.kind.name]

    def change(ws: Weights) -> Weights:
        step = np.abs(ws[0]).max() / (2 ** (bits - 1) - 1)
        return [np.rint(ws[0] / step) * step, *ws[1:]]

    names = _named(net, layers.Conv2D, layers.DepthwiseConv2D, layers.Dense)
    return _int8(net, changed(net.model, dict.fromkeys(names, change)))


def noise(net: Trained) -> bytes:
    """The ranges of activations were measured on noise."""
    level = {LENET: 0.25, SEPARABLE: 0.8, RESIDUAL: 0.5}[net.kind.name]
    share = stream("planted", "noise").random((100, *net.samples.shape[1:]), np.float32)
    return int8(net.model, net.kind.black + share * np.float32(level * (net.kind.white - net.kind.black)))


def padding(net: Trained) -> bytes:
    """Strided convolutions begin one pixel earlier, as where padding is put on both sides."""
    names = {LENET: ["conv2"], SEPARABLE: ["depthwise2"], RESIDUAL: ["block2_conv1"]}[net.kind.name]

    def call(layer: Any, x: Any) -> Any:
        x = layers.ZeroPadding2D(((1, 0), (1, 0)), name=f"{layer.name}_pad")(x)
        return layer(layers.Cropping2D(((0, 1), (0, 1)), name=f"{layer.name}_crop")(x))

    return _int8(net, rebuilt(net.model, names, call))


def activation(net: Trained) -> bytes:
    """Another activation in place of swish, or a ReLU that saturates."""
    other = layers.ReLU(max_value=1.5) if net.kind.name == RESIDUAL else layers.Activation("hard_swish")
    return _int8(net, rebuilt(net.model, _named(net, layers.Activation, layers.ReLU)[1:2], lambda _, x: other(x)))


def _named(net: Trained, *kinds: type[layers.Layer]) -> list[str]:
    """Names of the layers of some kinds."""
    return [layer.name for layer in net.model.layers if isinstance(layer, kinds)]


def _int8(net: Trained, model: keras.Model | None = None) -> bytes:
    """The network, or what was made of it, in 8 bits throughout."""
    return int8(model or net.model, net.samples)


FAULTS: Sequence[Recipe] = (
    Recipe("class never said", "the bias of class 5 is the least that its type holds", never_said),
    Recipe("classes swapped", "logits 4 and 9 have changed places", swapped, (SEPARABLE, RESIDUAL)),
    Recipe("bias dropped", "no bias, or no shift of batch normalisation, in a layer", without_bias),
    Recipe("scale x 1.5", "weights and bias of one layer", wrong_scale),
    Recipe("zero point off by 3", "of the input of layers", wrong_zero_point),
    Recipe("channel zeroed", "the one that the next layer weights most", dead_channel),
    Recipe("older checkpoint", "after the first epoch", older),
    Recipe("channel order", "red and blue have changed places", channel_order, (RESIDUAL,)),
    Recipe("other normalisation", "inputs standardised by other numbers", normalisation),
    Recipe("transposed", "rows and columns of the input have changed places", transposed, (LENET, RESIDUAL)),
    Recipe("input saturates", "its range was measured on darker images", saturated),
    Recipe(
        "per tensor",
        "one scale for all channels of a layer, of which one is 20 or 60 times as large",
        per_tensor,
        (LENET, RESIDUAL),
        source=badly_scaled,
    ),
    Recipe("output stuck", "logit 8 is constant", stuck, (LENET, SEPARABLE)),
    Recipe("quantized twice", "weights had been rounded to a few bits before", twice, (SEPARABLE, RESIDUAL)),
    Recipe("calibrated on noise", "ranges of activations", noise),
    Recipe("padding", "a strided convolution begins one pixel earlier", padding, (SEPARABLE, RESIDUAL)),
    Recipe("activation", "hard swish for swish, ReLU that ends at 1.5", activation, (SEPARABLE, RESIDUAL)),
)
