"""Files that tests of the command share."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_networks import original


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example's original in TensorFlow Lite, which starts without TensorFlow, and eight of its inputs as bytes."""
    folder = tmp_path_factory.mktemp("files")
    with ForeignFiles() as reader:
        original(paths().original, folder, reader)
    inputs = folder / "inputs.npz"
    arrays = read_arrays(paths().inputs)
    write_arrays(
        inputs, {"inputs": np.rint(255 * arrays["inputs"][:8]).astype(np.uint8), "labels": arrays["labels"][:8]}
    )
    return {"original": folder / "original.tflite", "compressed": paths().int8, "inputs": inputs}
