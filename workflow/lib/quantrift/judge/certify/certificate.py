"""Certificates: what is proven about what, and the files that say so. None holds a time; fractions are 0 to 1."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.files import sha256, write_csv, write_json
from quantrift.core.page.provenance import processor
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.judge.certify import counterexamples
from quantrift.judge.certify.asked_neighbourhoods import Settings
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.loaded_subject import Subject
from quantrift.judge.certify.proof import Proof
from quantrift.judge.intake.given_networks import Ready, versions_of
from quantrift.judge.verdict.assessment import Model, Verdict
from quantrift.judge.verdict.candidate import model_of
from quantrift.judge.verdict.tool_result import Counted

FILE = "certificate.json"
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
CLAIM = (
    "Certified: both networks, as these files, were run on every image of the neighbourhood, on the runtimes, versions "
    "and type of processor named here, and gave the same label each time. Nothing is claimed about other images, other "
    "files, other versions or another type of processor."
)

CLAIM_OF_BOXES = (
    " Proven: on every image of the boxes, real arithmetic with the rounding of LiteRT's float32 and int8 kernels as "
    "quantrift.judge.certify.bounds.arithmetic states it gives the same label by both networks. That is a model of the "
    "kernels; small boxes and counterexamples alone were run on the runtimes."
)


@dataclass(frozen=True)
class Network:
    """A network that was run."""

    given: Model
    """The file that the user gave."""
    run_sha256: str
    """Digest of the file that was run: the given one, or its conversion."""
    runtime: str
    """Name of the runtime."""


@dataclass(frozen=True)
class Inputs:
    """Images whose neighbourhoods were enumerated."""

    file: str
    sha256: str
    number: int
    """The first so many of the file."""
    shape: tuple[int, int, int]
    """Rows, columns and channels."""
    black: list[float]
    """Value of the byte 0 as the networks take it, of all channels or of each."""
    white: list[float]
    """Value of 255, likewise."""
    disagree_as_given: int
    """Images on which the networks disagree without any change."""


@dataclass(frozen=True)
class Certificate:
    """Everything that a certificate states."""

    claim: str
    command: str
    versions: dict[str, str]
    """Package -> version."""
    processor: dict[str, str | list[str]]
    """``model`` and ``instruction_sets``."""
    original: Network
    compressed: Network
    inputs: Inputs
    budget: int | None
    """Most members of a neighbourhood of one input; None where there was no budget."""
    neighbourhoods: list[Counted]
    assumed: list[str]
    """Assumptions on the files, one line each."""
    boxes: int | None = None
    """Most boxes that one box was cut into; None where no boxes were asked for."""

    @property
    def verdict(self) -> Verdict:
        """``pass`` where all is certified, ``fail`` where there is a counterexample, else ``inconclusive``."""
        if any(one.counterexamples for one in self.neighbourhoods):
            return "fail"
        return "inconclusive" if any(one.unfinished or one.unknown for one in self.neighbourhoods) else "pass"


def write(
    out: Path,
    subject: Subject,
    states: Sequence[tuple[Neighbourhood | Boxes, Sequence[State | Proof]]],
    settings: Settings,
    enumerator: Enumerator,
) -> Certificate:
    """Write ``certificates.csv``, ``counterexamples.npz`` and ``certificate.json`` to a folder.

    Args:
        out: the folder.
        subject: networks and images.
        states: each neighbourhood with the states of the first inputs of the file, at least one.
        settings: what was asked for.
        enumerator: of both networks.
    """
    every = [(one, number, state) for one, own in states for number, state in enumerate(own)]
    images = subject.images.images[: len(states[0][1])]
    first, second, agree = enumerator.labels(images)
    counterexamples.write(out, subject, [one for one in every if one[2].label_original is not None])
    rows = (
        (
            *(one.text, number, first[number], second[number], state.outcome(one.size)),
            *(*_seen(one, state), state.label_original, state.label_compressed),
        )
        for one, number, state in every
    )
    write_csv(out / "certificates.csv", COLUMNS, rows)
    has_boxes = any(isinstance(one, Boxes) for one, _ in states)
    found = Certificate(
        claim=CLAIM + CLAIM_OF_BOXES if has_boxes else CLAIM,
        command=settings.command,
        versions=versions_of([subject.original, subject.compressed]),
        processor=processor(Path("/proc/cpuinfo")),
        original=_network(subject.original),
        compressed=_network(subject.compressed),
        inputs=Inputs(
            file=subject.inputs.name,
            sha256=sha256(subject.inputs),
            number=len(images),
            shape=subject.images.shape,
            black=subject.images.black.tolist(),
            white=subject.images.white.tolist(),
            disagree_as_given=int(np.count_nonzero(~agree)),
        ),
        budget=settings.budget,
        neighbourhoods=[_counted(*one) for one in states],
        assumed=subject.assumed,
        boxes=settings.boxes if has_boxes else None,
    )
    write_json(out / FILE, asdict(found))
    return found


def _seen(one: Neighbourhood | Boxes, state: State | Proof) -> list[object]:
    """Columns from the members to the counterexample's parameters."""
    if isinstance(one, Boxes) or isinstance(state, Proof):
        return [None, state.images, None, None, None]
    member = state.counterexample
    return [one.size, state.enumerated, state.distinct, member, None if member is None else one.described(member)]


def _network(ready: Ready) -> Network:
    return Network(model_of(ready), sha256(ready.path), ready.runtime)


def _counted(neighbourhood: Neighbourhood | Boxes, states: Sequence[State | Proof]) -> Counted:
    outcomes = Counter(state.outcome(neighbourhood.size) for state in states)
    share = (outcomes["certified"] + outcomes["proven"]) / len(states)
    low, high = clopper_pearson(share, len(states))
    return Counted(
        neighbourhood=neighbourhood.text,
        members=None if isinstance(neighbourhood, Boxes) else neighbourhood.size,
        distinct=sum(state.images for state in states),
        certified=outcomes["certified"],
        counterexamples=outcomes["counterexample"],
        unfinished=outcomes["unfinished"],
        share=share,
        low=low,
        high=high,
        proven=outcomes["proven"],
        unknown=outcomes["unknown"],
    )
