"""Operations of PyTorch that a .pt2 file may ask for, and the graph that they make.

They only compute, and draw nothing at random. PyTorch has more than these, some of which read files
(``aten.from_file``), and any package may register its own.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks import graph
from quantrift.core.networks.graphs.exported_program import AGAIN, ExportedProgram, Node, Value
from quantrift.core.networks.graphs.first_operations import GivenGraph, Vocabulary
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX

ATEN, DECOMPOSED, PYTHON = "torch.ops.aten.", "torch.ops.quantized_decomposed.", "_operator."
SPATIAL = (
    {"conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
    | {f"{kind}_pool{axes}d" for kind in ("avg", "max", "adaptive_avg", "adaptive_max") for axes in (1, 2, 3)}
    | {f"max_pool{axes}d_with_indices" for axes in (2, 3)}
    | {"_adaptive_avg_pool2d", "_adaptive_avg_pool3d"}
    | {"batch_norm", "_native_batch_norm_legit_no_training", "group_norm", "native_group_norm", "instance_norm"}
    | {"pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "upsample_nearest2d", "upsample_bilinear2d"}
    | {"upsample_bicubic2d", "upsample_nearest1d", "upsample_linear1d"}
)
"""Defined on (n, C, ...)."""
DROPOUTS = {"alpha_dropout", "dropout", "feature_dropout"}
VIEWS = (
    {"alias", "chunk", "detach", "expand", "expand_as", "flatten", "getitem", "lift_fresh", "narrow", "permute"}
    | {"reshape", "select", "slice", "split", "split_with_sizes", "squeeze", "t", "to", "transpose", "unbind"}
    | {"unflatten", "unsqueeze", "view", "view_as", "_unsafe_view", "contiguous", "numpy_T", "movedim", "swapaxes"}
    | DROPOUTS
)
"""What they give may lie in the same memory as what they take."""
ELEMENTWISE = (
    {"abs", "celu", "clamp", "clamp_max", "clamp_min", "cos", "elu", "erf", "exp", "floor", "gelu", "glu"}
    | {"hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log", "log1p", "log_sigmoid"}
    | {"mish", "neg", "pow", "prelu", "_prelu_kernel", "reciprocal", "relu", "relu6", "round", "rsqrt", "selu"}
    | {"sigmoid", "sign", "silu", "sin", "softplus", "softshrink", "softsign", "sqrt", "square", "tanh"}
    | {"threshold", "trunc", "ceil", "minimum", "maximum", "expm1", "where", "logical_not", "masked_fill"}
)
ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
"""Operation -> its name in ``first_operations.linear``."""
UNCHANGED = (
    {"_to_copy", "alias", "clone", "contiguous", "constant_pad_nd", "detach"}
    | {"lift_fresh", "lift_fresh_copy", "pad", "reflection_pad2d", "replication_pad2d", "slice", "to", "flip"}
    | DROPOUTS
)
"""Say the same as their input, in another type or with an edge."""
SHAPES = {"_unsafe_view", "flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view"}
SEQUENCES = {"gru", "lstm", "rnn_relu", "rnn_tanh"}
OTHERS = (
    {"_log_softmax", "_softmax", "addmm", "all", "amax", "amin", "any", "arange", "argmax", "argmin", "baddbmm"}
    | {"bitwise_and", "bitwise_not", "bitwise_or", "bmm", "cat", "concat", "copy", "cumsum", "einsum", "embedding"}
    | {"eq", "fill", "full", "full_like", "gather", "ge", "gt", "hstack", "im2col", "index"}
    | {"index_select", "item", "layer_norm", "native_layer_norm", "le", "linalg_vector_norm", "linear", "log_softmax"}
    | {"logical_and", "logical_or", "lt", "matmul", "max", "mean", "min", "mm", "ne", "new_full", "new_ones"}
    | {"new_zeros", "norm", "one_hot", "ones", "ones_like", "outer", "prod", "repeat", "rms_norm", "roll", "rsub"}
    | {"scalar_tensor", "scaled_dot_product_attention", "scatter", "softmax", "softmin", "sort", "stack", "std"}
    | {"sum", "sym_numel", "sym_size", "tile", "topk", "tril", "triu", "var", "var_mean", "vstack", "zeros"}
    | {"zeros_like", "remainder", "floor_divide", "addcmul", "cross", "diagonal"}
)
COMPUTING = SPATIAL | VIEWS | ELEMENTWISE | set(ARITHMETIC) | UNCHANGED | SHAPES | SEQUENCES | OTHERS
CHECKS = {"_assert_scalar", "_assert_tensor_metadata", "_assert_async", "sym_constrain_range"} | {
    "sym_constrain_range_for_size"
}
"""Only compare sizes, and give nothing: they are left out."""
OPERATORS = {"add", "eq", "floordiv", "ge", "getitem", "gt", "le", "lt", "mod", "mul", "ne", "neg", "sub", "truediv"}
"""Of Python, on sizes."""
ROUNDING = {f"{one}quantize_per_{of}" for one in ("", "de") for of in ("tensor", "channel")} | {"choose_qparams"}
"""Of ``quantized_decomposed``: integers as PyTorch's own quantization writes them."""


