"""Repair by data: training on disagreements, beside the layers in float.

``original``: the original learns them in float, and is quantized anew; it is another original then. ``compressed``:
the weights learn them while they are rounded to 8 bits; the original stays as it is. A control takes the same steps on
what the disagreements were made of: what is gone there too was not repaired by them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.beside_original import Network
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as TRAINABLE
from quantrift.core.networks.training.given_training import GivenTraining
from quantrift.core.settings.repairs import RepairSettings
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.mend import found_disagreements
from quantrift.judge.mend.builder import builder
from quantrift.judge.mend.calibrations import ranges_of
from quantrift.judge.mend.found_disagreements import Found
from quantrift.judge.mend.given_pair import GivenPair
from quantrift.judge.mend.mixed_search import Search
from quantrift.judge.mend.sample import Sample, labels_of
from quantrift.judge.mend.settings import Way
from quantrift.judge.mend.trials import Trials

CONTROL = "control"


@dataclass(frozen=True, eq=False)
class Retrained:
    """A network after its training, quantized anew."""

    way: Way
    control: bool
    """Whether it learned what the disagreements were made of in their place."""
    learned: int
    """Disagreements, or what they were made of, each as often."""
    given: int
    """Inputs for calibration, which it learned too."""
    keras: bytes
    """The network in float, as the content of a .keras file."""
    network: Network
    """The same, as it runs."""
    trials: Trials
    """With everything in 8 bits, on the selection inputs."""

    @property
    def name(self) -> str:
        """As tables have it."""
        return f"{self.way} retrained{f', {CONTROL}' if self.control else ''}"


@dataclass(frozen=True, eq=False)
class Outcome:
    """Networks after their trainings, and lines on what was not possible."""

    networks: Sequence[Retrained] = ()
    notes: Sequence[str] = ()


NOTHING = Outcome()


def check_trainable(original: Ready) -> None:
    """Make sure, before work begins, that an original can be trained.

    Raises:
        QuantriftError: its file holds no form that can, or it has a single output.
    """
    if original.file.suffix not in TRAINABLE:
        kind = original.file.suffix or "SavedModel"
        raise QuantriftError(
            f"{original.given}: --retrain trains the original, which no {kind} allows; give the .keras"
        )
    if original.network.signature.single:
        raise QuantriftError(f"{original.given}: has a single output, which --retrain cannot train; leave it out")


def retrained(pair: GivenPair, search: Search, selection: Sample, room: Path) -> Outcome:
    """Train in each way that the settings name, and quantize as the best of all choices does.

    Args:
        pair: networks and inputs; the original is in a form that can be trained.
        search: what was found without training: its network in 8 bits throughout is searched for disagreements.
        selection: inputs for the choice of layers.
        room: folder for float networks, which results read.
    """
    found = found_disagreements.found(pair, search.built(()))
    if not len(found.disagreements):
        return Outcome(
            notes=["--retrain: no disagreement was found on the inputs for calibration, so nothing was learned"]
        )
    networks, notes = list[Retrained](), list[str]()
    with GivenTraining() as process:
        for way in pair.settings.retrain:
            try:
                networks += [
                    _trained(process, pair, search, selection, found, way, control, room) for control in (False, True)
                ]
            except QuantriftError as error:
                notes.append(f"--retrain {way}: {error}")
    return Outcome(networks, notes)


def _trained(
    process: GivenTraining,
    pair: GivenPair,
    search: Search,
    selection: Sample,
    found: Found,
    way: Way,
    control: bool,
    room: Path,
) -> Retrained:
    learned, given = found.seeds if control else found.disagreements, found.given.take(found.given.train)
    values = np.concatenate([learned, given])
    settings = RepairSettings().training.model_copy(update={"seed": pair.settings.seed})
    made = process.train(
        pair.original.file,
        pair.original.network.signature.shaped(values),
        labels_of(pair.original.network, values),
        settings,
        rounded=way == "compressed",
    )
    runtime, base = pair.compressed.runtime, room / f"{way}{'_control' if control else ''}{pair.base.suffix}"
    base.write_bytes(made.tflite)
    built, chosen = builder(base, runtime, search.builder.manner), search.chosen
    ranges = ranges_of(built, search.calibration, chosen.inputs)[chosen.method]
    return Retrained(
        way=way,
        control=control,
        learned=len(learned),
        given=len(given),
        keras=made.keras,
        network=load_runtime(runtime, base),
        trials=Trials(built, ranges, selection, runtime),
    )
