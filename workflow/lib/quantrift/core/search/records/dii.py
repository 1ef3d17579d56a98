"""Stored difference-inducing inputs of one tool on one subject, decoded again, with their seed inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.table_columns import Arrays, in_order, joined, taken
from quantrift.core.search.record_columns import results_of, settings
from quantrift.core.search.records.stored_vectors import ORDER, space, stored
from quantrift.core.search.space import Originals, Space


@dataclass(frozen=True, eq=False)
class Found:
    """Stored vectors of one tool on one subject, with the space and inputs that decode them."""

    settings: dict[str, Any]
    """Settings that the records were made with."""
    inputs: Inputs
    space: Space
    rows: Arrays
    """Rows (``stored``) that a distortion caused: the vector changes the seed input, on which the models agree."""

    def pairs(self, chosen: Arrays) -> tuple[np.ndarray, np.ndarray]:
        """Seed inputs and distorted inputs, float32 (n, H, W, C) each, of some rows."""
        seeds = Originals.of(self.inputs, chosen["input"])
        return seeds.inputs, self.space.decode(chosen["vector"], seeds, np.arange(len(seeds.inputs)))


def load(files: Sequence[Path], inputs: Path | None = None) -> Found:
    """Everything stored in the records files of one tool on one subject.

    Args:
        files: candidates tables of its blocks.
        inputs: file of the inputs that were searched; without it, the one in the results folder that the tables lie in.

    Raises:
        QuantriftError: if a file cannot be read.
    """
    made = settings(files[0])
    if inputs is None:
        inputs = results_of(files[0]).inputs(made["subject"]["dataset"], made["subject"]["model"])
    rows = in_order(joined([stored(file) for file in files]), ORDER)
    return Found(made, Inputs.load(inputs), space(files[0]), taken(rows, ~rows["identity"] & ~rows["seed_disagrees"]))
