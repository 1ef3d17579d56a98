"""Checkers of compressed networks that come with the package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

from quantrift.core.base.streams import stream
from quantrift.core.statistics.margin_files import margins
from quantrift.core.statistics.margin_law import predicted
from quantrift.judge.verdict.tool_result import ToolResult
from quantrift.study.league import ai_edge, figures, qdq_debug
from quantrift.study.league.outputs import both

BOTH = (".tflite", ".onnx")
"""Endings of files that quantized networks come in."""
INPUTS = 64
"""Inputs on which layers are compared."""
SEEDS = 50
"""Seed inputs of a search for natural changes."""
PROCESSES = {
    "space": {"neighbourhood": {"of": "shift=2+brightness=32"}},
    "constraint": "none",
    "objective": "jensen_shannon",
    "searcher": "surrogate",
}
"""A search among all members of a finite neighbourhood."""
Score = Callable[[Path, Path, np.ndarray, np.ndarray], float]
"""How suspicious a compressed network is; larger is more suspicious, and nothing else is said of its unit.

It takes the float network, .tflite or .onnx, what was made of it, of the same kind, inputs, float32 (n, H, W, C), as
the original takes them, and true labels, int64 (n,). Infinite numbers count; NaN where the checker has nothing to say.
"""
Layer = Callable[[Path, Path, np.ndarray, np.ndarray], str | None]
"""The layer in which a fault lies, by its name in an assessment, or ``None``; it takes what ``Score`` takes."""
Figure = Callable[[np.ndarray, np.ndarray], float]
"""From values in both networks, float32 of one shape, to a number that falls with the error; NaN where it is not
defined."""


@dataclass(frozen=True)
class Checker:
    """A checker."""

    title: str
    """Name, for tables."""
    meaning: str
    """Definition of the score, one line."""
    score: Score
    layer: Layer | None = None
    suffixes: tuple[str, ...] = BOTH
    """Endings of the files that it reads; both are of one kind."""
    package: str | None = None
    """Import name of a package that it needs and that may be missing."""


def _of_labels(figure: Callable[[np.ndarray, np.ndarray, np.ndarray], np.floating]) -> Score:
    """A figure of the labels that both networks give and of the true ones."""

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        before, after = (logits.argmax(axis=1) for logits in both(original, compressed, inputs))
        return float(figure(before, after, labels))

    return score


def _kl_divergence(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    logits = (values.astype(np.float64) for values in both(original, compressed, inputs))
    # Below that probability the logarithm is not followed.
    p, q = (np.maximum(softmax(values, axis=1), 1e-12) for values in logits)
    return float((p * np.log(p / q)).sum(axis=1).mean())


def _random_inputs(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """As converters check their files, on inputs that are uniform over the range of the given ones."""
    shares = stream("checks", "random_inputs").random((64, *inputs.shape[1:]), np.float32)
    x, y = both(original, compressed, inputs.min() + shares * (inputs.max() - inputs.min()))
    return float(np.abs(x - y).max() / max(np.ptp(x), 1e-12))


def _of_output(figure: Figure) -> Score:
    """A figure of the logits, with its sign changed."""

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        return -figure(*both(original, compressed, inputs))

    return score


def _of_worst_layer(of_layers: Callable[[Path, Path, np.ndarray], Mapping[str, float]]) -> tuple[Score, Layer]:
    """The least figure of all layers, with its sign changed, and that layer's name.

    The first of them is named on a tie; no layer, and NaN, where none has a figure.
    """

    def worst(original: Path, compressed: Path, inputs: np.ndarray) -> tuple[str | None, float]:
        known = {name: one for name, one in of_layers(original, compressed, inputs).items() if not isnan(one)}
        return min(known.items(), key=lambda one: one[1], default=(None, nan))

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        return -worst(original, compressed, inputs)[1]

    def layer(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> str | None:
        return worst(original, compressed, inputs)[0]

    return score, layer


def _of_layers(original: Path, compressed: Path, inputs: np.ndarray, figure: Figure) -> dict[str, float]:
    """Name of each layer that both networks have -> its figure, in the order of the original."""
    from quantrift.core.networks.layer_comparison import layered, pairs

    x = inputs[:INPUTS]
    first, second = layered(original, len(x)), layered(compressed, len(x))
    before, after = first(x), second(x)
    return {
        layer.name: figure(before[layer.name].reshape(len(x), -1), after[match.name].reshape(len(x), -1))
        for layer, match in pairs(first, second)
        if before[layer.name].size == after[match.name].size
    }


def _mean_squared_errors(original: Path, compressed: Path, inputs: np.ndarray) -> dict[str, float]:
    return {name: -error for name, error in ai_edge.errors(original, compressed, inputs, "MSE").items()}


def _own_error(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
    """SQNR of each layer on what the compressed network gives it to read."""
    from quantrift.core.networks.layer_comparison import layer_errors

    found = layer_errors(original, compressed, [inputs[:INPUTS]])
    # Without error there is no ratio, and none is as bad as NaN.
    own = [inf if one.added_mse == 0 else nan if one.added_sqnr_db is None else one.added_sqnr_db for one in found]
    own = [-inf if one.not_finite else ratio for one, ratio in zip(found, own, strict=True)]
    return -float(np.nanmin(own)) if own and not np.isnan(own).all() else nan


def _suspect(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> str | None:
    """The first layer that ``quantrift assess`` would suspect, if it suspects one."""
    from quantrift.core.networks.layer_comparison import layer_errors
    from quantrift.judge.verdict.suspects import suspects

    return next(iter(suspects(layer_errors(original, compressed, [inputs[:INPUTS]]))), None)


def _searched(
    rate: Callable[[ToolResult], float | None],
    tool: str | Mapping[str, Any],
    seeds: int,
    generations: int,
    of_table: str | Mapping[str, Any] | None = None,
) -> Score:
    """A rate of the searches of a tool of ``quantrift assess``; ten times as many queries of noise as generations.

    Rows of a table are searched by a tool of their own, where there is one.
    """

    def score(original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> float:
        from quantrift.core.networks.runtime import load_runtime, runtime_of
        from quantrift.judge.python.pairs import load_pair
        from quantrift.judge.python.searches import search

        # Given by path, each file would be tried in a process of its own first, which costs more than a search.
        first, second = (load_runtime(runtime_of(path), path) for path in (original, compressed))
        suited = of_table or tool if inputs.shape[1:3] == (1, 1) else tool
        found = search(
            load_pair(first, second), inputs, labels, tool=suited, seeds=seeds, generations=generations, keep=1
        )
        value = rate(found.result)
        return nan if value is None else value

    return score


def _success_and_rate(found: ToolResult) -> float | None:
    """The second share tells pairs apart of which every search succeeds, or none."""
    return None if found.sr.value is None or found.dir_valid.value is None else found.sr.value + found.dir_valid.value


FIGURES = {
    "cosine": ("Cosine", "", figures.cosine),
    "psnr": ("PSNR", ", in dB", figures.psnr),
    "sqnr": ("SQNR", ", in dB", figures.sqnr),
}
"""Title, unit and figure by name."""
OF_FIGURES = {
    f"{name}_output": Checker(
        f"{title}, output", f"{title} of the logits{unit}, with its sign changed", _of_output(one)
    )
    for name, (title, unit, one) in FIGURES.items()
} | {
    f"{name}_layers": Checker(
        f"{title}, layers",
        f"least {title} of all layers{unit}, with its sign changed",
        *_of_worst_layer(partial(_of_layers, figure=one)),
    )
    for name, (title, unit, one) in FIGURES.items()
}
CHECKERS = OF_FIGURES | {
    "accuracy": Checker(
        "test accuracy",
        "accuracy of the original less that of the compressed network",
        _of_labels(lambda before, after, labels: (before == labels).mean() - (after == labels).mean()),
    ),
    "agreement": Checker(
        "top-1 agreement",
        "share of the inputs that get another label",
        _of_labels(lambda before, after, labels: (before != after).mean()),
    ),
    "ai_edge_quantizer_mse": Checker(
        "ai-edge-quantizer, MSE",
        "largest mean squared error of all tensors that are no weights",
        *_of_worst_layer(_mean_squared_errors),
        (".tflite",),
        ai_edge.PACKAGE,
    ),
    "ai_edge_quantizer_snr": Checker(
        "ai-edge-quantizer, SNR",
        "least signal-to-noise ratio of all tensors that are no weights, with its sign changed",
        *_of_worst_layer(partial(ai_edge.errors, metric="SNR")),
        (".tflite",),
        ai_edge.PACKAGE,
    ),
    # Dutta et al. 2024, "Accuracy is not all you need".
    "flips": Checker(
        "flips",
        "share of the inputs that turn from right to wrong or from wrong to right",
        _of_labels(lambda before, after, labels: ((before == labels) != (after == labels)).mean()),
    ),
    "kl_divergence": Checker(
        "KL divergence",
        "mean of sum p log(p / q), p of the original and q of the compressed network, in nats",
        _kl_divergence,
    ),
    "margin_law": Checker(
        "margin law",
        "share of the inputs that the margin law foretells to get another label",
        _of_output(lambda before, after: -predicted(margins(before, after)).rate),
    ),
    "onnxruntime_debugger": Checker(
        "onnxruntime, qdq_loss_debug",
        "least SQNR of all activations that are rounded, in dB, with its sign changed",
        *_of_worst_layer(qdq_debug.errors),
        (".onnx",),
        qdq_debug.PACKAGE,
    ),
    "quantrift_layers": Checker(
        "Quantrift, layers",
        "least SQNR that a layer has by itself, in dB, with its sign changed",
        _own_error,
        _suspect,
    ),
    "quantrift_processes": Checker(
        "Quantrift, Gaussian processes",
        "share of the seed inputs around which 100 queries find another label, moved and brighter or darker",
        _searched(lambda found: found.sr.value, PROCESSES, 12, 23),
    ),
    "quantrift_noise": Checker(
        "Quantrift, TriggerFinder",
        "share of the seed inputs from which at most 60 steps of noise reach another label",
        _searched(lambda found: found.sr.value, "triggerfinder_code", 40, 6),
        package="cv2",
    ),
    "quantrift_pso": Checker(
        "Quantrift, DiverGet (PSO)",
        "share of the seed inputs from which natural changes reach another label, plus that of all valid changes",
        _searched(_success_and_rate, "image_pso", SEEDS, 5, "table_pso"),
    ),
    "quantrift_random": Checker(
        "Quantrift, random natural changes",
        "share of the valid natural changes, drawn at random, that get another label",
        _searched(lambda found: found.dir_valid.value, "image_random", 2 * SEEDS, 4, "table_random"),
    ),
    "random_inputs": Checker(
        "random-input parity",
        "largest difference of two outputs on random inputs, over the range of the original's",
        _random_inputs,
    ),
}
"""By name."""
