"""Layer errors of a compressed model on stored difference-inducing inputs and on their seed inputs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import taken
from quantrift.core.networks.layer_comparison import BATCH, layer_errors
from quantrift.core.networks.layer_errors import SIDES, LayerError
from quantrift.core.search.records.dii import load


def compare(
    files: Sequence[Path], original: Path, compressed: Path, count: int, seed: int, values: bool = False
) -> dict[str, list[LayerError]]:
    """Layer errors on each of ``SIDES``, over the same number of inputs; empty lists where nothing is stored.

    Args:
        files: candidates tables of one tool on one subject, in a results folder that holds the inputs too.
        original: .tflite or .onnx file of the original.
        compressed: file of the compressed model, of the same kind.
        count: difference-inducing inputs, drawn from those that a distortion caused; all where there are fewer.
        seed: of the draw.
        values: whether the only output of each is taken as it is, and not as logits.

    Raises:
        QuantriftError: if a file cannot be read.
    """
    found = load(files)
    key = (*(str(name) for name in found.settings["subject"].values()), found.settings["tool"])
    chosen = np.sort(stream("dii_layers", *key, seed).permutation(len(found.rows["input"]))[:count])
    batches = [chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH)]
    return {
        side: layer_errors(
            original, compressed, (found.pairs(taken(found.rows, one))[place] for one in batches), values
        )
        if batches
        else []
        for place, side in enumerate(SIDES)
    }