def kind(node: Node) -> str:
    """Name of an operation without what it is a part of, its overload, and the mark of one that works in place."""
    return node.target.removeprefix(PYTHON).removeprefix(ATEN).removeprefix(DECOMPOSED).partition(".")[0].rstrip("_")


def check_operations(path: Path, program: ExportedProgram) -> None:
    """Refuse a program that does anything else than compute, or something else each time.

    Raises:
        QuantriftError: an operation is not on the list, works as in training, writes into a weight or the input, or
            takes a value that no earlier one gives.
    """
    makers = {name: node for node in program.nodes for name in flat(node)}
    known = {*program.weights, *program.inputs}
    for node in program.nodes:
        given = set(flat(node)) - {""}
        refuse(
            (
                not known.issuperset(node.values) or given & known,
                f"{path}: its operations are not in the order of their values; {AGAIN}",
            ),
        )
        known |= given
        refuse(
            (
                not _listed(node),
                f"{path}: operation {node.target} is not on the list of those that only compute, and is never run; "
                "export the network without it, or as .onnx",
            ),
            (_trains(node), f"{path}: was exported as in training ({node.target}); call .eval() before the export"),
            (
                in_place(node) and _origin(node, makers) not in makers,
                f"{path}: {node.target} writes into a weight or the input of the network; export it without",
            ),
        )


def in_place(node: Node) -> bool:
    """Whether an operation writes into its first argument."""
    return node.target.startswith(ATEN) and node.target.removeprefix(ATEN).partition(".")[0].endswith("_")


def is_check(node: Node) -> bool:
    """Whether an operation only compares sizes."""
    return node.target.startswith(ATEN) and kind(node) in CHECKS


def _listed(node: Node) -> bool:
    listed = {ATEN: COMPUTING | CHECKS, DECOMPOSED: ROUNDING, PYTHON: OPERATORS}
    name, space = kind(node), next((one for one in listed if node.target.startswith(one)), "")
    return name in listed.get(space, ()) and (space != PYTHON or node.target == PYTHON + name)


def _trains(node: Node) -> bool:
    """Whether an argument by place says that the operation works as in training."""
    place = {"batch_norm": 5, **dict.fromkeys(DROPOUTS, 2), **dict.fromkeys(SEQUENCES, 6)}.get(kind(node))
    return place is not None and any(node.argument(name, place) is True for name in ("train", "training"))


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


def flat(node: Node) -> list[str]:
    """Names of all values that an operation gives."""
    return [name for one in node.results for name in ((one,) if isinstance(one, str) else one)]


