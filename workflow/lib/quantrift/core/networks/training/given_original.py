"""Originals from files: a foreign network, described and made ready like one that was trained here."""

from pathlib import Path
from time import perf_counter

from quantrift.core.base.files import sha256, write_file, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL
from quantrift.core.networks.batch_norm import folded_where_possible
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.foreign.given_keras import read_network
from quantrift.core.networks.foreign.requirements import check_fit, check_independence, check_logits
from quantrift.core.networks.runtimes.litert import SUFFIXES, LiteRT
from quantrift.core.networks.training.network_facts import KerasFacts, Networks, keras_facts, write_facts
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.networks import Training


def adopt(model_id: str, settings: ModelFile, original: Path, inputs_path: Path, out: Path) -> None:
    """Take over the network in the file ``original`` and write, into the folder ``out``, what ``train`` writes.

    * From .keras and .h5: ``model.keras``, ending in logits; ``twin.keras``, without batch normalisation where it can
      be folded; ``original.tflite``, the twin in float32. From .tflite: ``original.tflite``, the bytes as they are.
    * ``confusion.csv``; ``model.json``, with ``file``, the name and sha256 of ``original``, and ``null`` for what only
      a network in Keras tells; ``model.timing.json``: seconds.

    The same file and inputs give the same bytes on one type of CPU, times aside.

    Raises:
        QuantriftError: if the file cannot be read (``quantrift.core.networks.foreign.given_keras``,
        ``quantrift.core.networks.runtimes.litert``),
            does not fit the inputs, or does not give logits that depend on one input alone.
    """
    started = perf_counter()
    inputs = Inputs.load(inputs_path)
    networks = None
    if original.suffix not in SUFFIXES:
        # Nothing is trained, but sums in Keras depend on the number of threads, and generated names on seeds.
        reproducible(Training(epochs=1, batch=1, learning_rate=1, seed=0, threads=2))
        networks = _networks(original, inputs)
        networks.write(out)
    runtime = LiteRT(original if networks is None else out / ORIGINAL)
    check_fit(original, runtime.input_shape, runtime.classes, inputs)
    check_independence(original, runtime, inputs)
    converted = perf_counter()

    found = logits(runtime, inputs, inputs.test)
    check_logits(original, found)
    of_keras = KerasFacts() if networks is None else keras_facts(networks, found, inputs)
    if networks is None:
        write_file(out / ORIGINAL, original.read_bytes())
    evaluated = perf_counter()

    more = {
        "settings": settings.inputs.model_dump(mode="json"),
        "file": {"name": original.name, "sha256": sha256(original)},
    }
    write_facts(out, model_id, inputs, found, of_keras, more)
    seconds = {"convert_seconds": converted - started, "evaluate_seconds": evaluated - converted}
    write_json(out / "model.timing.json", seconds)


def _networks(original: Path, inputs: Inputs) -> Networks:
    """The network in a Keras file and its twin, checked before anything is written."""
    model = read_network(original)
    check_fit(original, model.input_shape[1:], model.output_shape[-1], inputs)
    check_logits(original, logits(model.predict_on_batch, inputs, inputs.test[:256]))
    return Networks(model, folded_where_possible(model))
