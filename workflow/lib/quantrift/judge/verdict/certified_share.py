"""Outcomes of a certification of one neighbourhood, as certificates and assessments state them; fractions are 0 to 1.

The room ``certify`` computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from quantrift.core.base.inputs import Inputs
    from quantrift.judge.intake.given_networks import Ready

CERTIFICATES = "certificates"
"""Folder of the certificates of a candidate, within its own."""


@dataclass(frozen=True)
class Counted:
    """Outcomes of one neighbourhood over all inputs."""

    neighbourhood: str
    members: int | None
    """Of one input; None of boxes, which are too large to count."""
    distinct: int
    """Different images that were run, over all inputs; of boxes, some are counted more than once."""
    certified: int
    counterexamples: int
    unfinished: int
    share: float
    """Certified and proven inputs among all."""
    low: float
    """Ends of its 95 % interval, Clopper and Pearson over inputs."""
    high: float
    proven: int = 0
    """Inputs all of whose boxes are proven by bounds."""
    unknown: int = 0
    """Inputs of which bounds could neither prove a box nor a search refute it."""

    @property
    def inputs(self) -> int:
        """All inputs."""
        return self.certified + self.counterexamples + self.unfinished + self.proven + self.unknown

    @property
    def text(self) -> str:
        """The outcomes on one line."""
        of = "proven by bounds" if self.members is None else "certified by running all members"
        left = {"with a counterexample": self.counterexamples, "unfinished": self.unfinished, "unknown": self.unknown}
        rest = "".join(f", {count} {what}" for what, count in left.items() if count)
        return (
            f"{self.neighbourhood}: {self.certified + self.proven} of {self.inputs} inputs {of}, {self.share:.2%} "
            f"(95 % interval {self.low:.2%} to {self.high:.2%}){rest}"
        )


class Certifier(Protocol):
    """Certification of the compressed networks of an assessment."""

    def check(self, inputs: Inputs) -> None:
        """Make sure, before anything is computed, that they can be certified.

        Raises:
            QuantriftError: they are no images of 8 bits, or what is asked for does not suit them.
        """
        ...

    def __call__(
        self, original: Ready, compressed: Ready, inputs: Inputs, file: Path, assumed: Sequence[str], out: Path
    ) -> list[Counted]:
        """Write certificates of one compressed network to ``out``; ``file`` holds the inputs."""
        ...
