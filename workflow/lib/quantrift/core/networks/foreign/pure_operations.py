"""Operations of TensorFlow that compute on tensors and variables alone: none reads or writes a file or runs code."""

_VARIABLES = """
    AssignAddVariableOp AssignSubVariableOp AssignVariableOp DestroyResourceOp DisableCopyOnRead ReadVariableOp
    VarHandleOp VarIsInitializedOp VariableShape VariableV2 Variable Assign IsVariableInitialized
"""
_FLOW = """
    Case Enter Exit If LoopCond Merge NextIteration NoOp PartitionedCall StatefulPartitionedCall StatelessCase
    StatelessIf StatelessWhile Switch While Assert _Arg _Retval
"""
_PASSING = """
    Bitcast BroadcastArgs BroadcastTo CheckNumerics Const EnsureShape Fill Identity IdentityN OnesLike Placeholder
    PlaceholderWithDefault PreventGradient Rank Shape ShapeN Size Snapshot StopGradient ZerosLike Cast
"""
_SHAPING = """
    BatchToSpace BatchToSpaceND Concat ConcatV2 DepthToSpace DynamicPartition DynamicStitch ExpandDims
    ExtractImagePatches Gather GatherNd GatherV2 InvertPermutation LinSpace MatrixDiag MatrixDiagV3 MatrixSetDiagV3
    MirrorPad OneHot Pack ParallelConcat Pad PadV2 Range Reshape Reverse ReverseSequence ReverseV2 Roll ScatterNd
    Slice SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze StridedSlice TensorScatterAdd
    TensorScatterUpdate Tile Transpose Unpack Where MatrixBandPart TensorListFromTensor TensorListGetItem
    TensorListLength TensorListReserve TensorListSetItem TensorListStack TensorListElementShape EmptyTensorList
    TensorListPushBack TensorListPopBack
"""
_ELEMENTWISE = """
    Abs Acos Acosh Add AddN AddV2 Angle Asin Asinh Atan Atan2 Atanh BesselI0 BesselI1 BitwiseAnd BitwiseOr BitwiseXor
    Ceil ClipByValue Complex ComplexAbs Conj Cos Cosh Digamma Div DivNoNan Equal Erf Erfc Erfinv Exp Expm1 Floor
    FloorDiv FloorMod Greater GreaterEqual Imag Inv Invert IsFinite IsInf IsNan LeftShift Less LessEqual Lgamma Log
    Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Ndtri Neg NextAfter NotEqual Pow Real
    RealDiv Reciprocal RightShift Rint Round Rsqrt Select SelectV2 Sign Sin Sinh Sqrt Square SquaredDifference Sub Tan
    Tanh TruncateDiv TruncateMod Xdivy Xlog1py Xlogy
"""
_REDUCING = """
    All Any ArgMax ArgMin Bincount Bucketize Cumprod Cumsum CumulativeLogsumexp DenseBincount EuclideanNorm InTopK
    InTopKV2 L2Loss Max Mean Min Prod SegmentMax SegmentMean SegmentMin SegmentSum Sum TopK TopKV2 Unique
    UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum
"""
_NETWORKS = """
    AvgPool AvgPool3D BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchNormWithGlobalNormalization BiasAdd BiasAddV1 Conv
    Conv2D Conv2DBackpropInput Conv3D Conv3DBackpropInputV2 DepthwiseConv2dNative Dilation2D Einsum Elu
    FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel FusedBatchNorm FusedBatchNormV2
    FusedBatchNormV3 LRN LeakyRelu LogSoftmax MatMul MaxPool MaxPool3D MaxPoolV2 Relu Relu6 Selu Sigmoid Softmax
    Softplus Softsign QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
    QuantizeV2 Dequantize Cross Det Inverse MatrixDeterminant MatrixInverse MatrixSolve
"""
_IMAGES = """
    AdjustContrastv2 AdjustHue AdjustSaturation CropAndResize HSVToRGB ImageProjectiveTransformV2
    ImageProjectiveTransformV3 RGBToHSV ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor
    ScaleAndTranslate
"""
_RANDOM = """
    Multinomial RandomGamma RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt StatelessMultinomial
    StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomNormal
    StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformInt StatelessRandomUniformIntV2
    StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2 TruncatedNormal
"""
PURE = frozenset(
    " ".join((_VARIABLES, _FLOW, _PASSING, _SHAPING, _ELEMENTWISE, _REDUCING, _NETWORKS, _IMAGES, _RANDOM)).split()
)
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
