"""Builds the example pair anew: ``python -m tools.make_example FOLDER``.

A LeNet-1 of a quarter of its filters, trained on scikit-learn's digits and compressed as the workflow does it. The same
files come out on one type of CPU.
"""

import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.files import replacing, write_file
from quantrift.core.base.inputs import ImageStack
from quantrift.core.base.paths import COMPRESSED as MODEL
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import LeNet1
from quantrift.core.settings.training import Training
from quantrift.judge.intake.example import COMPRESSED, INPUTS, ORIGINAL
from quantrift.study.compression.build import build
from quantrift.study.compression.methods import ptq_dynamic, ptq_int8
from quantrift.study.datasets.kinds import embedded_digits
from quantrift.study.datasets.official import Places

SETTINGS = LeNet1(width=0.25, training=Training(epochs=15, batch=32, learning_rate=0.004))
DIGITS = embedded_digits.Settings(
    kind="embedded_digits", title="Digits", class_names=[str(digit) for digit in range(10)]
)
METHODS = {"int8": ptq_int8.Settings(representative=100), "dynamic": ptq_dynamic.Settings()}
IMAGES = 128
"""Test images that go with the pair."""


def make(folder: Path) -> None:
    """Train, compress, and write the files of the example into ``folder``."""
    arrays: dict[str, Any] = {**embedded_digits.arrays(DIGITS, Places())}
    inputs = ImageStack(
        dataset="digits",
        title=DIGITS.title,
        class_names=DIGITS.class_names,
        validation=np.empty(0, np.int64),
        **arrays,
    )
    with TemporaryDirectory() as rooms:
        room = Path(rooms)
        inputs.save(room / "inputs.npz")
        train("lenet1", SETTINGS, room / "inputs.npz", room / "lenet1")
        for name, method in METHODS.items():
            build(name, method, room / "lenet1", room / "inputs.npz", room / name)
            write_file(folder / COMPRESSED[name], (room / name / MODEL).read_bytes())
        _pack(room / "lenet1" / "model.keras", folder / ORIGINAL, zipfile.ZIP_DEFLATED)
        shown = inputs.test[:IMAGES]
        write_arrays(room / INPUTS, {"inputs": inputs.take(shown), "labels": inputs.labels[shown]})
        _pack(room / INPUTS, folder / INPUTS, zipfile.ZIP_BZIP2)


def _pack(archive: Path, out: Path, method: int) -> None:
    """Write the archive with its members compressed; .keras and .npz files are zip archives."""
    with zipfile.ZipFile(archive) as given, replacing(out) as temporary, zipfile.ZipFile(temporary, "w") as packed:
        for member in given.infolist():
            packed.writestr(zipfile.ZipInfo(member.filename), given.read(member), method)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
