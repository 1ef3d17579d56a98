"""Operations of PyTorch that a .pt2 file may ask for: they only compute, and draw nothing at random.

PyTorch has more than these, some of which read files (``aten.from_file``), and any package may register its own.
"""

from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.exported_program import AGAIN, ExportedProgram, Node, Value

ATEN, DECOMPOSED, PYTHON = "torch.ops.aten.", "torch.ops.quantized_decomposed.", "_operator."
CONVOLUTIONS = {"conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
POOLINGS = {f"{kind}_pool{axes}d" for kind in ("avg", "max", "adaptive_avg", "adaptive_max") for axes in (1, 2, 3)}
POOLINGS |= {f"max_pool{axes}d_with_indices" for axes in (2, 3)}
POOLINGS |= {"_adaptive_avg_pool2d", "_adaptive_avg_pool3d"}
NORMS = {"batch_norm", "_native_batch_norm_legit_no_training", "group_norm", "native_group_norm", "instance_norm"}
RESIZINGS = {"pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "upsample_nearest2d", "upsample_bilinear2d"}
RESIZINGS |= {"upsample_bicubic2d", "upsample_nearest1d", "upsample_linear1d"}
SPATIAL = CONVOLUTIONS | POOLINGS | NORMS | RESIZINGS
"""Defined on (n, C, ...)."""
VIEWS = {"alias", "chunk", "detach", "expand", "expand_as", "flatten", "getitem", "lift_fresh", "narrow", "permute"}
VIEWS |= {"reshape", "select", "slice", "split", "split_with_sizes", "squeeze", "t", "to", "transpose", "unbind"}
VIEWS |= {"unflatten", "unsqueeze", "view", "view_as", "_unsafe_view", "contiguous", "numpy_T", "movedim", "swapaxes"}
DROPOUTS = {"alpha_dropout", "dropout", "feature_dropout"}
VIEWS |= DROPOUTS
"""What they give may lie in the same memory as what they take."""
ELEMENTWISE = {"abs", "celu", "clamp", "clamp_max", "clamp_min", "cos", "elu", "erf", "exp", "floor", "gelu", "glu"}
ELEMENTWISE |= {"hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log", "log1p", "log_sigmoid"}
ELEMENTWISE |= {"mish", "neg", "pow", "prelu", "_prelu_kernel", "reciprocal", "relu", "relu6", "round", "rsqrt", "selu"}
ELEMENTWISE |= {"sigmoid", "sign", "silu", "sin", "softplus", "softshrink", "softsign", "sqrt", "square", "tanh"}
ELEMENTWISE |= {"threshold", "trunc", "ceil", "minimum", "maximum", "expm1", "where", "logical_not", "masked_fill"}
ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
"""Operation -> its name in ``first_operations.linear``."""
UNCHANGED = {"_to_copy", "alias", "clone", "contiguous", "constant_pad_nd", "detach"}
UNCHANGED |= {"lift_fresh", "lift_fresh_copy", "pad", "reflection_pad2d", "replication_pad2d", "slice", "to", "flip"}
UNCHANGED |= DROPOUTS
"""Say the same as their input, in another type or with an edge."""
SHAPES = {"_unsafe_view", "flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view"}
SEQUENCES = {"gru", "lstm", "rnn_relu", "rnn_tanh"}
OTHERS = {"_log_softmax", "_softmax", "addmm", "all", "amax", "amin", "any", "arange", "argmax", "argmin", "baddbmm"}
OTHERS |= {"bitwise_and", "bitwise_not", "bitwise_or", "bmm", "cat", "concat", "copy", "cumsum", "einsum", "embedding"}
OTHERS |= {"eq", "fill", "full", "full_like", "gather", "ge", "gt", "hstack", "im2col", "index"}
OTHERS |= {
    "index_select",
    "item",
    "layer_norm",
    "native_layer_norm",
    "le",
    "linalg_vector_norm",
    "linear",
    "log_softmax",
}
OTHERS |= {"logical_and", "logical_or", "lt", "matmul", "max", "mean", "min", "mm", "ne", "new_full", "new_ones"}
OTHERS |= {"new_zeros", "norm", "one_hot", "ones", "ones_like", "outer", "prod", "repeat", "rms_norm", "roll", "rsub"}
OTHERS |= {"scalar_tensor", "scaled_dot_product_attention", "scatter", "softmax", "softmin", "sort", "stack", "std"}
OTHERS |= {"sum", "sym_numel", "sym_size", "tile", "topk", "tril", "triu", "var", "var_mean", "vstack", "zeros"}
OTHERS |= {"zeros_like", "remainder", "floor_divide", "addcmul", "cross", "diagonal"}
COMPUTING = SPATIAL | VIEWS | ELEMENTWISE | set(ARITHMETIC) | UNCHANGED | SHAPES | SEQUENCES | OTHERS
CHECKS = {"_assert_scalar", "_assert_tensor_metadata", "_assert_async", "sym_constrain_range"}
CHECKS |= {"sym_constrain_range_for_size"}
"""Only compare sizes, and give nothing: they are left out."""
OPERATORS = {"add", "eq", "floordiv", "ge", "getitem", "gt", "le", "lt", "mod", "mul", "ne", "neg", "sub", "truediv"}
"""Of Python, on sizes."""
ROUNDING = {f"{one}quantize_per_{of}" for one in ("", "de") for of in ("tensor", "channel")}
ROUNDING |= {"choose_qparams"}
"""Of ``quantized_decomposed``: integers as PyTorch's own quantization writes them."""
TRAINING = ("train", "training")


def kind(node: Node) -> str:
    """Name of an operation without what it is a part of, its overload, and the mark of one that works in place."""
    return node.target.removeprefix(PYTHON).removeprefix(ATEN).removeprefix(DECOMPOSED).partition(".")[0].rstrip("_")


def check_operations(path: Path, program: ExportedProgram) -> None:
    """Refuse a program that does anything else than compute, or something else each time.

    Raises:
        QuantriftError: an operation is not on the list, works as in training, writes into a weight or the input, or
            takes a value that no earlier one gives.
    """
    makers = {name: node for node in program.nodes for name in _flat(node)}
    known = {*program.weights, *program.inputs}
    for node in program.nodes:
        given = set(_flat(node)) - {""}
        if not known.issuperset(node.values) or given & known:
            raise QuantriftError(f"{path}: its operations are not in the order of their values; {AGAIN}")
        known |= given
        if not _listed(node):
            raise QuantriftError(
                f"{path}: operation {node.target} is not on the list of those that only compute, and is never run; "
                "export the network without it, or as .onnx"
            )
        if _trains(node):
            raise QuantriftError(f"{path}: was exported as in training ({node.target}); call .eval() before the export")
        if in_place(node) and _origin(node, makers) not in makers:
            raise QuantriftError(
                f"{path}: {node.target} writes into a weight or the input of the network; export it without"
            )


def in_place(node: Node) -> bool:
    """Whether an operation writes into its first argument."""
    return node.target.startswith(ATEN) and node.target.removeprefix(ATEN).partition(".")[0].endswith("_")


def is_check(node: Node) -> bool:
    """Whether an operation only compares sizes."""
    return node.target.startswith(ATEN) and kind(node) in CHECKS


def _listed(node: Node) -> bool:
    name = kind(node)
    if node.target.startswith(ATEN):
        return name in COMPUTING | CHECKS
    if node.target.startswith(DECOMPOSED):
        return name in ROUNDING
    return node.target.startswith(PYTHON) and name in OPERATORS and node.target == PYTHON + name


def _trains(node: Node) -> bool:
    """Whether an argument by place says that the operation works as in training."""
    place = {"batch_norm": 5, **dict.fromkeys(DROPOUTS, 2), **dict.fromkeys(SEQUENCES, 6)}.get(kind(node))
    return place is not None and any(node.argument(name, place) is True for name in TRAINING)


def _origin(node: Node, makers: dict[str, Node]) -> str:
    """Name of the value in whose memory an operation writes: that of which its first argument is a view."""
    while True:
        first = node.positional[0] if node.positional else node.named.get("self")
        if not isinstance(first, Value):
            return ""
        maker = makers.get(first.name)
        if maker is None or (kind(maker) not in VIEWS and not in_place(maker)):
            return first.name
        node = maker


def _flat(node: Node) -> list[str]:
    return [name for one in node.results for name in ((one,) if isinstance(one, str) else one)]
