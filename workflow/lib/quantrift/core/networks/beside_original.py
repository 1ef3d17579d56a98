"""A compressed network beside its original on the test inputs, and the report on both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.files import sha256, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import COMPRESSED, COMPRESSED_FACTS
from quantrift.core.networks.evaluate import accuracy, flips, logits
from quantrift.core.networks.versions import versions
from quantrift.core.statistics import margin_files

Network = Callable[[np.ndarray], np.ndarray]
"""From inputs, float32 (n, H, W, C), to logits, float32 (n, K)."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What both networks say about the test inputs."""

    truth: np.ndarray
    """True labels, int64 (n,)."""
    of_original: np.ndarray
    """Logits, float32 (n, K)."""
    of_compressed: np.ndarray

    @property
    def before(self) -> float:
        """Accuracy of the original, a fraction."""
        return accuracy(self.of_original, self.truth)

    @property
    def after(self) -> float:
        """Accuracy of the compressed network, a fraction."""
        return accuracy(self.of_compressed, self.truth)


def compare(original: Network, compressed: Network, inputs: Inputs) -> Comparison:
    """Run both networks on the test inputs."""
    return Comparison(inputs.labels[inputs.test], *(logits(one, inputs, inputs.test) for one in (original, compressed)))


def write_report(
    out: Path,
    method: str,
    audited: Mapping[str, Any],
    found: Comparison,
    clusters: np.ndarray,
    original: Path,
    inputs: Path,
    conv3d_float_share: float | None,
    settings: Mapping[str, Any],
    more: Mapping[str, Any],
) -> None:
    """Write ``audit.json``, ``compression.json`` and ``margins.npz``.

    The first two are described where networks are compressed (``compression.build``).

    Args:
        out: folder of both files.
        method: id of the compression.
        audited: what ``quantrift.core.networks.operation_audit`` found.
        found: what ``compare`` found.
        clusters: int (n,), of the test inputs.
        original: file of the original; ``COMPRESSED`` lies in ``out`` already.
        inputs: file of the inputs.
        conv3d_float_share: share of the work in 3-D convolutions of the network; ``None`` if unknown.
        settings: the method's settings.
        more: what else is known.
    """
    write_json(out / "audit.json", audited)
    margin_files.write(out, found.of_original, found.of_compressed, clusters)
    facts = {
        "method": method,
        "int8_mac_share": audited["int8_mac_share"],
        "weight_bits": audited["weight_bits"],
        "conv3d_float_share": conv3d_float_share,
        "size_bytes": (out / COMPRESSED).stat().st_size,
        "size_bytes_original": original.stat().st_size,
        "sha256": {"compressed": sha256(out / COMPRESSED), "inputs": sha256(inputs)},
        "accuracy": found.after,
        "accuracy_original": found.before,
        "flips": flips(found.of_original, found.of_compressed),
        "test_inputs": len(found.truth),
        "runtime": "LiteRT, XNNPACK, 1 thread",
        **more,
        "settings": settings,
        "versions": versions(),
    }
    write_json(out / COMPRESSED_FACTS, facts)
