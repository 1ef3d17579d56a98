"""New builds of the network of the example, broken in ways that a gate has to notice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.judge.intake.example import paths
from quantrift.judge.verdict.assessment import Judgement
from quantrift.study.league.planted.tflite_objects import edited, store, values, weighted


def with_classes(order: Sequence[int], out: Path, source: Path | None = None) -> Path:
    """Write a network of the example with its classes in another order."""

    def change(model: Any) -> None:
        for tensor in weighted(model)[-1]:
            store(model, tensor, values(model, tensor)[list(order)])
            if len(scale := np.asarray(tensor.quantization.scale)) > 1:
                tensor.quantization.scale = scale[list(order)].astype(np.float32)

    out.write_bytes(edited((source or paths().int8).read_bytes(), change))
    return out


EXCHANGED = (0, 1, 2, 3, 9, 5, 6, 7, 8, 4)
"""Classes 4 and 9 have changed places."""
MOVED = (*range(1, 10), 0)
"""Every class is another one."""


def without_numbers(out: Path) -> Path:
    """Write a network of the example whose outputs are NaN."""

    def change(model: Any) -> None:
        _, bias = weighted(model)[-1]
        store(model, bias, np.full(10, np.nan, np.float32))

    out.write_bytes(edited(paths().dynamic.read_bytes(), change))
    return out


def on_given(judgements: Sequence[Judgement]) -> list[str]:
    """Lines of the judgements on the inputs as given."""
    return [one.text for one in judgements if one.tool is None]
