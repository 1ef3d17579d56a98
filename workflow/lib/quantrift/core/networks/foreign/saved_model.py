"""Check of the graph in a SavedModel, before TensorFlow loads it.

The loader runs the initializers of the network. A SavedModel may put any operation there, also one that writes files.
"""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from tensorflow.core.protobuf import saved_model_pb2

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.limits import check_unpacked
from quantrift.core.networks.foreign.given_files import VARIABLES
from quantrift.core.networks.ways import GRAPH

# Operations of TensorFlow that compute on tensors and variables alone: none reads or writes a file or runs code.
_PURE = """
    AssignAddVariableOp AssignSubVariableOp AssignVariableOp DestroyResourceOp DisableCopyOnRead ReadVariableOp
    VarHandleOp VarIsInitializedOp VariableShape VariableV2 Variable Assign IsVariableInitialized

    Case Enter Exit If LoopCond Merge NextIteration NoOp PartitionedCall StatefulPartitionedCall StatelessCase
    StatelessIf StatelessWhile Switch While Assert _Arg _Retval

    Bitcast BroadcastArgs BroadcastTo CheckNumerics Const EnsureShape Fill Identity IdentityN OnesLike Placeholder
    PlaceholderWithDefault PreventGradient Rank Shape ShapeN Size Snapshot StopGradient ZerosLike Cast

    BatchToSpace BatchToSpaceND Concat ConcatV2 DepthToSpace DynamicPartition DynamicStitch ExpandDims
    ExtractImagePatches Gather GatherNd GatherV2 InvertPermutation LinSpace MatrixDiag MatrixDiagV3 MatrixSetDiagV3
    MirrorPad OneHot Pack ParallelConcat Pad PadV2 Range Reshape Reverse ReverseSequence ReverseV2 Roll ScatterNd
    Slice SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze StridedSlice TensorScatterAdd
    TensorScatterUpdate Tile Transpose Unpack Where MatrixBandPart TensorListFromTensor TensorListGetItem
    TensorListLength TensorListReserve TensorListSetItem TensorListStack TensorListElementShape EmptyTensorList
    TensorListPushBack TensorListPopBack

    Abs Acos Acosh Add AddN AddV2 Angle Asin Asinh Atan Atan2 Atanh BesselI0 BesselI1 BitwiseAnd BitwiseOr BitwiseXor
    Ceil ClipByValue Complex ComplexAbs Conj Cos Cosh Digamma Div DivNoNan Equal Erf Erfc Erfinv Exp Expm1 Floor
    FloorDiv FloorMod Greater GreaterEqual Imag Inv Invert IsFinite IsInf IsNan LeftShift Less LessEqual Lgamma Log
    Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Ndtri Neg NextAfter NotEqual Pow Real
    RealDiv Reciprocal RightShift Rint Round Rsqrt Select SelectV2 Sign Sin Sinh Sqrt Square SquaredDifference Sub Tan
    Tanh TruncateDiv TruncateMod Xdivy Xlog1py Xlogy

    All Any ArgMax ArgMin Bincount Bucketize Cumprod Cumsum CumulativeLogsumexp DenseBincount EuclideanNorm InTopK
    InTopKV2 L2Loss Max Mean Min Prod SegmentMax SegmentMean SegmentMin SegmentSum Sum TopK TopKV2 Unique
    UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum

    AvgPool AvgPool3D BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchNormWithGlobalNormalization BiasAdd BiasAddV1 Conv
    Conv2D Conv2DBackpropInput Conv3D Conv3DBackpropInputV2 DepthwiseConv2dNative Dilation2D Einsum Elu
    FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel FusedBatchNorm FusedBatchNormV2
    FusedBatchNormV3 LRN LeakyRelu LogSoftmax MatMul MaxPool MaxPool3D MaxPoolV2 Relu Relu6 Selu Sigmoid Softmax
    Softplus Softsign QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
    QuantizeV2 Dequantize Cross Det Inverse MatrixDeterminant MatrixInverse MatrixSolve

    AdjustContrastv2 AdjustHue AdjustSaturation CropAndResize HSVToRGB ImageProjectiveTransformV2
    ImageProjectiveTransformV3 RGBToHSV ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor
    ScaleAndTranslate

    Multinomial RandomGamma RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt StatelessMultinomial
    StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomNormal
    StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformInt StatelessRandomUniformIntV2
    StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2 TruncatedNormal
"""
PURE = frozenset(_PURE.split())
"""Operations allowed in the functions and initializers of a SavedModel."""
RESTORING = PURE | {"RestoreV2"}
"""Operations allowed to restore its variables."""
SAVING = RESTORING | {
    "MergeV2Checkpoints",
    "SaveV2",
    "ShardedFilename",
    "StaticRegexFullMatch",
    "StringJoin",
}
"""Operations allowed to save them again, which loading never runs."""
MAIN = ""
"""Name of the graph itself among the names of functions."""
Node = tuple[str, str]
"""A function, or ``MAIN``, and a node in it."""


