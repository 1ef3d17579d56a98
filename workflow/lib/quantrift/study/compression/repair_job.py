"""Repair: a compressed network learns from half of what a tool found, and is judged on the other half.

Halves are drawn by seed input, so that none is in both. A control network takes the same steps on the seed inputs. A
disagreement that is gone in the control too was not repaired by the difference-inducing inputs.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256, write_file, write_json
from quantrift.core.base.inputs import Floats, Inputs, Integers, ValueStack
from quantrift.core.base.paths import COMPRESSED, TRAINABLE
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import Arrays, firsts, taken
from quantrift.core.networks.beside_original import Network
from quantrift.core.networks.evaluate import accuracy, flips, labels, logits
from quantrift.core.networks.own.litert import LiteRT
from quantrift.core.networks.training import device
from quantrift.core.networks.training.original import Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.search.records.dii import Found, load
from quantrift.core.settings.sections import RepairSettings
from quantrift.core.settings.training import Training
from quantrift.study.compression import method
from quantrift.study.compression.build import LITERT, running
from quantrift.study.compression.trainable import restore

BATCH = 256
"""Inputs decoded or labelled at once."""
SIDES = ("repaired", "control")
"""Inputs that are learned beside clean ones: difference-inducing inputs, or their seed inputs."""


@dataclass(frozen=True, eq=False)
class Halves:
    """The half that is learned and the half that is judged."""

    learned: Arrays
    judged: Arrays


def halves(found: Found, settings: RepairSettings) -> Halves:
    """Distinct inputs that a tool found, divided by seed input; the first half has the odd seed input.

    With fewer than two seed inputs nothing is learned.
    """
    key = (*(str(name) for name in found.settings["subject"].values()), found.settings["tool"], settings.seed)
    rows = found.rows
    first = firsts([rows["input"], rows["digest"]])
    chosen = taken(rows, np.sort(stream("repair", *key).permutation(first)[: settings.dii]))
    seeds = stream("repair halves", *key).permutation(np.unique(chosen["input"]))
    learned = np.isin(chosen["input"], seeds[: (len(seeds) + 1) // 2] if len(seeds) > 1 else seeds[:0])
    return Halves(taken(chosen, learned), taken(chosen, ~learned))


@dataclass(frozen=True)
class Repaired:
    """Files that were searched."""

    inputs: Path
    original: Path
    """As its runtime reads it, in the folder of the network."""
    compressed: Path
    runtime: str = LITERT
    """Module that runs the original."""


def repair(
    records: Sequence[Path], files: Repaired, compression: Mapping[str, Any], settings: RepairSettings, out: Path
) -> None:
    """Train a compressed network on half of the inputs that one tool found, and judge it on the other half.

    Writes ``out`` (.json) and, beside it, the repaired network (.tflite). The file has, for each of ``before``,
    ``repaired`` and ``control``: ``accuracy`` (a fraction) and ``flips`` (inputs that original and compressed network
    label differently), both over the ``test_inputs``, those that are not seed inputs of the half that is learned;
    ``learned`` (inputs of that half on which the networks agree); ``judged``, a pair of numbers for each seed input of
    the other half: inputs found, and those of them on which the networks agree. ``judged_seeds`` names these seed
    inputs, each with its cluster (``Inputs.clusters``); ``device`` what trained, where that is no processor.

    Args:
        records: candidates tables of all blocks.
        files: the files that were searched.
        compression: settings of the method that made the compressed network, one that trains.
        settings: of the repair.
        out: .json to write.

    Raises:
        QuantriftError: the records are damaged or belong to other networks than those beside them, or TensorFlow
            already runs in this process with another number of threads.
    """
    reproducible(settings.training)
    found = load(records, files.inputs)
    for name in ("inputs", "original", "compressed"):
        if sha256(getattr(files, name)) != found.settings["sha256"][name]:
            raise QuantriftError(f"{records[0]}: its {name} changed since the search; delete the records, search again")
    folders = files.original.parent, files.compressed.parent
    original = running(Original(folders[0]), files.runtime)
    both = halves(found, settings)
    judge = _Judge(found, both, original)
    report: dict[str, Any] = {
        **found.settings["subject"],
        "tool": found.settings["tool"],
        "learned_inputs": len(np.unique(both.learned["input"])),
        "learned_dii": len(both.learned["input"]),
        "judged_seeds": np.stack([judge.seeds_judged, found.inputs.clusters(judge.seeds_judged)], axis=1).tolist(),
        "test_inputs": len(judge.test),
        "before": judge(files.compressed.read_bytes()),
        "settings": settings.model_dump(mode="json"),
        **device.facts(settings.training),
    }
    count = min(round(settings.clean * len(both.learned["input"])), len(found.inputs.train))
    drawn = stream("repair clean", found.inputs.dataset, settings.seed).permutation(found.inputs.train)
    clean = found.inputs.take(np.sort(drawn[:count]))
    made: dict[str, bytes] = {}
    # The control learns its seed inputs each as often as their distorted inputs: it takes as many steps.
    for side, values in zip(SIDES, (judge.learned, judge.seeds), strict=True):
        made[side] = files.compressed.read_bytes()
        if len(values):
            given = np.concatenate([values, clean])
            made[side] = trained_on(
                folders, found.inputs, compression, given, labels(_run(original, given)), settings.training
            )
        report[side] = judge(made[side])
    write_file(out.with_suffix(".tflite"), made[SIDES[0]])
    write_json(out, report)


def trained_on(
    folders: tuple[Path, Path],
    inputs: Inputs,
    compression: Mapping[str, Any],
    values: Floats,
    labels: Integers,
    training: Training,
) -> bytes:
    """Content of the .tflite file of a compressed network after more training, within its method.

    Args:
        folders: of the original and of the compressed network, which ``quantrift.study.compression.build`` wrote.
        inputs: what the original was trained on; nothing is learned from them here.
        compression: settings of the method.
        values: what is learned, all of it, float32 (n, H, W, C), n > 0.
        labels: their labels, int64 (n,).
        training: how.

    Raises:
        QuantriftError: if the stored weights belong to another network, or if TensorFlow already runs in this process
            with another number of threads.
    """
    reproducible(training)
    settings = method.settings(compression)
    # The configuration has checked that the method trains (``settings.repairs``).
    made = method.load(settings.method).trainable(Original(folders[0]), inputs, settings)
    restore(made.network, folders[1] / TRAINABLE)
    numbers = np.arange(len(values))
    learned = ValueStack(
        dataset=inputs.dataset,
        title=inputs.title,
        class_names=list(inputs.class_names),
        labels=labels,
        train=numbers,
        validation=numbers[:0],
        test=numbers[:0],
        values=values,
        low=float(values.min()),
        high=float(values.max()),
    )
    fit(made.network, learned, training)
    return made.content()


class _Judge:
    """Compares networks with the original on test inputs and on both halves."""

    def __init__(self, found: Found, both: Halves, original: Network) -> None:
        self._inputs = found.inputs
        self.seeds, self.learned = _decoded(found, both.learned)
        _, self._judged = _decoded(found, both.judged)
        self._labels = both.learned["label_original"], both.judged["label_original"]
        self.seeds_judged, self._place = np.unique(both.judged["input"], return_inverse=True)
        self.test = np.setdiff1d(found.inputs.test, both.learned["input"])
        self._original = logits(original, found.inputs, self.test)

    def __call__(self, content: bytes) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / COMPRESSED
            path.write_bytes(content)
            network = LiteRT(path)
            of_test = logits(network, self._inputs, self.test)
            learned, judged = (labels(_run(network, values)) for values in (self.learned, self._judged))
        counts = np.bincount(self._place), np.bincount(self._place, judged == self._labels[1])
        return {
            "accuracy": accuracy(of_test, self._inputs.labels[self.test]),
            "flips": flips(self._original, of_test),
            "learned": int((learned == self._labels[0]).sum()),
            "judged": np.stack(counts, axis=1).astype(int).tolist(),
        }


def _decoded(found: Found, rows: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Seed inputs and distorted inputs of some rows, float32 (n, H, W, C) each."""
    nothing = np.empty((0, *found.inputs.shape), np.float32)
    starts = range(0, len(rows["input"]), BATCH)
    parts = [found.pairs({name: one[start : start + BATCH] for name, one in rows.items()}) for start in starts]
    seeds, distorted = zip((nothing, nothing), *parts, strict=True)
    return np.concatenate(seeds), np.concatenate(distorted)


def _run(network: Network, values: np.ndarray) -> np.ndarray:
    """Logits, float32 (n, K), of inputs (n, H, W, C)."""
    return np.concatenate([network(values[start : start + BATCH]) for start in range(0, max(len(values), 1), BATCH)])
