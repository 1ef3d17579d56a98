"""Job of a bit study: trains, tests and writes its networks on one dataset and model."""

import sys
from pathlib import Path
from time import perf_counter, process_time

import pyarrow as pa
from tqdm import tqdm

from quantrift.base.files import write_json
from quantrift.compression.bits.bit_networks import write
from quantrift.compression.bits.bit_training import Job, Trainer
from quantrift.data.parquet_rows import write_rows
from quantrift.models.training.training_run import reproducible

KEYS = {"setting": pa.string(), "repetition": pa.int16()}
COUNTS = {"attack": pa.string(), "strength": pa.float64(), "correct": pa.int32(), "inputs": pa.int32()}
ACCURACIES = pa.schema(KEYS | COUNTS)
DRAWN = pa.schema(KEYS | {"bits": pa.int32(), "weights": pa.int64()})
HISTORY = pa.schema(KEYS | {"epoch": pa.int32(), "loss": pa.float64(), "accuracy": pa.float64()})


def train(job: Job, inputs_path: Path, out: Path) -> None:
    """Train all networks of ``job`` and write, into the folder ``out``, what they are and what they are worth.

    * ``networks.npz``: the networks (``quantrift.compression.bits.bit_networks``);
    * ``accuracies.parquet``: of each network (``setting``, ``repetition``), how many of so many test ``inputs`` are
      labelled correctly (``correct``); ``attack`` is "none" and ``strength`` 0;
    * ``drawn.parquet``: how many of its ``weights`` have how many ``bits``;
    * ``history.parquet``: its ``loss`` and ``accuracy`` on the training inputs in each ``epoch``;
    * ``networks.timing.json``: seconds of this process, by the clock and of processors.

    The same job and inputs give the same bytes on one type of CPU, times aside. Until all are written, the folder
    ``training`` stands there too, from which an interrupted job goes on.

    Raises:
        QuantriftError: if the bits drawn exceed a budget, or if TensorFlow already runs with other threads.
    """
    reproducible(job.how.training)
    clock, processors = perf_counter(), process_time()
    trainer = Trainer(job, inputs_path, out / "training")
    total = len(job.networks) * job.how.training.epochs * len(trainer.inputs.train)
    # A log file keeps every update, a terminal only the last.
    pause = 0.1 if sys.stderr.isatty() else 15
    with tqdm(total=total, unit="input", unit_scale=True, mininterval=pause) as progress:
        found = {}
        for setting, number in job.networks:
            progress.set_description(f"{job.model}, {setting}, {number + 1}", refresh=False)
            found[setting, number] = trainer.trained(setting, number, progress)
    named = [({"setting": setting, "repetition": number}, one) for (setting, number), one in found.items()]
    clean = {"attack": "none", "strength": 0.0, "inputs": len(trainer.inputs.test)}
    write_rows(out / "accuracies.parquet", ACCURACIES, (key | clean | {"correct": one.correct} for key, one in named))
    write_rows(out / "drawn.parquet", DRAWN, (key | counted for key, one in named for counted in one.drawn))
    write_rows(out / "history.parquet", HISTORY, (key | epoch for key, one in named for epoch in one.history))
    write(out / "networks.npz", trainer.form, {key: one.weights for key, one in found.items()})
    seconds = {"seconds": perf_counter() - clock, "cpu_seconds": process_time() - processors}
    write_json(out / "networks.timing.json", seconds)
    trainer.remove()
