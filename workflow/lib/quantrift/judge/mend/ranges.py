"""Ranges of activations, from the values that a float network gives: the choices of calibration.

Histograms, percentiles and entropy are those of ONNX Runtime's calibration, for files of both kinds, so that one method
means the same for both.
"""

import contextlib
import io
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal

import numpy as np

from quantrift.core.base.grouped import grouped
from quantrift.core.networks.libraries import library

Method = Literal["min-max", "percentile 99.99", "percentile 99.9", "entropy"]
METHODS: tuple[Method, ...] = ("min-max", "percentile 99.99", "percentile 99.9", "entropy")
"""The one that takes longest comes last."""
Ranges = Mapping[str, tuple[float, float]]
"""Name of a tensor -> least and greatest value that its grid has to hold."""
BINS = 1024
"""Of the first histogram of a tensor; ONNX Runtime's own default leaves its search for an entropy no choice."""


class Measured:
    """Ranges by each method, which is computed where it is first asked for: the search for entropies takes longest."""

    def __init__(self, batches: Callable[[], Iterable[Mapping[str, np.ndarray]]]) -> None:
        """Measures values.

        They are gone through twice, the second time into histograms over the extremes that the first time found. ONNX
        Runtime's own histogram takes its bins from the first batch and appends bins for later ones: after a first batch
        of small values it has tens of thousands, for which the search for an entropy takes minutes and then fails.

        Args:
            batches: gives the values of all tensors, (n, ...) each, batch by batch, the same each time. Of integers,
                like shapes, all methods take the extremes.
        """
        ends = grouped(
            (name, (float(values.min()), float(values.max()))) for batch in batches() for name, values in batch.items()
        )
        whole = {name: (min(low for low, _ in own), max(high for _, high in own)) for name, own in ends.items()}
        calibrate = library("onnxruntime.quantization.calibrate", "onnxruntime")
        # Of 128 quantized bins, ONNX Runtime's default.
        self._found = calibrate.HistogramCollector("percentile", False, BINS, 128, 99.99, "same")
        self._by_method: dict[Method, Ranges] = {"min-max": whole}
        for batch in batches():
            real = {name: values for name, values in batch.items() if values.dtype == np.float32}
            new = real.keys() - self._found.histogram_dict.keys()
            self._found.histogram_dict |= {name: _empty_histogram(*whole[name]) for name in new}
            with _quiet():
                self._found.collect(real)

    def __getitem__(self, method: Method) -> Ranges:
        """Ranges by a method."""
        if method not in self._by_method:
            with _quiet():
                if method == "entropy":
                    cut = self._found.compute_entropy()
                else:
                    self._found.percentile = float(method.split()[1])
                    cut = self._found.compute_percentile()
            limits = {name: (float(one[0]), float(one[1])) for name, one in cut.items()}
            # Of a tensor with one value alone, the ends of a bin may stand the wrong way round.
            right = {name: both for name, both in limits.items() if both[0] <= both[1]}
            self._by_method[method] = {**self._by_method["min-max"], **right}
        return self._by_method[method]


def _quiet() -> AbstractContextManager[Any]:
    """The library reports each step on standard output."""
    return contextlib.redirect_stdout(io.StringIO())


def _empty_histogram(low: float, high: float) -> tuple[np.ndarray, np.ndarray, np.float32, np.float32, np.float32]:
    """ONNX Runtime's entry for a tensor with these extremes: counts, edges, extremes, and the end of its bins."""
    end = max(abs(low), abs(high))
    counts, edges = np.histogram(np.empty(0, np.float32), BINS, range=(-end, end))
    return counts, edges, np.float32(low), np.float32(high), np.float32(end)
