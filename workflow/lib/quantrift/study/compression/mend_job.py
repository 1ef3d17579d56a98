"""Mending of a compressed network of the workflow, on test inputs."""

import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.files import write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.streams import stream
from quantrift.core.settings.sections import MendingSettings
from quantrift.judge.intake.given_inputs import NAMES
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.mend.run import mend
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import Limits

FORM = InputForm(layout="channels_last")
"""Networks of the workflow take rows, columns and channels; not every file has an operation that tells."""


def mend_subject(networks: tuple[Path, Path], inputs_path: Path, settings: MendingSettings, out: Path) -> None:
    """Mend a compressed network and write all results but the files of networks to ``out``.

    Args:
        networks: original in float32 and compressed network, .tflite.
        inputs_path: file of the inputs of the original (``quantrift.core.base.inputs``), of which test inputs are used.
        settings: of the mending.
        out: .json with the content of ``mend.json`` (``quantrift.judge.mend.mending``).

    Raises:
        QuantriftError: as ``mend`` does, such as for limits that so few inputs cannot show to be kept.
    """
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder:
        given = Path(folder) / f"{inputs_path.stem}.npz"
        write_test_inputs(Inputs.load(inputs_path), settings.inputs, settings.seed, given)
        found = mend(
            *networks,
            given,
            Path(folder) / "mended",
            Settings(
                limits=Limits(settings.max_disagreement, settings.max_accuracy_drop, settings.max_dir),
                margin=settings.margin,
                seed=settings.seed,
                changes=settings.changes,
                profile=settings.profile,
                seeds=settings.seeds,
                generations=settings.generations,
                compare=settings.compare,
                form=FORM,
                command="part of the workflow: rule mend_model",
            ),
        )
    write_json(out, asdict(found))


def write_test_inputs(inputs: Inputs, number: int, seed: int, path: Path) -> None:
    """Write test inputs as ``quantrift mend`` takes them, with labels and names of classes.

    Args:
        inputs: of the original.
        number: of inputs, drawn without repetition; all where there are fewer.
        seed: of the draw.
        path: .npz.
    """
    chosen = np.sort(stream("mend", "inputs", inputs.dataset, seed).permutation(inputs.test)[:number])
    arrays = {"inputs": inputs.take(chosen), "labels": inputs.labels[chosen], NAMES: np.array(inputs.class_names)}
    write_arrays(path, arrays)
