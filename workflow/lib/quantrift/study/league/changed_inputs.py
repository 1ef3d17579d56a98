"""Checkers that search among changed inputs, with the tools of ``quantrift assess`` and small budgets."""

from pathlib import Path

import numpy as np

from quantrift.core.networks.runtime import load_runtime, runtime_of
from quantrift.judge.python.pairs import load_pair
from quantrift.judge.python.searches import search
from quantrift.judge.verdict.tool_result import ToolResult

SEEDS = 50
"""Seed inputs of a search for natural changes."""


def searched(
    original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray, tool: str, seeds: int, generations: int
) -> ToolResult:
    """Rates of a tool's searches from some of the inputs.

    Args:
        original: .tflite or .onnx.
        compressed: of the same kind.
        inputs: float32 (n, H, W, C).
        labels: true ones, int64 (n,).
        tool: id of a tool of ``quantrift assess``.
        seeds: seed inputs.
        generations: of each search; ten times as many queries of noise.
    """
    # Given by path, each file would be tried in a process of its own first, which costs more than a search.
    first, second = (load_runtime(runtime_of(path), path) for path in (original, compressed))
    pair = load_pair(first, second)
    return search(pair, inputs, labels, tool=tool, seeds=seeds, generations=generations, keep=1).result
