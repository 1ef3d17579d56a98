"""Job of a bit study: trains, tests and writes its networks on one dataset and model."""

import os
import shutil
from pathlib import Path
from time import perf_counter

import pyarrow as pa

from quantrift.core.base.files import write_json
from quantrift.core.base.table_parquet import write_rows
from quantrift.core.networks.training import device
from quantrift.core.networks.training.training_run import reproducible
from quantrift.study.compression.bits import side_by_side
from quantrift.study.compression.bits.bit_networks import write
from quantrift.study.compression.bits.bit_training import Job, Trainer

KEYS = {"setting": pa.string(), "repetition": pa.int16()}
COUNTS = {"attack": pa.string(), "strength": pa.float64(), "correct": pa.int32(), "inputs": pa.int32()}
ACCURACIES = pa.schema(KEYS | COUNTS)
DRAWN = pa.schema(KEYS | {"bits": pa.int32(), "weights": pa.int64()})
HISTORY = pa.schema(KEYS | {"epoch": pa.int32(), "loss": pa.float64(), "accuracy": pa.float64()})


def train(job: Job, inputs_path: Path, out: Path, at_once: int = 1) -> None:
    """Train all networks of ``job`` and write, into the folder ``out``, what they are and what they are worth.

    * ``networks.npz``: the networks (``quantrift.study.compression.bits.bit_networks``);
    * ``accuracies.parquet``: of each network (``setting``, ``repetition``), how many of so many test ``inputs`` are
      labelled correctly (``correct``); ``attack`` is "none" and ``strength`` 0;
    * ``drawn.parquet``: how many of its ``weights`` have how many ``bits``;
    * ``history.parquet``: its ``loss`` and ``accuracy`` on the training inputs in each ``epoch``;
    * ``networks.timing.json``: seconds of this job, by the clock and of processors.

    The same job and inputs give the same bytes on one type of CPU, times aside. Until all are written, the folder
    ``training`` stands there too, from which an interrupted job goes on. ``at_once`` networks are trained side by side,
    each in a process of its own; that changes none of them.

    Raises:
        QuantriftError: if the bits drawn exceed a budget, or if TensorFlow already runs with other threads.
    """
    reproducible(job.how.training)
    clock, processors = perf_counter(), _processor_seconds()
    folder = out / "training"
    if at_once > 1:
        side_by_side.train(job, inputs_path, folder, at_once)
    trainer = Trainer(job, inputs_path, folder)
    found = trainer.all()
    named = [({"setting": setting, "repetition": number}, one) for (setting, number), one in found.items()]
    clean = {"attack": "none", "strength": 0.0, "inputs": len(trainer.inputs.test)}
    write_rows(out / "accuracies.parquet", ACCURACIES, (key | clean | {"correct": one.correct} for key, one in named))
    write_rows(out / "drawn.parquet", DRAWN, (key | counted for key, one in named for counted in one.drawn))
    write_rows(out / "history.parquet", HISTORY, (key | epoch for key, one in named for epoch in one.history))
    weights = {key: one.weights for key, one in found.items()}
    write(out / "networks.npz", trainer.form, weights, **device.facts(job.how.training))
    seconds = {"seconds": perf_counter() - clock, "cpu_seconds": _processor_seconds() - processors}
    write_json(out / "networks.timing.json", seconds)
    shutil.rmtree(folder)


def _processor_seconds() -> float:
    """Seconds of processors of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])
