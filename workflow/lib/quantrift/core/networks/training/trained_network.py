"""Training of a network on one dataset, and its files for searches, compression and tables."""

from pathlib import Path
from time import perf_counter

from quantrift.core.base.files import write_csv, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL
from quantrift.core.networks import architecture
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.own.litert import LiteRT
from quantrift.core.networks.training.device import facts
from quantrift.core.networks.training.network_facts import Networks, keras_facts, write_facts
from quantrift.core.networks.training.training_run import trained
from quantrift.core.settings.networks import Network


def train(model_id: str, settings: Network, inputs_path: Path, out: Path) -> None:
    """Train a network and write, into the folder ``out``, the network, its twin and their accuracies.

    * ``model.keras``, ``twin.keras``; ``original.tflite``, the twin in float32: the original of every search;
    * ``history.csv``: one row per epoch; ``confusion.csv``: test inputs by true class (rows) and label (columns);
    * ``model.json``: accuracies as fractions, sizes, multiply-accumulates per input, and the number of test inputs on
      which twin and runtime differ from the network; the ``device`` that trained it, where that is no processor;
      ``model.timing.json``: seconds, those of training over its epochs.

    The same settings and inputs give the same bytes on one type of CPU, times aside. Until all are written, it also
    holds ``training.checkpoint.npz``, from which an interrupted training resumes.

    Raises:
        QuantriftError: if TensorFlow already runs in this process with another number of threads.
    """
    inputs = Inputs.load(inputs_path)
    checkpoint = out / "training.checkpoint.npz"
    model, history = trained(model_id, settings, inputs, checkpoint)
    fitted = perf_counter()

    both = Networks(model, architecture.twin(model_id, model))
    both.write(out)
    converted = perf_counter()

    found = logits(LiteRT(out / ORIGINAL), inputs, inputs.test)
    of_keras = keras_facts(both, found, inputs)
    evaluated = perf_counter()

    columns = [name for name, value in history[0].items() if name != "seconds" and value is not None]
    write_csv(out / "history.csv", columns, ([row[name] for name in columns] for row in history))
    dumped = settings.model_dump(mode="json", exclude={"blocks", "per_dataset"})
    write_facts(out, model_id, inputs, found, of_keras, {"settings": dumped, **facts(settings.training)})
    seconds = {
        "train_seconds": sum(epoch["seconds"] for epoch in history),
        "convert_seconds": converted - fitted,
        "evaluate_seconds": evaluated - converted,
    }
    write_json(out / "model.timing.json", seconds)
    checkpoint.unlink(missing_ok=True)
