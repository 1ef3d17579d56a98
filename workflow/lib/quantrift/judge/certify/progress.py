"""Progress of a certification: steps, states in a folder from which a killed run goes on, and what is left."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import numpy as np
from pydantic import Field, TypeAdapter

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.files import write_json
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.proof import NEW, Proof, Prover

FILE = "progress.json"
PAUSE = 5.0
"""Seconds between two writings of the file; a killed run loses no more."""


Either = Annotated[Proof | State, Field(union_mode="left_to_right")]
"""A proof has fields that no enumeration has."""


@dataclass
class Progress:
    """States of enumerations and of proofs, and the facts that they hold for."""

    about: dict[str, str]
    """Everything that an outcome depends on: digests, scales, code, versions, processor."""
    states: dict[str, dict[int, Either]] = field(default_factory=dict)
    """Neighbourhood -> number of the input -> its state."""


class ProgressFile:
    """The progress of a folder, written now and then."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        """Read what an earlier run left in a folder, in which this one is alone.

        Args:
            folder: of the certificates.
            about: see :class:`Progress`.

        Raises:
            QuantriftError: the folder holds something else, or certificates about something else.
        """
        self._path = folder / FILE
        self._written = time.monotonic()
        self.progress, there = Progress(dict(about)), self._path.is_file()
        if there:
            with self.read():
                self.progress = TypeAdapter(Progress).validate_json(self._path.read_bytes())
        held = self.progress.about
        changed = [name for name in {**about, **held} if about.get(name) != held.get(name)]
        refuse(
            (
                # Hidden files are what a killed run leaves.
                not there and any(not one.name.startswith(".") for one in folder.iterdir()),
                f"{folder}: holds other files than certificates; name a new folder with --out",
            ),
            (
                changed,
                f"{folder}: holds certificates about something else, as other {', '.join(changed)} made them; name a "
                "new folder with --out",
            ),
        )

    def read(self) -> AbstractContextManager[None]:
        """Say of the file whatever its states lead to within."""
        return reading(self._path, "damaged", "name a new folder with --out")

    def note(self, neighbourhood: str, number: int, state: State | Proof) -> None:
        """Note a state; the file is written if that was long ago."""
        self.progress.states.setdefault(neighbourhood, {})[number] = state
        if time.monotonic() - self._written >= PAUSE:
            self.write()

    def write(self) -> None:
        """Write all states, sorted, in one step."""
        states = {
            name: {str(number): asdict(state) for number, state in sorted(own.items())}
            for name, own in sorted(self.progress.states.items())
        }
        write_json(self._path, {"about": self.progress.about, "states": states})
        self._written = time.monotonic()


@dataclass(frozen=True)
class Estimate:
    """What is left of one neighbourhood over all inputs, at most: a counterexample ends an enumeration."""

    neighbourhood: str
    inputs: int
    """Inputs whose enumeration is not settled."""
    members: int
    """Members that are left to look at; of boxes, the boxes with their halves."""
    seconds: float
    """Of processor time, on which a busy machine has no effect."""
    boxes: bool = False
    """Whether these are boxes."""


@dataclass(frozen=True, eq=False)
class Work:
    """What decides neighbourhoods of some images, and how far each has come."""

    enumerator: Enumerator
    prover: Prover
    images: np.ndarray
    """uint8 (n, H, W, C), the first inputs of the file."""
    file: ProgressFile
    budget: int | None
    """Most members of a neighbourhood of one input; None for all."""

    def states(self, one: Neighbourhood | Boxes) -> list[Any]:
        """The last state of a neighbourhood of each image, perhaps a new one: proofs of boxes, else ``State``."""
        new = NEW if isinstance(one, Boxes) else State()
        held = self.file.progress.states.get(one.text, {})
        found = [held.get(number) for number in range(len(self.images))]
        return [state if isinstance(state, type(new)) else new for state in found]

    def estimate(self, one: Neighbourhood | Boxes) -> Estimate:
        """What is left of a neighbourhood; runs one batch of members of the first image, or bounds a box."""
        left = [
            self.prover.left(one, state) if isinstance(one, Boxes) else self.enumerator.left(one, state, self.budget)
            for state in self.states(one)
        ]
        seconds = 0.0
        if any(left):
            began = process_time()
            seconds = sum(left) / self._tried(one) * (process_time() - began)
        return Estimate(one.text, sum(map(bool, left)), sum(left), seconds, isinstance(one, Boxes))

    def _tried(self, one: Neighbourhood | Boxes) -> int:
        if isinstance(one, Boxes):
            self.prover.decider.decide(one.box(self.images[0], 0), self.images[0], 1, np.random.default_rng(0))
            return 1
        return next(self.enumerator.run(one, self.images[0], State(), self.budget)).enumerated

    def run(self, one: Neighbourhood | Boxes) -> Iterator[int]:
        """Decide a neighbourhood of each image, from where an earlier run ended.

        Yields:
            Members or boxes looked at since the last step.
        """
        for number, (image, state) in enumerate(zip(self.images, self.states(one), strict=True)):
            steps = (
                self.prover.run(one, image, number, state)
                if isinstance(one, Boxes)
                else self.enumerator.run(one, image, state, self.budget)
            )
            for after in steps:
                # A proof that begins again looks at fewer for a while.
                yield max(0, after.looked - state.looked)
                self.file.note(one.text, number, after)
                state = after
