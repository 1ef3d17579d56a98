"""New builds of the network of the example, broken in ways that a gate has to notice."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.judge.intake.example import paths
from quantrift.judge.verdict.assessment import Judgement
from quantrift.study.league.planted.stored_weights import EditedTFLite


def with_classes(order: Sequence[int], out: Path, source: Path | None = None) -> Path:
    """Write a network of the example with its classes in another order."""
    file = EditedTFLite((source or paths().int8).read_bytes())
    for tensor in file.layers[-1]:
        file.put(tensor, file.get(tensor)[list(order)])
        if len(scale := np.asarray(tensor.quantization.scale)) > 1:
            tensor.quantization.scale = scale[list(order)].astype(np.float32)
    out.write_bytes(file.content())
    return out


EXCHANGED = (0, 1, 2, 3, 9, 5, 6, 7, 8, 4)
"""Classes 4 and 9 have changed places."""
MOVED = (*range(1, 10), 0)
"""Every class is another one."""


def without_numbers(out: Path) -> Path:
    """Write a network of the example whose outputs are NaN."""
    file = EditedTFLite(paths().dynamic.read_bytes())
    _, bias = file.layers[-1]
    file.put(bias, np.full(10, np.nan, np.float32))
    out.write_bytes(file.content())
    return out


def on_given(judgements: Sequence[Judgement]) -> list[str]:
    """Lines of the judgements on the inputs as given."""
    return [one.text for one in judgements if one.tool is None]
