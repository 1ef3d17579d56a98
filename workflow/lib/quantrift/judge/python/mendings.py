"""Mending from Python."""

from os import PathLike
from pathlib import Path

import numpy as np

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.pairs.task import Task
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.python_objects import Network, both_files, file_of, path_of
from quantrift.judge.mend.mending import Mending
from quantrift.judge.mend.run import mend as run_mending
from quantrift.judge.mend.settings import Rest, Weights
from quantrift.judge.mend.settings import Settings as MendSettings
from quantrift.judge.verdict.assessment import LIMITS, Limits
from quantrift.judge.verdict.profiles import Profile


def mend(
    original: Network,
    compressed: Network,
    inputs: np.ndarray | str | PathLike[str],
    out: str | PathLike[str],
    *,
    labels: np.ndarray | None = None,
    limits: Limits = LIMITS,
    form: InputForm = FROM_FILES,
    task: Task | None = None,
    margin: float = 0.0,
    weights: Weights = "as-given",
    rest: Rest = "float",
    changes: int = MendSettings.changes,
    split_seed: int = 0,
    compare: bool = True,
    profile: Profile = "quick",
    seeds: int | None = None,
    generations: int | None = None,
) -> Mending:
    """Mend a compressed network that fails: calibration first, then the fewest layers back in float.

    Writes the folder ``out``: the mended file, if there is one, its recipe, tables, a page and the assessment on inputs
    that nothing was chosen by. The result has the ``verdict`` there, the ``state``, units ``kept`` from 8 bits, and a
    row for each network in ``fresh``.

    Args:
        original: path of ``.keras``, ``.h5``, a SavedModel's folder, float ``.tflite`` or ``.onnx``; bytes of one of
            the last two; a Keras model.
        compressed: path or bytes of ``.tflite`` or ``.onnx``, of the kind that the original can be made into.
        inputs: .npz file, or the inputs themselves, (n, H, W, C), n >= 10, better some hundred.
        out: folder.
        labels: true ones, (n,), of inputs that are given as an array.
        limits: that the mended network must keep (``quantrift.judge.verdict.assessment.Limits``).
        form: layout, scale and space of inputs, where files do not tell.
        task: definition of agreement other than the same label, as for ``assess``.
        margin: share below 1 by which each limit is tighter while layers are chosen.
        weights: scales for each output ``channel`` or for each ``tensor``, where not ``as-given``.
        rest: ``float`` or ``16-bit``: numbers of layers that cannot be in 8 bits.
        changes: natural changes drawn of each input by which layers are chosen, at least 1.
        split_seed: of the split of the inputs and of random orders.
        compare: whether the orders by SQNR and by chance are tried too.
        profile: of the assessment on fresh inputs, ``quick`` or ``thorough``.
        seeds: seed inputs of its searches, instead of the profile's.
        generations: of its searches, likewise.

    Raises:
        QuantriftError: the mending could not be run, or a network is a function.
        TypeError: something else than a network, a path or an array was given.
    """
    settings = MendSettings(
        limits=limits,
        margin=margin,
        seed=split_seed,
        weights=weights,
        rest=rest,
        changes=changes,
        profile=profile,
        seeds=seeds,
        generations=generations,
        compare=compare,
        form=form,
        task=task,
        command="quantrift.api.mend(...), see versions and checksums",
    )
    with temporary_folder() as folder:
        room = Path(folder)
        return run_mending(
            *both_files(original, compressed, room, "which cannot be quantized anew"),
            file_of(inputs, labels, room),
            path_of(out, "out"),
            settings,
        )
