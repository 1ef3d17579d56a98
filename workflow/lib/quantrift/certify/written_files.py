"""Files of a certification: a table, the certificate, and the counterexamples. None holds a time."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.assess.candidate import model
from quantrift.assess.given_networks import Ready
from quantrift.base.files import replacing, sha256
from quantrift.certify import certificate as told
from quantrift.certify import counterexamples
from quantrift.certify.certificate import Certificate, Network, counted
from quantrift.certify.enumeration import Enumerator, State
from quantrift.certify.loaded_subject import Files, Subject
from quantrift.certify.neighbourhood import Neighbourhood

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
parameters and labels of the first counterexample, empty where there is none."""


@dataclass(frozen=True, eq=False)
class Results:
    """What was found about whom."""

    subject: Subject
    files: Files
    wanted: Sequence[Neighbourhood]
    states: Mapping[str, Sequence[State]]
    """Neighbourhood -> the state of each of the first inputs of the file, at least one."""
    budget: int | None
    command: str

    @property
    def images(self) -> np.ndarray:
        """The inputs, uint8 (n, H, W, C)."""
        return self.subject.images.images[: len(self.states[self.wanted[0].text])]

    @property
    def every(self) -> Iterator[tuple[Neighbourhood, int, State]]:
        """Each state, with its neighbourhood and the number of its input."""
        for one in self.wanted:
            for number, state in enumerate(self.states[one.text]):
                yield one, number, state


def write(out: Path, found: Results, enumerator: Enumerator) -> Certificate:
    """Write ``certificates.csv``, ``counterexamples.npz`` and ``certificate.json`` to a folder."""
    first, second, agree = enumerator.labels(found.images)
    labels = np.stack([first, second], axis=1)
    disagreeing = [one for one in found.every if one[2].counterexample is not None]
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
            given = [one.text, number, *labels[number].tolist(), state.outcome(one.size)]
            member = state.counterexample
            shown = None if member is None else one.described(member)
            seen = [one.size, state.enumerated, state.distinct]
            table.writerow([*given, *seen, member, shown, state.label_original, state.label_compressed])


def _certificate(found: Results, disagreeing: int) -> Certificate:
    subject, images = found.subject, found.subject.images
    return Certificate(
        claim=told.CLAIM,
        command=found.command,
        versions=subject.versions,
        processor=subject.processor,
        original=_network(subject.original),
        compressed=_network(subject.compressed),
        inputs=told.Inputs(
            file=found.files.inputs.name,
            sha256=sha256(found.files.inputs),
            number=len(found.images),
            shape=images.shape,
            black=images.black.tolist(),
            white=images.white.tolist(),
            disagree_as_given=disagreeing,
        ),
        budget=found.budget,
        neighbourhoods=[counted(one, found.states[one.text]) for one in found.wanted],
        assumed=subject.assumed,
    )


def _network(ready: Ready) -> Network:
    return Network(model(ready.given), sha256(ready.path), ready.runtime)
