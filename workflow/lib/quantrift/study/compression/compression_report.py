"""The report on a compressed network: its operations, what it costs, and what it does to the test inputs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.files import sha256, write_json
from quantrift.core.base.paths import COMPRESSED, COMPRESSED_FACTS
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import flips
from quantrift.core.networks.versions import versions
from quantrift.core.statistics import margin_files


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
