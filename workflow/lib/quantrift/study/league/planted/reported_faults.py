"""Faults that public issue trackers report, each rebuilt as an original, a broken and a mended file of a small network.

The files are .onnx. Nothing of a report is taken but the fault itself; the code that makes it is ours.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import layers

from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtimes.onnxruntime import export
from quantrift.study.board.public_quantizers import onnx_float16, onnx_static
from quantrift.study.league.planted.faults import Weights, behind, changed
from quantrift.study.league.planted.stored_weights import MOST
from quantrift.study.league.planted.stored_weights_onnx import EditedONNX
from quantrift.study.league.planted.trained_networks import Trained

UNITS = 42
"""Half of the units before the logits of LeNet-5."""


class Files(NamedTuple):
    """Contents of the files of a fault."""

    original: bytes
    broken: bytes
    mended: bytes


class Reported(NamedTuple):
    """A fault."""

    title: str
    reports: Sequence[str]
    """Where it is reported, ``owner/name#number``."""
    network: str
    """Name in ``trained_networks``."""
    make: Callable[[Trained], Files]
    said: str | None = None
    """Words by which a cause names it; of a fault in a layer none, as the layer is named."""
    layer: str | None = None
    """Layer that it lies in, by its name in Keras."""

    def is_named(self, text: str) -> bool:
        """Whether a cause, or the name of a layer in the file, names the fault."""
        return bool(re.search(re.escape(self.said) if self.said else rf"(^|/|layer ){self.layer}(_|$| )", text))


def digest(content: bytes) -> str:
    """SHA-256 of the operations and numbers of an .onnx file, whatever tf2onnx calls them; that differs by process."""
    onnx = library("onnx", "onnxruntime")
    graph = onnx.load_from_string(content).graph
    numbers = {onnx.numpy_helper.to_array(one).tobytes() for one in graph.initializer}
    return sha256(b"".join([*(node.op_type.encode() for node in graph.node), *sorted(numbers)])).hexdigest()


def _in_8_bits(net: Trained, model: keras.Model | None = None, **settings: Any) -> bytes:
    return onnx_static(export(model or net.model), net.samples, **settings)


def _converted(net: Trained, wrong: keras.Model) -> Files:
    """Another network was converted."""
    return Files(export(net.model), _in_8_bits(net, wrong), _in_8_bits(net))


def _edited(edit: Callable[[EditedONNX], None], net: Trained) -> Files:
    """A good file is edited."""
    mended = _in_8_bits(net)
    file = EditedONNX(mended)
    edit(file)
    return Files(export(net.model), file.content(), mended)


def _wide(net: Trained, units: int, factor: float) -> keras.Model:
    """The same function, with outputs of some units before the logits that many times as large."""
    many = np.where(np.arange(84) < units, factor, 1).astype(np.float32)
    ends = {"dense2": lambda ws: [ws[0] * many, ws[1] * many], "logits": lambda ws: [ws[0] / many[:, None], ws[1]]}
    return changed(net.model, ends)


def one_scale(net: Trained) -> Files:
    """Half of the values that share a scale are 640 times as large as the others, as boxes are beside scores."""
    original = export(_wide(net, UNITS, 640))
    return Files(original, onnx_static(original, net.samples), _in_8_bits(net))


def by_tensor(net: Trained) -> Files:
    """A channel that is always 0 has large weights, and all channels of a depthwise convolution have one scale."""

    def dead(ws: Weights) -> Weights:
        kept = np.arange(len(ws[0])) > 0
        return [ws[0] * kept, ws[1] * kept, *ws[2:]]

    def large(ws: Weights) -> Weights:
        return [ws[0] * np.where(np.arange(ws[0].shape[2]) > 0, 1, 1000)[:, None]]

    model = changed(net.model, {"stem_norm": dead, "depthwise1": large})
    return Files(export(model), _in_8_bits(net, model, per_channel=False), _in_8_bits(net, model))


def head(net: Trained) -> Files:
    """A class that is not used is ruled out by a large negative logit, which widens the range of all logits."""
    model = changed(net.model, {"logits": lambda ws: [ws[0], ws[1] - 5000 * (np.arange(10) == 9)]})
    return Files(export(model), _in_8_bits(net, model), _in_8_bits(net, model, left_out=("Gemm", "MatMul", "Add")))


