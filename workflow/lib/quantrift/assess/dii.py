"""The difference-inducing inputs of a candidate in one .npz file, for galleries, tests and new builds."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from quantrift.config.streams import stream
from quantrift.data.arrays import write_arrays
from quantrift.records.dii import load

MOST = 300
"""Kept of each tool, drawn evenly from what its records hold."""
MEGABYTES = 64
"""Room for all of them, where inputs are so large that it matters."""


def write(records: Mapping[str, Path], out: Path) -> dict[str, dict[tuple[int, int], int]]:
    """Write ``out`` (.npz): what was found from seed inputs on which both networks agree.

    * ``inputs`` (n, H, W, C) float32, as the networks take them, and the ``seed_inputs`` they were made of;
    * ``seed`` int64 (n,), numbers of these among the given inputs; ``evaluation`` int32 (n,), places in their searches;
    * ``labels``, the true ones, ``label_original`` and ``label_compressed``, int64 (n,);
    * ``tool`` (n,), text; ``psnr`` float64 (n,), dB; ``class_names``.

    Args:
        records: tool -> its candidates table.
        out: the file.

    Returns:
        tool -> (seed input, evaluation) -> row in the file.
    """
    parts: list[dict[str, np.ndarray]] = []
    rows: dict[str, dict[tuple[int, int], int]] = {}
    names: list[str] = []
    start = 0
    for tool, file in records.items():
        found = load([file])
        names = found.inputs.class_names
        room = int(MEGABYTES * 1e6 / (8 * np.prod(found.inputs.shape) * len(records)))
        chosen = np.sort(stream("dii", tool).permutation(len(found.rows))[: max(1, min(MOST, room))])
        own = found.rows.take(chosen)
        seeds, inputs = found.pairs(own)
        parts.append(
            {
                "inputs": inputs,
                "seed_inputs": seeds,
                "seed": own.input.astype(np.int64),
                "evaluation": own.evaluation,
                "labels": own.true_label.astype(np.int64),
                "label_original": own.label_original.astype(np.int64),
                "label_compressed": own.label_compressed.astype(np.int64),
                "tool": np.full(len(own), tool),
                "psnr": own.psnr,
            }
        )
        keys = zip(own.input.tolist(), own.evaluation.tolist(), strict=True)
        rows[tool] = {key: start + place for place, key in enumerate(keys)}
        start += len(own)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    write_arrays(out, {**joined, "class_names": np.array(names)})
    return rows
