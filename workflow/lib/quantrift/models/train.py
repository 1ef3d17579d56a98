"""The trained network of one dataset: files for searches, for compression and for tables."""

import csv
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import numpy as np

from quantrift.config.files import replacing, write_json
from quantrift.config.networks import Network
from quantrift.data.inputs import Inputs
from quantrift.models import networks
from quantrift.models.convert import to_tflite
from quantrift.models.evaluate import accuracy, flips, labels, logits
from quantrift.models.macs import conv3d_share, macs, parameters
from quantrift.models.runtimes.litert import LiteRT
from quantrift.models.saving import save
from quantrift.models.training import trained
from quantrift.models.versions import versions


def train(model_id: str, settings: Network, inputs_path: Path, out: Path) -> None:
    """Train a network and write, into the folder ``out``, the network, its twin and what they are worth.

    * ``model.keras``, ``twin.keras``; ``original.tflite``, the twin in float32: the original of every search;
    * ``history.csv``: one row per epoch; ``confusion.csv``: test inputs by true class (rows) and label (columns);
    * ``model.json``: accuracies as fractions, sizes, multiply-accumulates per input, and on how many test inputs
      twin and runtime differ from the network; ``model.timing.json``: seconds.

    The same settings and inputs give the same bytes on one type of CPU, times aside.

    Raises:
        QuantriftError: if TensorFlow already runs in this process with another number of threads.
    """
    started = perf_counter()
    inputs = Inputs.load(inputs_path)
    model, history = trained(model_id, settings, inputs)
    fitted = perf_counter()

    twin = networks.load(model_id).twin(model)
    save(model, out / "model.keras")
    save(twin, out / "twin.keras")
    with replacing(out / "original.tflite") as temporary:
        temporary.write_bytes(to_tflite(twin))
    converted = perf_counter()

    truth = inputs.labels[inputs.test]
    of_model = logits(model.predict_on_batch, inputs, inputs.test)
    of_twin = of_model if twin is model else logits(twin.predict_on_batch, inputs, inputs.test)
    of_runtime = logits(LiteRT(out / "original.tflite"), inputs, inputs.test)
    evaluated = perf_counter()

    columns = [name for name, value in asdict(history[0]).items() if value is not None]
    _write_csv(out / "history.csv", columns, ([getattr(row, name) for name in columns] for row in history))
    counts = np.zeros((len(inputs.class_names),) * 2, np.int64)
    np.add.at(counts, (truth, labels(of_runtime)), 1)
    rows = ([name, *row] for name, row in zip(inputs.class_names, counts.tolist(), strict=True))
    _write_csv(out / "confusion.csv", ["true class", *inputs.class_names], rows)
    facts = {
        "model": model_id,
        "test_inputs": len(truth),
        "accuracy": accuracy(of_runtime, truth),
        "keras_accuracy": accuracy(of_model, truth),
        "parameters": parameters(model),
        "macs": sum(macs(model).values()),
        "twin_macs": sum(macs(twin).values()),
        "conv3d_mac_share": conv3d_share(model),
        "twin_max_difference": float(np.abs(of_twin - of_model).max()),
        "twin_flips": flips(of_twin, of_model),
        "runtime_max_difference": float(np.abs(of_runtime - of_model).max()),
        "runtime_flips": flips(of_runtime, of_model),
        "settings": settings.model_dump(mode="json", exclude={"blocks"}),
        "versions": versions(),
    }
    write_json(out / "model.json", facts)
    seconds = {
        "train_seconds": fitted - started,
        "convert_seconds": converted - fitted,
        "evaluate_seconds": evaluated - converted,
    }
    write_json(out / "model.timing.json", seconds)


def _write_csv(path: Path, header: list[str], rows: Iterable[list[object]]) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
