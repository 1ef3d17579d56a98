"""Certification from Python."""

from os import PathLike
from pathlib import Path

import numpy as np

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.judge.certify.asked_neighbourhoods import Settings
from quantrift.judge.certify.certificate import Certificate
from quantrift.judge.certify.loaded_subject import Files
from quantrift.judge.certify.run import certify as run_certification
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.python_objects import Network, both_files, file_of, path_of


def certify(
    original: Network,
    compressed: Network,
    inputs: np.ndarray | str | PathLike[str],
    out: str | PathLike[str],
    neighbourhoods: str,
    *,
    labels: np.ndarray | None = None,
    form: InputForm = FROM_FILES,
    number: int | None = None,
    budget: int | None = None,
    boxes: int = Settings.boxes,
) -> Certificate:
    """Decide for whole neighbourhoods of images whether two networks agree on every member.

    Writes the folder ``out``: ``certificates.csv``, ``certificate.json``, counterexamples. A run into the folder of an
    earlier one goes on where that was. The result has the ``verdict``.

    Args:
        original: as for ``mend``.
        compressed: path or bytes of ``.tflite`` or ``.onnx``.
        inputs: .npz file with images of 8 bits, or the images themselves, (n, H, W, C).
        out: folder.
        neighbourhoods: names with their sizes, as ``quantrift certify --neighbourhoods`` takes them.
        labels: true ones, (n,), of images that are given as an array.
        form: scale and layout, where files do not tell.
        number: first images that are looked at; all by default.
        budget: most members of a neighbourhood of one image; all by default.
        boxes: boxes to look at for each box of a neighbourhood, with the halves that it is cut into.

    Raises:
        QuantriftError: the certification could not be run, or a network is a function.
        TypeError: something else than a network, a path or an array was given.
    """
    command = "quantrift.certify(...), see versions and checksums"
    with temporary_folder() as folder:
        room = Path(folder)
        return run_certification(
            Files(
                *both_files(original, compressed, room, "of whose arithmetic nothing is known"),
                file_of(inputs, labels, room),
                form=form,
            ),
            path_of(out, "out"),
            Settings(neighbourhoods, number, budget, boxes, command),
        ).certificate
