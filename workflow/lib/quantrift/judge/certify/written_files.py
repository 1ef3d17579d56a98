"""Files of a certification: a table, the certificate, and the counterexamples. None holds a time."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.files import replacing, sha256
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify import certificate as told
from quantrift.judge.certify import counterexamples
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.certificate import Certificate, Network, counted
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.loaded_subject import Subject
from quantrift.judge.certify.proof import Proof
from quantrift.judge.certify.settings import Settings
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.candidate import model_of

TABLE = "certificates.csv"
COLUMNS = (
    "neighbourhood",
    "input",
    "label_original",
    "label_compressed",
    "outcome",
    "members",
    "enumerated",
    "distinct",
    "counterexample",
    "parameters",
    "counterexample_original",
    "counterexample_compressed",
)
"""Columns of the table: labels of the input as given; members looked at, and different images among them; number,
parameters and labels of the first counterexample, empty where there is none. Boxes have no numbered members: of them,
``enumerated`` counts the images that were run, some of them more than once."""


@dataclass(frozen=True, eq=False)
class Results:
    """What was found about whom."""

    subject: Subject
    wanted: Sequence[Neighbourhood | Boxes]
    states: Mapping[str, Sequence[State | Proof]]
    """Neighbourhood -> the state of each of the first inputs of the file, at least one."""
    settings: Settings

    @property
    def images(self) -> np.ndarray:
        """The inputs, uint8 (n, H, W, C)."""
        return self.subject.images.images[: len(self.states[self.wanted[0].text])]

    @property
    def every(self) -> Iterator[tuple[Neighbourhood | Boxes, int, State | Proof]]:
        """Each state, with its neighbourhood and the number of its input."""
        for one in self.wanted:
            for number, state in enumerate(self.states[one.text]):
                yield one, number, state


def write(out: Path, found: Results, enumerator: Enumerator) -> Certificate:
    """Write ``certificates.csv``, ``counterexamples.npz`` and ``certificate.json`` to a folder."""
    first, second, agree = enumerator.labels(found.images)
    labels = np.stack([first, second], axis=1)
    disagreeing = [one for one in found.every if one[2].label_original is not None]
    counterexamples.write(out, found.subject, disagreeing)
    _write_table(out / TABLE, found, labels)
    whole = _certificate(found, int(np.count_nonzero(~agree)))
    told.write(whole, out)
    return whole


def _write_table(path: Path, found: Results, labels: np.ndarray) -> None:
    """A row for each neighbourhood and input; ``labels``, int64 (n, 2), are those of the inputs by both networks."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for one, number, state in found.every:
            given = [one.text, number, *labels[number].tolist(), state.outcome(one.size), *_seen(one, state)]
            table.writerow([*given, state.label_original, state.label_compressed])


def _seen(one: Neighbourhood | Boxes, state: State | Proof) -> list[object]:
    """Columns from the members to the counterexample's parameters."""
    if isinstance(one, Boxes) and isinstance(state, Proof):
        return [None, state.images, None, None, None]
    if isinstance(one, Neighbourhood) and isinstance(state, State):
        member = state.counterexample
        shown = None if member is None else one.described(member)
        return [one.size, state.enumerated, state.distinct, member, shown]
    raise TypeError(f"{one.text}: a state of another kind")


def _certificate(found: Results, disagreeing: int) -> Certificate:
    subject, images = found.subject, found.subject.images
    return Certificate(
        claim=told.claim(found.wanted),
        command=found.settings.command,
        versions=subject.versions,
        processor=subject.processor,
        original=_network(subject.original),
        compressed=_network(subject.compressed),
        inputs=told.Inputs(
            file=subject.inputs.name,
            sha256=sha256(subject.inputs),
            number=len(found.images),
            shape=images.shape,
            black=images.black.tolist(),
            white=images.white.tolist(),
            disagree_as_given=disagreeing,
        ),
        budget=found.settings.budget,
        neighbourhoods=[counted(one, found.states[one.text]) for one in found.wanted],
        assumed=subject.assumed,
        boxes=found.settings.boxes if any(isinstance(one, Boxes) for one in found.wanted) else None,
    )


def _network(ready: Ready) -> Network:
    return Network(model_of(ready), sha256(ready.path), ready.runtime)
