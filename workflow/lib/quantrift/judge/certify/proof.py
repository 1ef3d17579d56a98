"""Proof of the boxes of one neighbourhood of one image, one after the other, up to the first counterexample."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Outcome

Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Proof:
    """How far the boxes of a neighbourhood are decided."""

    decided: Count
    """Boxes of the neighbourhood looked at, the first ones."""
    unknown: Count
    """Those of them that are neither proven nor refuted."""
    boxes: Count
    """Boxes looked at, with the halves that they were cut into."""
    images: Count
    """Images run on both networks; the same one may be among them twice."""
    most: Count
    """``--boxes`` under which some stayed unknown; 0 where none did."""
    image: str | None
    """The counterexample, its bytes in hexadecimal digits."""
    label_original: int | None
    label_compressed: int | None

    @property
    def looked(self) -> int:
        """Steps taken."""
        return self.boxes

    def outcome(self, size: int) -> Outcome:
        """What is known of a neighbourhood of so many boxes."""
        if self.image is not None:
            return "counterexample"
        if self.decided < size:
            return "unfinished"
        return "unknown" if self.unknown else "proven"

    def counterexample(self, shape: tuple[int, ...]) -> np.ndarray:
        """The counterexample, uint8 of the shape."""
        return np.frombuffer(bytes.fromhex(self.image or ""), np.uint8).reshape(shape)


NEW = Proof(0, 0, 0, 0, 0, None, None, None)


@dataclass(frozen=True, eq=False)
class Prover:
    """Proves neighbourhoods of boxes on a pair of networks."""

    decider: Decider
    most: int
    """Boxes to look at for each box of a neighbourhood, with its halves; 1 or more."""

    def left(self, boxes: Boxes, proof: Proof) -> int:
        """Boxes to look at, at most, until the outcome stands."""
        return self.most * (boxes.size - self._from(proof).decided) if self._open(boxes, proof) else 0

    def run(self, boxes: Boxes, image: np.ndarray, number: int, proof: Proof) -> Iterator[Proof]:
        """Decide boxes from where ``proof`` ended; yields the proof after each.

        A proof in which some stayed unknown under fewer boxes begins again, so that it ends as a new one does.

        Args:
            boxes: of images of this shape.
            image: uint8 (H, W, C).
            number: of the image in its file. Images are drawn by this and the number of the box alone.
            proof: of the same neighbourhood and image, made by this or an earlier run.
        """
        if not self._open(boxes, proof):
            return
        proof = self._from(proof)
        most = max(self.most, proof.most)
        while proof.outcome(boxes.size) == "unfinished":
            found = self.decider.decide(
                boxes.box(image, proof.decided), image, most, np.random.default_rng([number, proof.decided])
            )
            unknown = not found.agree and found.counterexample is None
            wrong = found.counterexample
            proof = Proof(
                decided=proof.decided + 1,
                unknown=proof.unknown + unknown,
                boxes=proof.boxes + found.boxes,
                images=proof.images + found.images,
                most=most if unknown else proof.most,
                image=wrong.image.tobytes().hex() if wrong else None,
                label_original=wrong.label_original if wrong else None,
                label_compressed=wrong.label_compressed if wrong else None,
            )
            yield proof

    def _open(self, boxes: Boxes, proof: Proof) -> bool:
        return proof.outcome(boxes.size) == "unfinished" or 0 < proof.most < self.most

    def _from(self, proof: Proof) -> Proof:
        """The proof to go on from."""
        return NEW if 0 < proof.most < self.most else proof