EPSILONS = {"batch_norm": 7, "_native_batch_norm_legit_no_training": 6}
"""Batch normalisations, with the place of the argument that they add to variances."""


class TorchGraph(GivenGraph[str]):
    """The graph of an exported program."""

    UNCHANGING = frozenset(SHAPES | UNCHANGED | ROUNDING)
    WORDS = Vocabulary(
        spatial=SPATIAL,
        sequences={name.upper() for name in SEQUENCES},
        tokens={"embedding": 0},
        means={"mean"},
        transposing={"permute", "transpose"},
        shapes=SHAPES,
        unchanging=UNCHANGED | ROUNDING,
        elementwise=ELEMENTWISE,
        arithmetic=ARITHMETIC,
        endings={"softmax": SOFTMAX, "_softmax": SOFTMAX, "sigmoid": SIGMOID},
    )

    def __init__(self, program: ExportedProgram, weight: Callable[[str], np.ndarray | None]) -> None:
        """``weight``: name of a weight -> its values; ``None`` for what is computed."""
        self._program, self._weight = program, weight
        self.inputs, self.outputs = program.inputs, program.outputs

    @cached_property
    def operations(self) -> list[graph.Operation[str]]:
        """In the order of computation."""
        return [
            graph.Operation(name.upper() if name in SEQUENCES else name, node.values, tuple(flat(node)), node)
            for name, node in [(kind(node), node) for node in self._program.nodes]
        ]

    @property
    def changed(self) -> str:
        """Name of the only input, or of the one that searches change."""
        return self.inputs[self._program.choices.changed(self.inputs)]

    def constant(self, tensor: str) -> np.ndarray | None:
        """See ``Graph``."""
        return self._weight(tensor)

    def range_of_input(self, name: str) -> tuple[float, float, float] | None:
        """Least and greatest value that the input ``name`` is rounded to, and the step; ``None`` if it is not."""
        for one in self.readers.get(name, []):
            if one.kind == "quantize_per_tensor":
                stated = ("scale", "zero_point", "quant_min", "quant_max")
                scale, zero, least, most = (one.table.argument(word, place) for place, word in enumerate(stated, 1))
                if all(isinstance(number, int | float) for number in (scale, zero, least, most)):
                    return (least - zero) * float(scale), (most - zero) * float(scale), float(scale)
        return None

    def sides(self, tensor: str) -> Sequence[int]:
        """See ``GivenGraph``."""
        return self._program.borders[tensor].sizes

    def axes(self, operation: graph.Operation[str], rank: int) -> Sequence[int] | None:
        """See ``GivenGraph``."""
        said = operation.table
        if operation.kind == "mean":
            over = said.argument("dim", 1)
            return over if isinstance(over, list) else None
        if operation.kind == "permute":
            return [axis % rank for axis in said.argument("dims", 1)]
        one, other = (said.argument(f"dim{place}", place + 1) % rank for place in (0, 1))
        swapped = {one: other, other: one}
        return [swapped.get(axis, axis) for axis in range(rank)]

    def operand(self, operation: graph.Operation[str], place: int) -> np.ndarray | None:
        """See ``GivenGraph``."""
        said = operation.table
        # A factor on the second operand, or a way of rounding, which no preprocessing has.
        if {"alpha", "rounding_mode"} & set(said.named):
            return None
        of_norm = ("self", "weight", "bias", "running_mean", "running_var")
        found = said.argument((of_norm if operation.kind in EPSILONS else ("self", "other"))[place], place)
        if isinstance(found, int | float):
            return np.array(found, np.float64)
        return self._weight(found.name) if isinstance(found, Value) else None

    def epsilon(self, operation: graph.Operation[str]) -> float | None:
        """See ``GivenGraph``."""
        found = operation.table.argument("eps", EPSILONS[operation.kind]) if operation.kind in EPSILONS else None
        return found if isinstance(found, float) else None
