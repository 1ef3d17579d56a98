"""Detection: every box above the score threshold in either network has a partner in the other.

Partners are of one class, overlap by an IoU of at least ``iou``, and their scores differ by at most
``score_tolerance``; each box has one. Boxes below the threshold need no partner, and may be one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.pairs.channels import Dead, dead_channels
from quantrift.core.pairs.task import Outputs, Part, Task

FORMATS = ("corners", "center", "corner_size")
"""Two opposite corners; centre and size; first corner and size. Which axis comes first changes no overlap."""
ALONE = 1e6
"""Cost of a box that needs a partner and gets none: more than all pairs together cost."""


@dataclass(frozen=True, eq=False)
class Partners:
    """An assignment in which as few boxes as possible are without a partner that need one."""

    alone_first: np.ndarray
    """Whether a box of the first set needs a partner and has none, bool (a,)."""
    alone_second: np.ndarray
    """bool (b,)."""
    worst: float
    """Largest cost of a pair, 0 to 1: 1 is just within the limits."""

    @property
    def alone(self) -> int:
        """Boxes without a partner, of both sets."""
        return int(self.alone_first.sum() + self.alone_second.sum())


def corners(boxes: np.ndarray, form: str) -> np.ndarray:
    """Boxes (..., 4) of a form of ``FORMATS`` as least and greatest corner, the axes in their order."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if form == "center":
        first, second = first - second / 2, first + second / 2
    elif form == "corner_size":
        second = first + second
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def overlaps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Intersection over union, float64 (a, b), of boxes (a, 4) and (b, 4) by their corners; 0 where both are empty."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.maximum(high - low, 0).prod(axis=2)
    sizes = [np.maximum(one[:, 2:] - one[:, :2], 0).prod(axis=1) for one in (first, second)]
    union = sizes[0][:, None] + sizes[1][None, :] - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def partners(first: np.ndarray, second: np.ndarray, score: float, iou: float, tolerance: float) -> Partners:
    """Assign boxes of two sets to each other.

    Args:
        first: float64 (a, 6): corners, score, class.
        second: float64 (b, 6).
        score: boxes from this score on need a partner.
        iou: least overlap of partners.
        tolerance: largest difference of their scores; infinite for any.
    """
    needs = first[:, 4] >= score, second[:, 4] >= score
    if not len(first) or not len(second):
        return Partners(*needs, 0.0)
    overlap = overlaps(first[:, :4], second[:, :4])
    fits = (overlap >= iou) & (first[:, None, 5] == second[None, :, 5])
    apart = np.zeros_like(overlap)
    if np.isfinite(tolerance):
        gap = np.abs(first[:, None, 4] - second[None, :, 4])
        fits &= gap <= tolerance
        apart = gap / tolerance if tolerance > 0 else apart
    missing = (1 - overlap) / (1 - iou) if iou < 1 else np.zeros_like(overlap)
    cost = np.clip(np.maximum(missing, apart), 0, 1)
    # Loaded here alone, as a search process starts without it.
    from scipy.optimize import linear_sum_assignment

    # Each box may also stay alone, with a place of its own on the other side.
    a, b = cost.shape
    whole = np.zeros((a + b, a + b))
    whole[:a, :b] = np.where(fits, cost, 4 * ALONE)
    whole[:a, b:], whole[a:, :b] = (ALONE * needs[0])[:, None], ALONE * needs[1]
    rows, columns = linear_sum_assignment(whole)
    kept = np.pad(fits, ((0, b), (0, a)))[rows, columns]
    rows, columns = rows[kept], columns[kept]
    # Pairs of two boxes that need no partner say nothing.
    told = needs[0][rows] | needs[1][columns]
    needs[0][rows], needs[1][columns] = False, False
    return Partners(*needs, float(cost[rows, columns][told].max(initial=0.0)))


MEANING = "boxes matched by class, --iou and --score-tolerance"
ROLES = {"boxes": ("box",), "scores": ("score",), "classes": ("class",), "count": ("count", "num")}
"""Role of an output -> parts of names that tell it."""
MARGIN = 1e-9
"""Room for rounding, so that no partner is left out before scores are compared."""
OF_POSTPROCESS = {"boxes": "", "classes": ":1", "scores": ":2", "count": ":3"}
"""Endings of the names of the outputs of TensorFlow Lite's TFLite_Detection_PostProcess."""