def in_float(net: Trained) -> Files:
    """Dense layers stay in float, and nothing says so."""
    return Files(export(net.model), _in_8_bits(net, left_out=("Gemm", "MatMul")), _in_8_bits(net))


def layout(net: Trained) -> Files:
    """Weights behind the flattened image belong to an image with its channels first."""

    def turned(ws: Weights) -> Weights:
        rows = ws[0].reshape(7, 7, 16, -1).transpose(2, 0, 1, 3)
        return [rows.reshape(ws[0].shape), ws[1]]

    return _converted(net, changed(net.model, {"dense1": turned}))


def normalised_twice(net: Trained) -> Files:
    """The network standardises its inputs, and the converted one does so twice."""
    return _converted(net, behind(net.model, layers.Rescaling(1 / 127.5, -1)))


def folded_wrongly(net: Trained) -> Files:
    """Folding of a batch normalisation adds the bias of its convolution without the normalisation's factor."""

    def folded(ws: Weights) -> Weights:
        gamma, beta, mean, variance = ws
        factor = gamma / np.sqrt(variance + 1e-3)
        # A bias as large as the mean that the normalisation takes off.
        return [gamma, beta + mean * (1 - factor), mean, variance]

    return _converted(net, changed(net.model, {"conv2_norm": folded}))


def bias_clipped(net: Trained) -> Files:
    """A filter with tiny weights has so small a scale that its bias does not fit 32 bits."""
    first = np.arange(16) == 0

    def tiny(ws: Weights) -> Weights:
        return [ws[0] * np.where(first, 1e-9, 1), np.where(first, 5, ws[1])]

    def less(ws: Weights) -> Weights:
        return [ws[0], ws[1] - 5 * ws[0].reshape(7, 7, 16, -1)[:, :, 0].sum((0, 1))]

    model = changed(net.model, {"conv2": tiny, "dense1": less})
    file = EditedONNX(mended := _in_8_bits(net, model))
    _, (bias, _) = file.stored(1)
    file.scale(1, np.where(first, 1e-11 / file.scales(1), 1))
    file.put(bias, np.where(first, MOST, file.get(bias)).astype(np.int32))
    return Files(export(model), file.content(), mended)


def clipped(net: Trained) -> Files:
    """Ranges were measured on inputs with a tenth of the light."""
    samples = (0.1 * net.samples).astype(np.float32)
    return Files(export(net.model), onnx_static(export(net.model), samples), _in_8_bits(net))


def clamped(net: Trained) -> Files:
    """Weights beyond 10,000, and nearer to 0 than 1e-7, are cut off by a conversion to 16 bits."""
    original = export(_wide(net, 84, 1e7))
    return Files(original, onnx_float16(original), onnx_float16(export(net.model)))


def padded(net: Trained) -> Files:
    """Integers are padded with 0, which does not stand for 0."""

    def with_pads(zero_as_well: bool) -> bytes:
        onnx = library("onnx", "onnxruntime")
        model = onnx.load_from_string(_in_8_bits(net))
        graph = model.graph
        makers = {name: node for node in graph.node for name in node.output}
        constants = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
        conv = [node for node in graph.node if node.op_type == "Conv"][1]
        reading = makers[conv.input[0]]
        [pads] = [one for one in conv.attribute if one.name == "pads"]
        zero = constants[reading.input[2]]
        own = {
            "planted_pads": np.array([0, 0, *pads.ints[:2], 0, 0, *pads.ints[2:]], np.int64),
            "planted_value": zero if zero_as_well else np.zeros_like(zero),
        }
        graph.initializer.extend(onnx.numpy_helper.from_array(one, name) for name, one in own.items())
        pad = onnx.helper.make_node("Pad", [reading.input[0], *own], ["planted"])
        # A reading of its own, as others may read what it reads.
        read = onnx.helper.make_node("DequantizeLinear", ["planted", *reading.input[1:]], ["planted_read"])
        place = list(graph.node).index(conv)
        graph.node.insert(place, read)
        graph.node.insert(place, pad)
        conv.input[0] = "planted_read"
        pads.ints[:] = [0] * len(pads.ints)
        return bytes(model.SerializeToString())

    return Files(export(net.model), with_pads(False), with_pads(True))


