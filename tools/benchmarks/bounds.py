"""Benchmark of bounds: boxes that are proven, a search of the same boxes, and images of proven ones on the runtimes."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tools.benchmarks.benchmark import RESULTS, Benchmark, Cost, Result, result
from tools.benchmarks.runtimes import Files as OfNetwork
from tqdm import tqdm

from quantrift import api
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.page.markdown import table
from quantrift.judge.certify.asked_neighbourhoods import BOXES, asked
from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.boxes import Boxes, ImageBox
from quantrift.judge.certify.enumeration import Enumerator
from quantrift.judge.certify.loaded_subject import Files, loaded
from quantrift.judge.certify.proof import NEW, Prover
from quantrift.judge.intake.example import paths as example
from quantrift.judge.intake.input_form import UNIT, InputForm
from quantrift.study.planning.root import Config

KEPT = Path("docs") / "measured" / "bounds.json"
NETWORKS = {
    "bounds": "example pair",
    "bounds_mlp": "MLP on MNIST",
    "bounds_lenet1": "LeNet-1 on MNIST",
    "bounds_lenet5": "LeNet-5 on MNIST",
}
"""Benchmark -> network, as the page names it."""
SHOWN = ("proven", "refuted_by_search", "open")
"""Shares that the page shows for each radius."""
TOGETHER = 1000
"""Images run at once: half of them corners, half of them drawn evenly."""
POPULATION = 100
GENERATIONS = 250
"""Of DiffChaser's search of a box: 24,502 candidates, which take about as long as 16 looks of the bounds do."""


@dataclass(eq=False)
class Bounds(Benchmark):
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
                assert isinstance(boxes, Boxes)
                outcomes: list[str] = []
                with Cost() as deciding:
                    for number, image in enumerate(tqdm(images, desc=boxes.text, unit="input")):
                        *_, proof = prover.run(boxes, image, number, NEW)
                        outcomes.append(proof.outcome(boxes.size))
                        # Boxes that were cut may hold images of several labels.
                        if outcomes[-1] == "proven" and proof.boxes == 1:
                            proven.append((boxes.box(image, 0), labels[number]))
                with Cost() as searching:
                    details |= _figures(radius, outcomes, _refuted(pair, subject.images.take(chosen), radius))
                details[f"linf_{radius}_seconds"] = deciding.processor_seconds / len(images)
                details[f"linf_{radius}_search_seconds"] = searching.processor_seconds / len(images)
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
        files = self.network.original, self.network.compressed, folder / "inputs.npz"
        return Files(*files, form=InputForm(range=UNIT))

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
    counts = {one: outcomes.count(one) for one in ("proven", "counterexample", "unknown")}
    counts["refuted_by_search"] = len(refuted)
    counts["open"] = sum(one == "unknown" and number not in refuted for number, one in enumerate(outcomes))
    return {f"linf_{radius}_{name}": count / len(outcomes) for name, count in counts.items()}


def text(details: Mapping[str, Mapping[str, float]]) -> str:
    """A table with a row for each network and a column for each radius, and the networks that nobody has run.

    Args:
        details: benchmark -> its details, by name, with those of each radius as ``linf_RADIUS_FIGURE``; of those that
            have run, at least one.
    """
    radii = sorted({int(one.split("_")[1]) for own in details.values() for one in own if one.endswith("_proven")})
    rows = [[NETWORKS[name], *_cells(own, radii)] for name, own in details.items()]
    head = ["%: proven, refuted by search, neither", *(f"{radius}/255" for radius in radii)]
    tried = sum(own["points"] for own in details.values())
    lacking = [title for name, title in NETWORKS.items() if name not in details]
    parts = [
        table(head, rows),
        f"Of {tried:,.0f} images of proven boxes, half of them corners, none has another label.",
        *([f"Not run yet: {', '.join(lacking)}."] if lacking else []),
    ]
    return "\n\n".join(parts)


def _cells(own: Mapping[str, float], radii: Sequence[int]) -> Iterator[str]:
    """Shares in percent by radius."""
    for radius in radii:
        of = f"linf_{radius}"
        yield ", ".join(f"{100 * own[f'{of}_{one}']:.0f}" for one in SHOWN) if f"{of}_proven" in own else ""


def measured(root: Path) -> dict[str, Mapping[str, float]]:
    """Details of each benchmark that has run, in the checkout ``root`` or before; the newer ones replace those kept.

    Raises:
        QuantriftError: if none has.
    """
    known: dict[str, Mapping[str, float]] = read_json(root / KEPT) if (root / KEPT).is_file() else {}
    ran = [name for name in NETWORKS if (root / RESULTS / f"{name}.json").is_file()]
    found = known | {name: result(root, name)["details"] for name in ran or ([] if known else NETWORKS)}
    return {name: found[name] for name in NETWORKS if name in found}
