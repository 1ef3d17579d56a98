"""Ranges of activations, from the values that a float network gives: the choices of calibration.

Histograms, percentiles and entropy are those of ONNX Runtime's calibration, for files of both kinds, so that one method
means the same for both.
"""

import contextlib
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np

from quantrift.core.base.grouped import grouped
from quantrift.core.networks.libraries import library

Method = Literal["min-max", "percentile 99.99", "percentile 99.9", "entropy"]
METHODS: tuple[Method, ...] = ("min-max", "percentile 99.99", "percentile 99.9", "entropy")
Ranges = Mapping[str, tuple[float, float]]
"""Name of a tensor -> least and greatest value that its grid has to hold."""
BINS = 1024
"""Of the first histogram of a tensor; ONNX Runtime's own default leaves its search for an entropy no choice."""


def measured(batches: Callable[[], Iterable[Mapping[str, np.ndarray]]]) -> dict[Method, Ranges]:
    """Ranges by each method.

    The values are gone through twice, the second time into histograms over the extremes that the first time found. ONNX
    Runtime's own histogram takes its bins from the first batch and appends bins for later ones: after a first batch of
    small values it has tens of thousands, for which the search for an entropy takes minutes and then fails.

    Args:
        batches: gives the values of all tensors, (n, ...) each, batch by batch, the same each time. Of integers, like
            shapes, all methods take the extremes.
    """
    ends = grouped(
        (name, (float(values.min()), float(values.max()))) for batch in batches() for name, values in batch.items()
    )
    whole = {name: (min(low for low, _ in own), max(high for _, high in own)) for name, own in ends.items()}
    calibrate = library("onnxruntime.quantization.calibrate", "onnxruntime")
    # Of 128 quantized bins, ONNX Runtime's default.
    found = calibrate.HistogramCollector("percentile", False, BINS, 128, 99.99, "same")
    by_method: dict[Method, Ranges] = {"min-max": whole}
    # The library reports each step on standard output.
    with contextlib.redirect_stdout(io.StringIO()):
        for batch in batches():
            real = {name: values for name, values in batch.items() if values.dtype == np.float32}
            new = real.keys() - found.histogram_dict.keys()
            found.histogram_dict |= {name: _empty_histogram(*whole[name]) for name in new}
            found.collect(real)
        for method in METHODS[1:]:
            if method == "entropy":
                cut = found.compute_entropy()
            else:
                found.percentile = float(method.split()[1])
                cut = found.compute_percentile()
            limits = {name: (float(one[0]), float(one[1])) for name, one in cut.items()}
            # Of a tensor with one value alone, the ends of a bin may stand the wrong way round.
            by_method[method] = whole | {name: both for name, both in limits.items() if both[0] <= both[1]}
    return by_method


def _empty_histogram(low: float, high: float) -> tuple[np.ndarray, np.ndarray, np.float32, np.float32, np.float32]:
    """ONNX Runtime's entry for a tensor with these extremes: counts, edges, extremes, and the end of its bins."""
    end = max(abs(low), abs(high))
    counts, edges = np.histogram(np.empty(0, np.float32), BINS, range=(-end, end))
    return counts, edges, np.float32(low), np.float32(high), np.float32(end)