@dataclass(frozen=True)
class Settings(Task):
    """Outputs of M boxes for each input, filled up with boxes of score 0, or counted."""

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
        refuse(
            (not 0 < self.iou <= 1, f"--iou is {self.iou:g}; give a share above 0, like 0.5"),
            (not self.score_tolerance >= 0, f"--score-tolerance is {self.score_tolerance:g}; give a number from 0"),
            (self.box_format not in FORMATS, f"--box-format is '{self.box_format}'; give {', '.join(FORMATS)}"),
        )

    def settled(self, original: Outputs, compressed: Outputs) -> "Settings":
        """Names of the outputs, whose boxes some input needs to have."""
        found = {role: getattr(self, role) or _named(role, original) for role in ROLES}
        shapes = ", ".join(f"'{name}' {('n', *one.shape[1:])}".replace("'n'", "n") for name, one in original.items())
        refuse(
            *(
                (name and name not in original, f"there is no output '{name}' for the {role}; outputs are {shapes}")
                for role, name in found.items()
            ),
            *(
                (not found[role], f"no output is called {role}; name it with --output {role}=NAME: {shapes}")
                for role in ("boxes", "scores")
            ),
        )
        boxes, scores = original[found["boxes"]], original[found["scores"]]
        refuse(
            (
                boxes.ndim != 3 or boxes.shape[2] != 4 or scores.shape[:2] != boxes.shape[:2],
                f"boxes '{found['boxes']}' and scores '{found['scores']}' are no (n, M, 4) and (n, M): "
                f"{shapes}; name others with --output boxes=NAME and --output scores=NAME",
            ),
            (
                found["classes"] and original[found["classes"]].shape != boxes.shape[:2],
                f"classes '{found['classes']}' are no (n, M): {shapes}; name another output",
            ),
        )
        settled = Settings(**{**asdict(self), **found})
        # Whatever the compressed network did to such scores, everything would agree.
        refuse(
            (
                not any((rows[:, 4] >= self.score).any() for rows in settled._detections(original)),
                f"finds no box with a score of {self.score:g} or more on any input, so agreement would say nothing; "
                "give a lower --score",
            ),
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
        both = zip(self._detections(original), self._detections(compressed), strict=True)
        return np.array([self._apart(*one) for one in both], np.float64)

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
            given &= np.arange(boxes.shape[1]) < np.rint(outputs[self.count].reshape(len(boxes), 1))
        rows = np.concatenate([boxes, scores[..., None], classes[..., None]], axis=2)
        return [row[kept] for row, kept in zip(rows, given, strict=True)]

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """True boxes with their classes, (n, M, 5); rows of NaN, or of class -1, fill up."""
        refuse(
            (
                truth.ndim != 3 or truth.shape[2] != 5,
                f"has shape {truth.shape}, expected (n, M, 5): four numbers of a box, as the network's, and its class; "
                "fill up with rows of NaN",
            ),
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
        every, lonely = Counter[int](), Counter[int]()
        for one, other in zip(self._detections(original), self._detections(compressed), strict=True):
            found = partners(one, other, self.score, self.iou, self.score_tolerance)
            for rows, alone in ((one, found.alone_first), (other, found.alone_second)):
                every.update(rows[rows[:, 4] >= self.score, 5].astype(int).tolist())
                lonely.update(rows[alone, 5].astype(int).tolist())
        return [Part(f"class {name}", lonely[name], every[name], None, None, "boxes") for name in sorted(every)]

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Each number of a box, each score, and the numbers of classes and boxes."""
        return dead_channels(self._channels(original), self._channels(compressed))

    def _channels(self, outputs: Outputs) -> dict[str, np.ndarray]:
        """Values (n, channels, M) of the outputs that have a role."""
        shape = outputs[self.boxes].shape[:2]
        return {
            name: outputs[name].reshape(len(outputs[name]), 1, -1)
            if name == self.count
            else outputs[name].reshape(*shape, -1).swapaxes(1, 2)
            for role in ROLES
            if (name := getattr(self, role))
        }


def _named(role: str, outputs: Outputs) -> str:
    """The output of a role by its name, or by that which TensorFlow Lite's postprocessing gives; '' if none is."""
    after = [name for name in outputs if "Detection_PostProcess" in name]
    if len(after) == len(ROLES):
        ending = OF_POSTPROCESS[role]
        found = [name for name in after if (name.endswith(ending) if ending else ":" not in name)]
    else:
        # Scores of each class are often called so.
        found = [name for name in outputs if _says(name, role) and not (role == "classes" and _says(name, "scores"))]
    return found[0] if len(found) == 1 else ""


def _says(name: str, role: str) -> bool:
    return any(part in name.lower() for part in ROLES[role])
