"""Benchmark of bounds: boxes of the example pair that are proven, and images of proven boxes on the real runtimes."""

from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from quantrift.assess.example import paths
from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.certify.asked_neighbourhoods import asked
from quantrift.certify.bounds.decision import Decider
from quantrift.certify.bounds.image_box import ImageBox
from quantrift.certify.boxes import Boxes
from quantrift.certify.enumeration import Enumerator
from quantrift.certify.loaded_subject import Files, loaded
from quantrift.certify.proof import NEW, Prover
from quantrift.certify.settings import BOXES
from quantrift.cli.benchmarks.result import Result
from quantrift.plan.root import Config

TOGETHER = 1000
"""Images run at once: half of them corners, half of them drawn evenly."""


@dataclass(frozen=True)
class Bounds:
    """Share of inputs proven at each radius; the judged figure is that of the first radius."""

    radii: tuple[int, ...] = (1, 2, 4, 8, 16)
    number: int = 20
    """Inputs."""
    points: int = 1_000_000
    """Images of proven boxes that are run, over all radii."""
    most: int = BOXES

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Nothing, as the pair comes with the package."""
        return []

    def measure(self) -> Result:
        """Decide the boxes, then try to break the proofs.

        Raises:
            QuantriftError: an image of a proven box has another label: a bound is wrong.
        """
        pair = paths()
        details: dict[str, float] = {}
        proven: list[tuple[ImageBox, int]] = []
        with loaded(Files(pair.original, pair.int8, pair.inputs)) as subject:
            enumerator = Enumerator(subject.networks, subject.scale)
            prover = Prover(Decider(enumerator, subject.bounded()), self.most)
            images = subject.images.images[: self.number]
            labels = enumerator.labels(images)[0].tolist()
            for radius in self.radii:
                [boxes] = asked(f"linf={radius}", subject.images.shape)
                if not isinstance(boxes, Boxes):
                    raise TypeError(f"{boxes.text}: no box")
                outcomes = []
                began = process_time()
                for number, image in enumerate(images):
                    *_, proof = prover.run(boxes, image, number, NEW)
                    outcomes.append(proof.outcome(boxes.size))
                    # Boxes that were cut may hold images of several labels.
                    if outcomes[-1] == "proven" and proof.boxes == 1:
                        proven.append((boxes.box(image, 0), labels[number]))
                details[f"linf_{radius}_seconds"] = (process_time() - began) / len(images)
                for outcome in ("proven", "counterexample", "unknown"):
                    details[f"linf_{radius}_{outcome}"] = outcomes.count(outcome) / len(images)
            details["points"] = float(self._tried(enumerator, proven))
        value = details[f"linf_{self.radii[0]}_proven"]
        return Result(value, f"of inputs proven for linf={self.radii[0]}", "all inputs", value, details)

    def _tried(self, enumerator: Enumerator, proven: list[tuple[ImageBox, int]]) -> int:
        rng = np.random.default_rng(0)
        tried = 0
        while proven and tried < self.points:
            box, label = proven[tried // TOGETHER % len(proven)]
            corners = np.where(rng.integers(2, size=(TOGETHER // 2, *box.low.shape)) > 0, box.high, box.low)
            images = np.concatenate([corners, box.drawn(TOGETHER // 2, rng)])
            first, second, agree = enumerator.labels(images)
            if wrong := int(np.count_nonzero(~agree | (first != label) | (second != label))):
                raise QuantriftError(f"{wrong} images of a proven box have other labels; a bound is wrong, report it")
            tried += len(images)
        return tried
