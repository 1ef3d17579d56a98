"""Files of the pairs of a suite, and the inputs on which tools meet."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.assess import example, given_inputs
from quantrift.base.paths import COMPRESSED, ORIGINAL, Paths
from quantrift.data.inputs import Inputs
from quantrift.plan import configuration_files
from quantrift.suite.definition import Pair

MOST = 1000
"""Test inputs of a pair that seed inputs are drawn from, at most: the first ones."""


@dataclass(frozen=True)
class Files:
    """Files of a pair."""

    original: Path
    compressed: Path
    inputs: Path
    """.npz with inputs and labels, or as the workflow writes them."""
    overlay: Path | None = None
    """Configuration with which the workflow builds them; ``None`` where the package brings them."""

    @property
    def missing(self) -> list[Path]:
        """Those that are not there."""
        return [path for path in (self.original, self.compressed, self.inputs) if not path.is_file()]

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs, float32 (n, H, W, C), and true labels, int64 (n,)."""
        if self.overlay is None:
            given = given_inputs.read(self.inputs)
            assert given.labels is not None
            return given.values, given.labels
        whole = Inputs.load(self.inputs)
        chosen = whole.test[:MOST]
        return whole.take(chosen), whole.labels[chosen]


def of(pair: Pair, folder: Path) -> Files:
    """Where the files of a pair lie.

    Args:
        pair: of a suite.
        folder: of the project's configuration.
    """
    if pair.workflow is None:
        found = example.paths()
        return Files(found.original, found.int8 if pair.example == "int8" else found.dynamic, found.inputs)
    stated = pair.workflow
    overlay = folder / stated.configuration
    config = configuration_files.load(folder, [overlay])
    paths = Paths(Path("results") / config.scale)
    return Files(
        original=paths.model(stated.dataset, stated.model) / ORIGINAL,
        compressed=paths.compressed(stated.dataset, stated.model, stated.compression) / COMPRESSED,
        inputs=paths.inputs(stated.dataset, stated.model),
        overlay=overlay,
    )
