"""Keras networks as .tflite files without Keras and TensorFlow: plain graphs of common layers.

Each layer becomes the operation that TensorFlow's converter makes of it, under the same name, and batch normalisation
and ReLU join the operation before them as they do there. A network with any other layer, setting or sharing is left
to TensorFlow.
"""

import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import reading
from quantrift.core.networks.keras_archive import members
from quantrift.core.networks.tflite_graph import packed

FUSED = {
    "linear": schema.ActivationFunctionType.NONE,
    "relu": schema.ActivationFunctionType.RELU,
    "relu6": schema.ActivationFunctionType.RELU6,
}
"""Activation -> what an operation of ``FUSING`` applies itself."""
FUSING = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD"}
ALONE = {"relu": "RELU", "relu6": "RELU6", "sigmoid": "LOGISTIC", "tanh": "TANH"}
"""Activation -> the operation that applies it."""
CAPS = {None: "relu", 6.0: "relu6"}
"""Largest value of a layer ReLU -> its activation."""
PADDING = {"same": schema.Padding.SAME, "valid": schema.Padding.VALID}
FLOAT32 = {
    "module": "keras",
    "class_name": "DTypePolicy",
    "config": {"name": "float32"},
    "registered_name": None,
    "shared_object_id": 0,
}
PLAIN: Mapping[str, Sequence[Any]] = {
    "axis": (-1,),
    "dtype": ("float32", FLOAT32),
    "data_format": ("channels_last",),
    "dilation_rate": ([1, 1],),
    "groups": (1,),
    "keepdims": (False,),
    "negative_slope": (0.0,),
    "optional": (False,),
    "quantization_config": (None,),
    "ragged": (False,),
    "renorm": (False,),
    "sparse": (False,),
    "threshold": (0.0,),
}
"""Settings -> values that the operations here stand for."""
OF_TRAINING = {"name", "trainable", "momentum", "synchronized", "seed", "noise_shape", "rate", "stddev"}
"""Settings that change nothing in a trained network, as do those that begin with ``renorm_`` or end so:"""
ALSO_OF_TRAINING = ("_initializer", "_regularizer", "_constraint")


class _Other(Exception):
    """A network that is left to TensorFlow."""


@dataclass
class _Value:
    """Output of one layer, or of several that are one operation."""

    tensor: int
    shape: list[int]
    """Of one input."""
    kind: str = ""
    """Of the operation that makes it; nothing for the input."""
    options: Any = None
    linear: tuple[np.ndarray, np.ndarray] | None = None
    """Kernel and bias of a linear operation, float64, the channels that come out last."""
    constants: Sequence[int] = ()
    """Tensors of both."""
    readers: int = 0


def converted(path: Path) -> tuple[bytes, Sequence[np.ndarray]] | None:
    """The network in a .keras file, from images (H, W, C) or rows (F,) to logits; ``None`` where TensorFlow reads it.

    Returns:
        Content of the .tflite file, without a softmax at the end of the network; and factor and offset that its first
        layer applies to inputs, each float64 (1,) or (C,), if it does.

    Raises:
        QuantriftError: as ``keras_archive.members`` does.
    """
    if path.suffix != ".keras":
        return None
    with reading(path, "not a complete Keras file", "save the network again"):
        config, stored = members(path)
    try:
        with h5py.File(io.BytesIO(stored)) as file:
            groups = [one["vars"] for one in file["layers"].values()]
            weights = {
                one.attrs["name"]: [one[str(place)][()].astype(np.float64) for place in range(len(one))]
                for one in groups
            }
        return _Network(config, weights).converted()
    # What does not have the form that is expected here gets its message from Keras.
    except (_Other, LookupError, TypeError, ValueError, AttributeError):
        return None


def _need(*conditions: object) -> None:
    if not all(conditions):
        raise _Other


