"""States of enumerations in a folder, so that a run that was killed goes on where it was."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.base.files import write_json
from quantrift.judge.certify.enumeration import State
from quantrift.judge.certify.proof import NEW, Proof

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

    def of(self, neighbourhood: str, number: int) -> State:
        """The state of an enumeration, which may not have begun."""
        found = self.states.get(neighbourhood, {}).get(number)
        return found if isinstance(found, State) else State()

    def proof_of(self, neighbourhood: str, number: int) -> Proof:
        """The state of a proof, which may not have begun."""
        found = self.states.get(neighbourhood, {}).get(number)
        return found if isinstance(found, Proof) else NEW


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
        if not self._path.is_file():
            # Hidden files are what a killed run leaves.
            if any(not one.name.startswith(".") for one in folder.iterdir()):
                raise QuantriftError(f"{folder}: holds other files than certificates; name a new folder with --out")
            self.progress = Progress(dict(about))
            return
        with self.read():
            self.progress = TypeAdapter(Progress).validate_json(self._path.read_bytes())
        if changed := [name for name in {**about, **self.progress.about} if self._differs(name, about)]:
            raise QuantriftError(
                f"{folder}: holds certificates about something else, as other {', '.join(changed)} made them; name a "
                "new folder with --out"
            )

    def read(self) -> AbstractContextManager[None]:
        """Say of the file whatever its states lead to within."""
        return reading(self._path, "damaged", "name a new folder with --out")

    def _differs(self, name: str, about: Mapping[str, str]) -> bool:
        return about.get(name) != self.progress.about.get(name)

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