def other_axis(file: EditedONNX) -> None:
    """Scales of output channels are taken for input channels, of which there are as many."""
    layer = next(
        place for place, one in enumerate(file.layers) if len({*file.get(file.stored(place)[0][0]).shape[:2]}) == 1
    )
    file.turn_scales(layer, 1)


REPORTED: Mapping[str, Reported] = {
    "one_scale": Reported(
        "one scale for boxes and scores",
        ("ultralytics/ultralytics#1683", "PINTO0309/onnx2tf#244"),
        "lenet5",
        one_scale,
        layer="dense2",
    ),
    "by_tensor": Reported(
        "one scale for all channels of a depthwise convolution",
        ("tensorflow/tensorflow#57745", "tensorflow/model-optimization#808"),
        "separable",
        by_tensor,
        layer="depthwise1",
    ),
    "head": Reported(
        "logits of wide range in 8 bits", ("microsoft/onnxruntime#14233",), "lenet5", head, layer="output"
    ),
    "in_float": Reported(
        "dense layers left in float",
        ("microsoft/onnxruntime#2340", "tensorflow/tensorflow#53094"),
        "lenet5",
        in_float,
    ),
    "layout": Reported(
        "weights of another layout behind the flattened image",
        ("microsoft/MMdnn#250",),
        "lenet5",
        layout,
        layer="dense1",
    ),
    "normalised_twice": Reported(
        "inputs standardised twice",
        ("PINTO0309/PINTO_model_zoo#322", "PINTO0309/onnx2tf#610"),
        "residual",
        normalised_twice,
        said="takes inputs from",
    ),
    "folded_wrongly": Reported(
        "batch normalisation folded without its factor on the bias",
        ("Tencent/ncnn#1339",),
        "convolutions",
        folded_wrongly,
        layer="conv2",
    ),
    "bias_clipped": Reported(
        "bias that does not fit its integers",
        ("tensorflow/tensorflow#33735", "microsoft/onnxruntime#22020"),
        "lenet5",
        bias_clipped,
        layer="conv2",
    ),
    "clipped": Reported(
        "ranges of inputs that are too dark",
        ("microsoft/onnxruntime#10846", "microsoft/onnxruntime#10571"),
        "lenet5",
        clipped,
        said="cut off",
    ),
    "bgr": Reported(
        "BGR for RGB",
        ("openvinotoolkit/openvino#1841", "open-mmlab/mmdetection#4777"),
        "residual",
        lambda net: _converted(net, changed(net.model, {"stem": lambda ws: [ws[0][:, :, ::-1]]})),
        said="BGR for RGB",
    ),
    "stale": Reported(
        "weights of an earlier epoch",
        ("qubvel/efficientnet#19", "tensorflow/tensorflow#25912"),
        "lenet5",
        lambda net: _converted(net, net.early),
        layer="conv1",
    ),
    "clamped": Reported(
        "weights cut off at 10,000 and 1e-7 in float16",
        ("microsoft/onnxconverter-common#295",),
        "lenet5",
        clamped,
        layer="output",
    ),
    "padded": Reported(
        "integers padded with 0 where another number stands for 0",
        ("apache/tvm#4807", "pytorch/executorch#13576"),
        "convolutions",
        padded,
        layer="conv2",
    ),
    "two_scales": Reported(
        "an activation written with one scale and read with another",
        ("tensorflow/tensorflow#33397", "tensorflow/tensorflow#37279"),
        "residual",
        partial(_edited, lambda file: file.reread(2, 4.0)),
        layer="block1_conv2",
    ),
    "other_axis": Reported(
        "scales of output channels taken for input channels",
        ("microsoft/onnxruntime#19694", "neuralmagic/sparseml#1701"),
        "residual",
        partial(_edited, other_axis),
        layer="block1_conv1",
    ),
    "class_order": Reported(
        "labels in another order",
        ("tensorflow/docs#2212", "ultralytics/yolov5#9416"),
        "lenet5",
        lambda net: _converted(
            net,
            changed(net.model, {"logits": lambda ws: [ws[0][:, [1, 0, *range(2, 10)]], ws[1][[1, 0, *range(2, 10)]]]}),
        ),
        said="are exchanged",
    ),
}
"""Name -> fault."""