class _File:
    """A .tflite file in the making."""

    def __init__(self) -> None:
        self._buffers = [schema.BufferT()]
        self._tensors: list[schema.TensorT] = []
        self._operations: list[schema.OperatorT] = []
        self._kinds: list[str] = []

    def tensor(self, name: str, shape: Sequence[int]) -> int:
        """A tensor of float32 for any number of inputs of a shape."""
        self._tensors.append(
            schema.TensorT(shape=[1, *shape], shapeSignature=[-1, *shape], name=name, buffer=0, hasRank=True)
        )
        return len(self._tensors) - 1

    def constant(self, name: str, values: np.ndarray) -> int:
        """A tensor of float32 or int32."""
        kind = schema.TensorType.FLOAT32 if values.dtype == np.float32 else schema.TensorType.INT32
        self._tensors.append(schema.TensorT(shape=values.shape, type=kind, name=name, buffer=len(self._buffers)))
        self._buffers.append(schema.BufferT())
        self.fill(len(self._tensors) - 1, values)
        return len(self._tensors) - 1

    def fill(self, constant: int, values: np.ndarray) -> None:
        """Store other values."""
        self._buffers[self._tensors[constant].buffer].data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)

    def operation(self, kind: str, options: Any, inputs: Sequence[int], output: int) -> None:
        if kind not in self._kinds:
            self._kinds.append(kind)
        self._operations.append(
            schema.OperatorT(
                opcodeIndex=self._kinds.index(kind),
                inputs=list(inputs),
                outputs=[output],
                builtinOptions=options,
                builtinOptionsType=getattr(schema.BuiltinOptions, type(options).__name__[:-1]) if options else 0,
            )
        )

    def renamed(self, tensor: int, name: str) -> None:
        """Put the name of one more layer before that of a tensor."""
        self._tensors[tensor].name = f"{name};{self._tensors[tensor].name}"

    def content(self, first: int, last: int) -> bytes:
        """The whole file, from its input to its output."""
        codes = [getattr(schema.BuiltinOperator, kind) for kind in self._kinds]
        ends = [schema.TensorMapT(name, tensor) for name, tensor in (("image", first), ("logits", last))]
        return packed(
            schema.ModelT(
                version=3,
                description="Quantrift",
                operatorCodes=[schema.OperatorCodeT(min(code, 127), None, 1, code) for code in codes],
                subgraphs=[schema.SubGraphT(self._tensors, [first], [last], self._operations, "main")],
                buffers=self._buffers,
                signatureDefs=[schema.SignatureDefT(ends[:1], ends[1:], "serving_default", 0)],
            )
        )