def checked_copy(path: Path, folder: Path) -> Path:
    """A SavedModel of pure operations, copied so that the loader reads the checked files and nothing else.

    Args:
        path: its folder, with ``saved_model.pb``.
        folder: of the copy; it must exist.

    Returns:
        The copy's folder: the graph and the variables, without assets and other forms of the graph.

    Raises:
        QuantriftError: if it is damaged, larger than the limit, or does anything else than compute.
    """
    sources = [path / GRAPH, *sorted(file for file in (path / VARIABLES).glob("*") if file.is_file())]
    check_unpacked(path, sum(file.stat().st_size for file in sources))
    content = (path / GRAPH).read_bytes()
    check(content, path)
    copy = folder / "saved_model"
    (copy / VARIABLES).mkdir(parents=True)
    (copy / GRAPH).write_bytes(content)
    for file in sources[1:]:
        shutil.copyfile(file, copy / VARIABLES / file.name)
    return copy


def check(content: bytes, path: Path) -> None:
    """Refuse a graph that does anything else than compute: in its signatures, functions or initializers.

    Operations that save and restore its variables are those that the file names as such, and may do only that.

    Args:
        content: of ``saved_model.pb``.
        path: for messages.

    Raises:
        QuantriftError: if it is damaged, or holds an operation that is on none of the lists.
    """
    try:
        model = saved_model_pb2.SavedModel.FromString(content)
    except DecodeError:
        raise QuantriftError(f"{path}: damaged SavedModel; export the network again") from None
    refuse((not model.meta_graphs, f"{path}: a SavedModel without a graph; export the network again"))
    for graph in model.meta_graphs:
        _Graph(graph, path).check()


class _Graph:
    """Nodes of one graph and of its functions, and the nodes that each of them runs."""

    def __init__(self, graph: Any, path: Path) -> None:
        self._graph, self._path = graph, path
        functions = [(one.signature.name, one.node_def) for one in graph.graph_def.library.function]
        every = [(name, node) for name, nodes in ((MAIN, graph.graph_def.node), *functions) for node in nodes]
        self._nodes: dict[Node, Any] = {(name, node.name): node for name, node in every}
        self._functions = {name: [(name, node.name) for node in nodes] for name, nodes in functions}
        # Of two with one name only the last would be looked at.
        refuse(
            (
                len(self._nodes) != len(every) or len(self._functions) != len(functions),
                f"{path}: a SavedModel with two nodes or functions of one name; export it again",
            ),
        )

    def check(self) -> None:
        saving = self._reached(_named(self._graph.saver_def.save_tensor_name))
        restoring = self._reached(_named(self._graph.saver_def.restore_op_name))
        # Any node that is not of the saver alone may run when the network is loaded, converted or run.
        computing = self._reached([*(self._nodes.keys() - saving - restoring), *self._started()])
        for reached, allowed in ((computing, PURE), (restoring, RESTORING), (saving, SAVING)):
            for function, name in sorted(reached):
                operation = self._nodes[function, name].op
                place = f"function '{function}'" if function else "its graph"
                refuse(
                    (
                        operation not in allowed and operation not in self._functions,
                        f"{self._path}: operation {operation} in {place} ('{name}') is not on the list of those that "
                        "only compute, and is never run; export the network without it, or as .tflite or .onnx",
                    ),
                )

    def _started(self) -> Iterator[Node]:
        """Nodes that a signature or an initializer names, and those of functions that objects own."""
        for signature in self._graph.signature_def.values():
            for tensor in (*signature.outputs.values(), *signature.inputs.values()):
                yield from _named(tensor.name)
        for collection in self._graph.collection_def.values():
            for name in collection.node_list.value:
                yield from _named(name)
        for name in self._graph.object_graph_def.concrete_functions:
            yield from self._functions.get(name, ())

    def _reached(self, starts: Iterable[Node]) -> set[Node]:
        """All nodes that run with these: their inputs, and the functions that they call."""
        waiting = [one for one in starts if one in self._nodes]
        found = set(waiting)
        while waiting:
            place, _ = current = waiting.pop()
            node = self._nodes[current]
            called = (one for name in (node.op, *_called(node.attr)) for one in self._functions.get(name, ()))
            given = ((place, _node_of(one)) for one in node.input)
            after = {one for one in (*given, *called) if one in self._nodes} - found
            found |= after
            waiting += after
        return found


def _named(tensor: str) -> list[Node]:
    return [(MAIN, _node_of(tensor))] if tensor else []


def _node_of(tensor: str) -> str:
    """The node of ``node:0``, ``node:output:0`` or ``^node``."""
    return tensor.removeprefix("^").split(":", 1)[0]


def _called(attributes: Any) -> Iterator[str]:
    """Functions that attributes name, those that are handed on to functions included."""
    for attribute in attributes.values():
        for function in [*attribute.list.func, *([attribute.func] if attribute.HasField("func") else [])]:
            yield function.name
            yield from _called(function.attr)
