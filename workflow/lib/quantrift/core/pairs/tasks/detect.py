"""Detection: every box above the score threshold in either network has a partner in the other.

Partners are of one class, overlap by an IoU of at least ``iou``, and their scores differ by at most
``score_tolerance``; each box has one. Boxes below the threshold need no partner, and may be one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.box_matching import FORMATS, corners, partners
from quantrift.core.pairs.channels import Dead, dead_channels
from quantrift.core.pairs.task import Outputs, Part

MEANING = "boxes matched by class, --iou and --score-tolerance"
ROLES = {"boxes": ("box",), "scores": ("score",), "classes": ("class",), "count": ("count", "num")}
"""Role of an output -> parts of names that tell it."""
MARGIN = 1e-9
"""Room for rounding, so that no partner is left out before scores are compared."""
OF_POSTPROCESS = {"boxes": "", "classes": ":1", "scores": ":2", "count": ":3"}
"""Endings of the names of the outputs of TensorFlow Lite's TFLite_Detection_PostProcess."""


@dataclass(frozen=True)
class Settings:
    """Outputs of M boxes for each input, filled up with boxes of score 0, or counted."""

    NAME: ClassVar[str] = "detect"
    DIFFERS: ClassVar[str] = "get other detections"
    ACCURACY: ClassVar[str] = "share of images with exactly the true boxes"
    RIGHT: ClassVar[str] = "the true boxes and no others"

    score: float = 0.5
    """Threshold of scores, from which on a box needs a partner."""
    iou: float = 0.5
    """Least intersection over union of partners, above 0, at most 1."""
    score_tolerance: float = 0.2
    """Largest difference of the scores of partners."""
    box_format: str = "corners"
    """``corners``: two opposite corners, y or x first; ``center``: centre and size; ``corner_size``: corner and
    size."""
    boxes: str = ""
    """Name of the output of boxes (M, 4); found by its name where not given, like the following."""
    scores: str = ""
    """(M,), or (M, K): one for each class, of which the largest counts and tells the class."""
    classes: str = ""
    """(M,), numbers of the classes; without it, and with one score a box, there is one class."""
    count: str = ""
    """One number: boxes from there on are none."""

    def __post_init__(self) -> None:
        """Refuse what is no threshold."""
        if not 0 < self.iou <= 1:
            raise QuantriftError(f"--iou is {self.iou:g}; give a share above 0, like 0.5")
        if not self.score_tolerance >= 0:
            raise QuantriftError(f"--score-tolerance is {self.score_tolerance:g}; give a number from 0")
        if self.box_format not in FORMATS:
            raise QuantriftError(f"--box-format is '{self.box_format}'; give {', '.join(FORMATS)}")

    def settled(self, original: Outputs, compressed: Outputs) -> "Settings":
        """Names of the outputs, whose boxes some input needs to have."""
        found = {role: getattr(self, role) or _named(role, original) for role in ROLES}
        for role, name in found.items():
            if name and name not in original:
                raise QuantriftError(f"there is no output '{name}' for the {role}; outputs are {_shapes(original)}")
        for role in ("boxes", "scores"):
            if not found[role]:
                raise QuantriftError(
                    f"no output is called {role}; name it with --output {role}=NAME: {_shapes(original)}"
                )
        boxes, scores = original[found["boxes"]], original[found["scores"]]
        if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.shape[:2] != boxes.shape[:2]:
            raise QuantriftError(
                f"boxes '{found['boxes']}' and scores '{found['scores']}' are no (n, M, 4) and (n, M): "
                f"{_shapes(original)}; name others with --output boxes=NAME and --output scores=NAME"
            )
        if found["classes"] and original[found["classes"]].shape != boxes.shape[:2]:
            raise QuantriftError(
                f"classes '{found['classes']}' are no (n, M): {_shapes(original)}; name another output"
            )
        settled = replace(
            self, boxes=found["boxes"], scores=found["scores"], classes=found["classes"], count=found["count"]
        )
        if not any((rows[:, 4] >= self.score).any() for rows in settled._detections(original)):
            # Whatever the compressed network did to such scores, everything would agree.
            raise QuantriftError(
                f"finds no box with a score of {self.score:g} or more on any input, so agreement would say nothing; "
                "give a lower --score"
            )
        return settled

    @property
    def definition(self) -> str:
        """See ``Task``."""
        return (
            f"every box of a score of {self.score:g} or more in either network has a partner in the other: of the same "
            f"class, IoU at least {self.iou:g}, scores within {self.score_tolerance:g} (boxes as {self.box_format})"
        )

    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """1 + the number of boxes without a partner; where there are none, the worst pair in units of its limits."""
        first, second = self._detections(original), self._detections(compressed)
        return np.array([self._apart(one, other) for one, other in zip(first, second, strict=True)], np.float64)

    def _apart(self, first: np.ndarray, second: np.ndarray) -> float:
        if np.array_equal(first, second):
            return 0.0
        found = partners(first, second, self.score, self.iou, self.score_tolerance)
        return 1.0 + found.alone if found.alone else found.worst

    def _detections(self, outputs: Outputs) -> list[np.ndarray]:
        """Boxes of each input whose score is high enough for a partner: corners, score and class, float64 (m, 6)."""
        boxes = corners(outputs[self.boxes].astype(np.float64), self.box_format)
        scores = outputs[self.scores].astype(np.float64)
        classes = np.zeros(boxes.shape[:2])
        if scores.ndim == 3:
            scores, classes = scores.max(axis=2), scores.argmax(axis=2).astype(np.float64)
        if self.classes:
            classes = np.rint(outputs[self.classes].astype(np.float64))
        given = np.isfinite(boxes).all(axis=2) & (scores >= self.score - self.score_tolerance - MARGIN)
        if self.count:
            count = np.rint(outputs[self.count].reshape(len(boxes)))
            given &= np.arange(boxes.shape[1]) < count[:, None]
        rows = np.concatenate([boxes, scores[..., None], classes[..., None]], axis=2)
        return [row[kept] for row, kept in zip(rows, given, strict=True)]

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """True boxes with their classes, (n, M, 5); rows of NaN, or of class -1, fill up."""
        if truth.ndim != 3 or truth.shape[2] != 5:
            raise QuantriftError(
                f"has shape {truth.shape}, expected (n, M, 5): four numbers of a box, as the network's, and its class; "
                "fill up with rows of NaN"
            )
        return truth.astype(np.float32)

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether the boxes from the threshold on, and no others, are partners of the true ones, whatever the score."""
        boxes, classes = corners(truth[..., :4].astype(np.float64), self.box_format), truth[..., 4].astype(np.float64)
        real = np.isfinite(truth).all(axis=2) & (classes >= 0)
        found = []
        for detected, own, kinds, kept in zip(self._detections(outputs), boxes, classes, real, strict=True):
            seen = detected[detected[:, 4] >= self.score]
            wanted = np.concatenate([own, np.full((len(own), 1), np.inf), kinds[:, None]], axis=1)[kept]
            found.append(partners(seen, wanted, self.score, self.iou, np.inf).alone == 0)
        return np.array(found, bool)

    def parts(self, original: Outputs, compressed: Outputs) -> Sequence[Part]:
        """Each class: boxes of both networks, from the threshold on, that have no partner."""
        alone: dict[int, list[int]] = {}
        for one, other in zip(self._detections(original), self._detections(compressed), strict=True):
            found = partners(one, other, self.score, self.iou, self.score_tolerance)
            for rows, lonely in ((one, found.alone_first), (other, found.alone_second)):
                for row, by_itself in zip(rows, lonely, strict=True):
                    if row[4] >= self.score:
                        counted = alone.setdefault(int(row[5]), [0, 0])
                        counted[0] += int(by_itself)
                        counted[1] += 1
        return [
            Part(f"class {name}", lonely, every, None, None, "boxes") for name, (lonely, every) in sorted(alone.items())
        ]

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Each number of a box, each score, and the numbers of classes and boxes."""
        return dead_channels(self._channels(original), self._channels(compressed))

    def _channels(self, outputs: Outputs) -> dict[str, np.ndarray]:
        """Values (n, channels, M) of the outputs that have a role."""
        named = {name: outputs[name] for role in ROLES if (name := getattr(self, role))}
        boxes = len(outputs[self.boxes]), outputs[self.boxes].shape[1], -1
        return {
            name: values.reshape(len(values), 1, -1) if name == self.count else values.reshape(boxes).swapaxes(1, 2)
            for name, values in named.items()
        }


def _named(role: str, outputs: Outputs) -> str:
    """The output of a role by its name, or by that which TensorFlow Lite's postprocessing gives; '' if none is."""
    after = [name for name in outputs if "Detection_PostProcess" in name]
    if len(after) == len(ROLES):
        ending = OF_POSTPROCESS[role]
        found = [name for name in after if (name.endswith(ending) if ending else ":" not in name)]
    else:
        found = [name for name in outputs if any(part in name.lower() for part in ROLES[role])]
        if role == "classes":
            # Scores of each class are often called so.
            found = [name for name in found if not any(part in name.lower() for part in ROLES["scores"])]
    return found[0] if len(found) == 1 else ""


def _shapes(outputs: Outputs) -> str:
    return ", ".join(f"'{name}' {('n', *values.shape[1:])}".replace("'n'", "n") for name, values in outputs.items())