class _Network:
    """A network of Keras, layer by layer."""

    def __init__(self, config: Any, weights: Mapping[str, list[np.ndarray]]) -> None:
        own = config["config"]
        _need(config["class_name"] in ("Sequential", "Functional"), config["module"].split(".")[0] == "keras")
        self._name, self._layers, self._weights = own["name"], own["layers"], weights
        names = [layer["config"]["name"] for layer in self._layers]
        if config["class_name"] == "Sequential":
            self._sources = dict(zip(names, [[], *([name] for name in names)], strict=False))
            self._last = names[-1]
        else:
            self._sources = {name: _read(one) for name, one in zip(names, self._layers, strict=True)}
            self._last = own["output_layers"][0]
            _need(own["output_layers"] == [self._last, 0, 0])
        self._readers = Counter(one for several in self._sources.values() for one in several)
        _need(len(self._sources) == len(names), not self._readers[self._last])
        self._file, self._found, self._scaled = _File(), dict[str, _Value](), tuple[np.ndarray, ...]()

    def converted(self) -> tuple[bytes, Sequence[np.ndarray]]:
        """See ``converted``."""
        # Layers of a user's own may have the names of Keras's.
        _need(all(layer["module"] == "keras.layers" for layer in self._layers))
        for layer in self._layers:
            self._apply(layer["class_name"], dict(layer["config"]))
        last = self._found[self._last]
        (first,) = (one for one in self._found.values() if not one.kind)
        _need(len(last.shape) == 1, last.kind, last.kind != "LOGISTIC" or last.shape == [1])
        return self._file.content(first.tensor, last.tensor), self._scaled

    def _apply(self, kind: str, config: dict[str, Any]) -> None:
        name = config["name"]
        given = [self._found[one] for one in self._sources[name]]
        made = getattr(self, f"_{MAKERS[kind]}")(kind, name, config, *given)
        _need(*(_is_plain(*setting) for setting in config.items()))
        # An output that this layer only changes loses it as a reader.
        made.readers = self._readers[name] + (made.readers - 1 if any(made is one for one in given) else 0)
        self._found[name] = made

    def _input(self, kind: str, name: str, config: dict[str, Any]) -> _Value:
        batch, *shape = config.pop("batch_shape")
        _need(batch is None, len(shape) in (1, 3), all(isinstance(side, int) for side in shape), not self._found)
        return _Value(self._file.tensor(f"serving_default_{name}:0", shape), shape)

    def _convolution(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        kernel, depthwise = self._weights[name][0], kind == "DepthwiseConv2D"
        height, width, channels, made = kernel.shape
        stated = config.pop("kernel_size"), config.pop("depth_multiplier" if depthwise else "filters")
        _need(stated == ([height, width], made), channels == x.shape[2])
        padding, (down, right) = config.pop("padding"), config.pop("strides")
        how = {"padding": PADDING[padding], "strideH": down, "strideW": right}
        shape = _moved(x.shape, (height, width), (down, right), padding)
        if not depthwise:
            return self._linear("CONV_2D", name, config, schema.Conv2DOptionsT(**how), x, [*shape, made], kernel)
        options = schema.DepthwiseConv2DOptionsT(**how, depthMultiplier=made)
        kernel = kernel.reshape(1, height, width, -1)
        return self._linear("DEPTHWISE_CONV_2D", name, config, options, x, [*shape, channels * made], kernel)

    def _dense(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        kernel = self._weights[name][0]
        _need([*kernel.shape] == [*x.shape, config.pop("units")])
        return self._linear(
            "FULLY_CONNECTED", name, config, schema.FullyConnectedOptionsT(), x, [kernel.shape[1]], kernel
        )

    def _linear(
        self,
        kind: str,
        name: str,
        config: dict[str, Any],
        options: Any,
        x: _Value,
        shape: list[int],
        kernel: np.ndarray,
    ) -> _Value:
        _, *bias = self._weights[name]
        _need(len(bias) == config.pop("use_bias"))
        made = _Value(-1, shape, kind, options, (kernel, bias[0] if bias else np.zeros(kernel.shape[-1])))
        made.constants = [self._file.constant(self._tensor(name, one), values) for one, values in _stored(made)]
        self._operation(made, name, [x.tensor, *made.constants])
        return self._activated(config.pop("activation"), name, made, own=True)

    def _normalised(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        _need(config.pop("axis") in (-1, len(x.shape)))
        found, channels = iter(self._weights[name]), x.shape[-1]
        gamma = next(found) if config.pop("scale") else np.ones(channels)
        beta = next(found) if config.pop("center") else np.zeros(channels)
        mean, variance = found
        factor = gamma / np.sqrt(variance + config.pop("epsilon"))
        return self._scaled_by(name, factor, beta - mean * factor, x)

    def _rescaled(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        _need(not x.kind)
        factor, offset = (np.atleast_1d(np.array(config.pop(one), np.float64)) for one in ("scale", "offset"))
        self._scaled = factor, offset
        return self._scaled_by(name, factor, offset, x)

    def _scaled_by(self, name: str, factor: np.ndarray, offset: np.ndarray, x: _Value) -> _Value:
        if x.linear is not None and x.readers == 1 and x.options.fusedActivationFunction == FUSED["linear"]:
            x.linear = x.linear[0] * factor, x.linear[1] * factor + offset
            for tensor, (_, values) in zip(x.constants, _stored(x), strict=True):
                self._file.fill(tensor, values)
            self._file.renamed(x.tensor, self._tensor(name, x.kind))
            return x
        for kind, options, values in ("MUL", schema.MulOptionsT(), factor), ("ADD", schema.AddOptionsT(), offset):
            constant = self._file.constant(self._tensor(name, f"{kind}_constant"), values.astype(np.float32))
            x = self._operation(_Value(-1, x.shape, kind, options), name, [x.tensor, constant])
        return x

    def _pooled(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        padding, size, strides = (config.pop(one) for one in ("padding", "pool_size", "strides"))
        options = schema.Pool2DOptionsT(PADDING[padding], *reversed(strides), *reversed(size))
        operation = "MAX_POOL_2D" if kind == "MaxPooling2D" else "AVERAGE_POOL_2D"
        made = _Value(-1, [*_moved(x.shape, size, strides, padding), x.shape[2]], operation, options)
        return self._operation(made, name, [x.tensor])

    def _averaged(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        axes = self._file.constant(self._tensor(name, "axes"), np.array([1, 2], np.int32))
        return self._operation(_Value(-1, x.shape[2:], "MEAN", schema.ReducerOptionsT()), name, [x.tensor, axes])

    def _reshaped(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        size = math.prod(x.shape)
        wanted = config.pop("target_shape") if kind == "Reshape" else [size]
        shape = [side if side > 0 else size // -math.prod(wanted) for side in wanted]
        _need(math.prod(shape) == size, all(side > 0 for side in shape))
        sides = np.array([-1, *shape], np.int32)
        constant = self._file.constant(self._tensor(name, "shape"), sides)
        return self._operation(_Value(-1, shape, "RESHAPE", schema.ReshapeOptionsT(sides)), name, [x.tensor, constant])

    def _padded(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        sides = np.array([[0, 0], *config.pop("padding"), [0, 0]], np.int32)
        constant = self._file.constant(self._tensor(name, "paddings"), sides)
        shape = np.add(x.shape, sides[1:].sum(axis=1)).tolist()
        return self._operation(_Value(-1, shape, "PAD", schema.PadOptionsT()), name, [x.tensor, constant])

    def _added(self, kind: str, name: str, config: dict[str, Any], x: _Value, *others: _Value) -> _Value:
        for other in others:
            _need(other.shape == x.shape)
            x = self._operation(_Value(-1, x.shape, "ADD", schema.AddOptionsT()), name, [x.tensor, other.tensor])
        return x

    def _joined(self, kind: str, name: str, config: dict[str, Any], *parts: _Value) -> _Value:
        first = parts[0].shape
        _need(config.pop("axis") in (-1, len(first)), all(one.shape[:-1] == first[:-1] for one in parts))
        made = _Value(-1, [*first[:-1], sum(one.shape[-1] for one in parts)], "CONCATENATION")
        made.options = schema.ConcatenationOptionsT(len(first))
        return self._operation(made, name, [one.tensor for one in parts])

    def _activation(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        own = "softmax" if kind == "Softmax" else CAPS[config.pop("max_value")] if kind == "ReLU" else None
        return self._activated(own or config.pop("activation"), name, x)

    def _activated(self, activation: str, name: str, x: _Value, own: bool = False) -> _Value:
        """The output with an activation: of its own layer, or of one behind it."""
        if activation == "linear" or (activation == "softmax" and name == self._last):
            return x
        is_free = x.kind in FUSING and x.options.fusedActivationFunction == FUSED["linear"]
        if activation in FUSED and is_free and (own or x.readers == 1):
            x.options.fusedActivationFunction = FUSED[activation]
            if not own:
                self._file.renamed(x.tensor, self._tensor(name, activation))
            return x
        return self._operation(_Value(-1, x.shape, ALONE[activation]), name, [x.tensor])

    def _same(self, kind: str, name: str, config: dict[str, Any], x: _Value) -> _Value:
        return x

    def _operation(self, made: _Value, name: str, inputs: Sequence[int]) -> _Value:
        made.tensor = self._file.tensor(self._tensor(name, made.kind), made.shape)
        self._file.operation(made.kind, made.options, inputs, made.tensor)
        return made

    def _tensor(self, layer: str, part: str) -> str:
        # The export of Keras puts a number behind every layer, by which ``layer_tensors`` knows its files. The
        # converter may join a padding with the layer behind it, so that it has no layer to be compared with.
        return part if part == "PAD" else f"{self._name}/{layer}_1/{part}"


MAKERS = {
    "Activation": "activation",
    "Add": "added",
    "AveragePooling2D": "pooled",
    "BatchNormalization": "normalised",
    "Concatenate": "joined",
    "Conv2D": "convolution",
    "Dense": "dense",
    "DepthwiseConv2D": "convolution",
    "Dropout": "same",
    "Flatten": "reshaped",
    "GaussianNoise": "same",
    "GlobalAveragePooling2D": "averaged",
    "InputLayer": "input",
    "MaxPooling2D": "pooled",
    "ReLU": "activation",
    "Rescaling": "rescaled",
    "Reshape": "reshaped",
    "Softmax": "activation",
    "SpatialDropout2D": "same",
    "ZeroPadding2D": "padded",
}
"""Class of a layer -> what makes its operations."""


def _read(layer: Any) -> list[str]:
    """Names of the layers that a layer reads."""
    if layer["class_name"] == "InputLayer":
        return []
    (node,) = layer["inbound_nodes"]
    (given,) = node["args"]
    places = [one["config"]["keras_history"] for one in (given if isinstance(given, list) else [given])]
    _need(not any(node["kwargs"].values()), all(place[1:] == [0, 0] for place in places))
    return [place[0] for place in places]


def _is_plain(setting: str, value: Any) -> bool:
    """True for a setting that needs no code here: it has a value that ``PLAIN`` lists, or it is for training."""
    if setting in PLAIN:
        # Keras numbers the types of layers that were built together.
        return (value | {"shared_object_id": 0} if isinstance(value, dict) else value) in PLAIN[setting]
    return setting in OF_TRAINING or setting.startswith("renorm_") or setting.endswith(ALSO_OF_TRAINING)


def _moved(shape: Sequence[int], size: Sequence[int], strides: Sequence[int], padding: str) -> list[int]:
    """Height and width behind a window that moves over an image."""
    return [
        -(-(side - (0 if padding == "same" else window - 1)) // step)
        for side, window, step in zip(shape, size, strides, strict=False)
    ]


def _stored(x: _Value) -> list[tuple[str, np.ndarray]]:
    """Constants of a linear operation as the file has them."""
    assert x.linear is not None
    kernel, bias = x.linear
    kernel = kernel if x.kind == "DEPTHWISE_CONV_2D" else np.moveaxis(kernel, -1, 0)
    return [("kernel", kernel.astype(np.float32)), ("bias", bias.astype(np.float32))]
