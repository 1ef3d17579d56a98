"""Steps of a certification: members enumerated, or boxes decided, from where an earlier run ended."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.progress_file import Progress
from quantrift.judge.certify.proof import Proof, Prover


@dataclass(frozen=True, eq=False)
class Steps:
    """What decides each kind of neighbourhood, and how far it has come."""

    enumerator: Enumerator
    prover: Prover
    progress: Progress
    budget: int | None
    """Most members of a neighbourhood of one input; None for all."""

    def run(
        self, neighbourhood: Neighbourhood | Boxes, image: np.ndarray, number: int
    ) -> Iterator[tuple[int, State | Proof]]:
        """Decide a neighbourhood of an image, uint8 (H, W, C), of a number in its file.

        Yields:
            Members or boxes looked at since the last step, and the state after them.
        """
        if isinstance(neighbourhood, Boxes):
            proof = self.progress.proof_of(neighbourhood.text, number)
            seen = proof.boxes
            for after in self.prover.run(neighbourhood, image, number, proof):
                # A proof that begins again looks at fewer for a while.
                yield max(0, after.boxes - seen), after
                seen = after.boxes
            return
        state = self.progress.of(neighbourhood.text, number)
        seen = state.enumerated
        for found in self.enumerator.run(neighbourhood, image, state, self.budget):
            yield found.enumerated - seen, found
            seen = found.enumerated

    def last(self, neighbourhood: Neighbourhood | Boxes, number: int) -> State | Proof:
        """The last state of a neighbourhood of an input by its number."""
        of = self.progress.proof_of if isinstance(neighbourhood, Boxes) else self.progress.of
        return of(neighbourhood.text, number)
