"""Benchmark of bounds: boxes that are proven, a search of the same boxes, and images of proven ones on the runtimes."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

import numpy as np
from tools.benchmarks.result import Result
from tools.benchmarks.subject import Files as OfNetwork
from tqdm import tqdm

from quantrift import api
from quantrift.core.base.arrays import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.judge.certify.asked_neighbourhoods import BOXES, asked
from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.boxes import Boxes, ImageBox
from quantrift.judge.certify.enumeration import Enumerator
from quantrift.judge.certify.loaded_subject import Files, loaded
from quantrift.judge.certify.proof import NEW, Prover
from quantrift.judge.intake.example import paths as example
from quantrift.judge.intake.input_form import UNIT, InputForm
from quantrift.study.planning.root import Config

TOGETHER = 1000
"""Images run at once: half of them corners, half of them drawn evenly."""
POPULATION = 100
GENERATIONS = 250
"""Of DiffChaser's search of a box: 24,502 candidates, which take about as long as 16 looks of the bounds do."""


@dataclass(eq=False)
class Bounds:
    """Shares of inputs proven and refuted at each radius; the judged figure is what is proven at the first one.

    Inputs are the first ones on which both networks agree. DiffChaser, bounded throughout, searches the same boxes.
    """

    model: str | None = None
    """Network of the configuration, in 8 bits; the example pair by default."""
    radii: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Levels of 8 bits."""
    number: int = 20
    """Inputs."""
    points: int = 1_000_000
    """Images of proven boxes that are run, over all radii."""
    most: int = BOXES
    network: OfNetwork | None = field(init=False, default=None)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Files of the network; none of the example pair, which comes with the package."""
        if self.model is None:
            return []
        self.network = OfNetwork.of(self.model, config, paths)
        return [self.network.inputs, self.network.original, self.network.compressed]

    def measure(self) -> Result:
        """Decide the boxes, search them, then try to break the proofs.

        Raises:
            QuantriftError: an image of a proven box has another label: a bound is wrong.
        """
        details: dict[str, float] = {}
        proven: list[tuple[ImageBox, int]] = []
        with tempfile.TemporaryDirectory(prefix="quantrift-") as folder, loaded(self._files(Path(folder))) as subject:
            enumerator = Enumerator(subject.networks, subject.scale)
            prover = Prover(Decider(enumerator, subject.bounded()), self.most)
            first, _, agree = enumerator.labels(subject.images.images)
            chosen = np.flatnonzero(agree)[: self.number]
            images, labels = subject.images.images[chosen], first[chosen].tolist()
            pair = api.load_pair(subject.original.path, subject.compressed.path, InputForm(range=UNIT))
            for radius in self.radii:
                [boxes] = asked(f"linf={radius}", subject.images.shape)
                if not isinstance(boxes, Boxes):
                    raise TypeError(f"{boxes.text}: no box")
                outcomes: list[str] = []
                began = process_time()
                for number, image in enumerate(tqdm(images, desc=boxes.text, unit="input")):
                    *_, proof = prover.run(boxes, image, number, NEW)
                    outcomes.append(proof.outcome(boxes.size))
                    # Boxes that were cut may hold images of several labels.
                    if outcomes[-1] == "proven" and proof.boxes == 1:
                        proven.append((boxes.box(image, 0), labels[number]))
                decided = process_time()
                refuted = _refuted(pair, subject.images.take(chosen), radius)
                details |= _figures(radius, outcomes, refuted)
                details[f"linf_{radius}_seconds"] = (decided - began) / len(images)
                details[f"linf_{radius}_search_seconds"] = (process_time() - decided) / len(images)
            details["points"] = float(self._tried(enumerator, proven))
        value = details[f"linf_{self.radii[0]}_proven"]
        return Result(value, f"of inputs proven for linf={self.radii[0]}", "all inputs", value, details)

    def _files(self, folder: Path) -> Files:
        """The pair, and twice as many images as are wanted, as the networks may disagree on some."""
        if self.network is None:
            pair = example()
            return Files(pair.original, pair.int8, pair.inputs)
        inputs = Inputs.load(self.network.inputs)
        write_arrays(folder / "inputs.npz", {"inputs": inputs.take(inputs.test[: 2 * self.number])})
        form = InputForm(range=UNIT)
        return Files(self.network.original, self.network.compressed, folder / "inputs.npz", form=form)

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


def _refuted(pair: api.Pair, inputs: np.ndarray, radius: int) -> set[int]:
    """Numbers of the inputs in whose box DiffChaser finds a disagreement.

    Args:
        pair: the networks.
        inputs: float32 (n, H, W, C).
        radius: levels of 8 bits.
    """
    share = radius / 255
    tool = {
        "space": "pixels",
        "constraint": {"linf": {"radius": share}},
        "objective": "k_uncertainty",
        "searcher": {"diffchaser": {"population": POPULATION, "radius": share}},
    }
    found = api.search(pair, inputs, tool=tool, seeds=len(inputs), generations=GENERATIONS, keep=1)
    return set(found.number.tolist())


def _figures(radius: int, outcomes: Sequence[str], refuted: set[int]) -> dict[str, float]:
    """Shares of inputs by outcome; ``open`` are those that neither bounds nor the search settled."""
    shares = {one: outcomes.count(one) / len(outcomes) for one in ("proven", "counterexample", "unknown")}
    shares["refuted_by_search"] = len(refuted) / len(outcomes)
    still = [one == "unknown" and number not in refuted for number, one in enumerate(outcomes)]
    shares["open"] = sum(still) / len(outcomes)
    return {f"linf_{radius}_{name}": share for name, share in shares.items()}
