"""File of the first counterexamples (``counterexamples.npz``), and their replay from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.search.record_columns import damage_named
from quantrift.judge.certify.asked_neighbourhoods import asked
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.loaded_subject import Subject
from quantrift.judge.certify.proof import Proof

FILE = "counterexamples.npz"
ARRAYS = ("images", "input", "neighbourhood", "parameters", "label_original", "label_compressed")


def write(folder: Path, subject: Subject, found: Sequence[tuple[Neighbourhood | Boxes, int, State | Proof]]) -> None:
    """Write k counterexamples, each with its neighbourhood, the number of the input, and the state that names it.

    * ``inputs`` float32 (k, H, W, C), as the networks take them; ``images`` uint8, the same in 8 bits;
    * ``given`` uint8 (k, H, W, C), the images that they were made of; ``input`` int64 (k,), their numbers;
    * ``neighbourhood`` (k,), text; ``parameters`` float64 (k, p), NaN where a neighbourhood has fewer;
    * ``number`` int64 (k,), that of the member, -1 in a box; ``label_original`` and ``label_compressed`` int64 (k,).
    """
    images = np.zeros((len(found), *subject.images.shape), np.uint8)
    names = [one.names if isinstance(one, Neighbourhood) else () for one, _, _ in found]
    parameters = np.full((len(found), max(map(len, names), default=0)), np.nan)
    numbers = np.full(len(found), -1, np.int64)
    inputs = np.array([number for _, number, _ in found], np.int64)
    for row, (neighbourhood, number, state) in enumerate(found):
        if isinstance(state, Proof):
            images[row] = state.counterexample(subject.images.shape)
        elif isinstance(neighbourhood, Neighbourhood):
            own = np.array([state.counterexample], np.int64)
            images[row] = neighbourhood.members(subject.images.images[number], own)[0]
            parameters[row, : len(names[row])] = neighbourhood.parameters(own)[0]
            numbers[row] = own[0]
    write_arrays(
        folder / FILE,
        {
            "inputs": subject.scale.of_levels(images),
            "images": images,
            "given": subject.images.images[inputs],
            "input": inputs,
            "neighbourhood": np.array([one.text for one, _, _ in found], np.str_),
            "parameters": parameters,
            "number": numbers,
            "label_original": np.array([state.label_original for _, _, state in found], np.int64),
            "label_compressed": np.array([state.label_compressed for _, _, state in found], np.int64),
        },
    )


@dataclass(frozen=True, eq=False)
class Replayed:
    """Stored counterexamples that were made and run again."""

    same_image: np.ndarray
    """Whether the input, the neighbourhood and the parameters give the stored image again, or it lies in a box of the
    neighbourhood; bool (k,)."""
    same_labels: np.ndarray
    """Whether both networks give it the stored labels, bool (k,)."""
    disagree: np.ndarray
    """Whether the networks disagree on it, bool (k,)."""

    @property
    def complete(self) -> bool:
        """Whether everything is as stored."""
        return bool(self.same_image.all() and self.same_labels.all() and self.disagree.all())


def replay(folder: Path, subject: Subject) -> Replayed:
    """Make and run the counterexamples of a folder again.

    Raises:
        QuantriftError: the folder has no such file, it is damaged, or it is about other inputs.
    """
    with GivenFiles() as given:
        path = given.file(folder / FILE)
        held = archive.headers(path)
        if missing := [name for name in ARRAYS if name not in held]:
            raise QuantriftError(f"{path}: has no array '{missing[0]}'; make it again with quantrift certify")
        stored = archive.read_arrays(path, ARRAYS)
        images, inputs, shape = stored["images"], stored["input"], subject.images.shape
        refuse(
            (
                len({array.shape[:1] for array in stored.values()}) > 1,
                f"{path}: damaged, as its arrays have different lengths; make it again with quantrift certify",
            ),
            (
                images.shape[1:] != shape
                or (len(inputs) and not 0 <= inputs.min() <= inputs.max() < len(subject.images)),
                f"{path}: is about other inputs; name those that it was made of with --inputs",
            ),
        )
        with damage_named(path):
            same = np.zeros(len(images), bool)
            for row, text in enumerate(stored["neighbourhood"].tolist()):
                [neighbourhood] = asked(text, shape)
                given = subject.images.images[inputs[row]]
                if isinstance(neighbourhood, Boxes):
                    same[row] = neighbourhood.contains(given, images[row])
                else:
                    parameters = stored["parameters"][row : row + 1, : len(neighbourhood.names)]
                    same[row] = np.array_equal(neighbourhood.apply(given[None], parameters)[0], images[row])
            first, second, agree = Enumerator(subject.networks, subject.scale).labels(images)
            return Replayed(
                same_image=same,
                same_labels=(first == stored["label_original"]) & (second == stored["label_compressed"]),
                disagree=~agree,
            )
