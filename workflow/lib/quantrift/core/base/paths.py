"""Paths of all files of the pipeline below the results folder of a scale."""

from dataclasses import dataclass
from pathlib import Path

ORIGINAL = "original.tflite"
"""File of the original that LiteRT runs, in the folder of a network."""
COMPRESSED = "model.tflite"
"""File of a compressed network, in its folder."""
ORIGINAL_FACTS, COMPRESSED_FACTS = "model.json", "compression.json"
"""Files beside these two that say what they are."""
TRAINABLE = "trainable.npz"
"""In the same folder, of methods that train: the weights that training left (``study.compression.trainable``)."""


@dataclass(frozen=True)
class Paths:
    """Paths of one scale; braces may stand for names, so that rules use them as wildcards."""

    root: Path

    def source(self, dataset: str) -> Path:
        """The whole dataset: .npz."""
        return self.root / "data" / dataset / "source.npz"

    def inputs(self, dataset: str, model: str) -> Path:
        """The dataset as one network sees it, with its split: .npz (``quantrift.core.base.inputs``)."""
        return self.root / "data" / dataset / f"{model}.npz"

    def model(self, dataset: str, model: str) -> Path:
        """Folder of a trained network: model.keras, twin.keras, original.tflite, history.csv, model.json."""
        return self.root / "models" / dataset / model

    def blocks(self, dataset: str, model: str) -> Path:
        """Folder of the accuracy under a spatially disjoint split: blocks.json."""
        return self.model(dataset, model) / "blocks"

    def profile(self, dataset: str, model: str) -> Path:
        """Ranges of the neurons of the original on the training inputs: .npz."""
        return self.model(dataset, model) / "profile.npz"

    def compressed(self, dataset: str, model: str, compression: str) -> Path:
        """Folder of a compressed network: model.tflite, audit.json, compression.json."""
        return self.root / "compression" / dataset / model / compression

    def calibration(self, dataset: str, model: str, calibration: str) -> Path:
        """Strengths of distortions on the inputs of a network: .json (``quantrift.core.search.calibrated``)."""
        return self.root / "calibration" / dataset / model / f"{calibration}.json"

    def seeds(self, dataset: str, model: str, protocol: str) -> Path:
        """The seed inputs of each run seed: .csv."""
        return self.root / "subjects" / dataset / model / f"{protocol}.csv"

    def searches(self, dataset: str, model: str, compression: str, tool: str, protocol: str) -> Path:
        """Folder of the searches of one tool on one subject under one protocol."""
        return self.root / "search" / dataset / model / compression / tool / protocol

    def metrics(self, dataset: str, model: str, compression: str, tool: str, protocol: str) -> Path:
        """Metrics of each run seed: .csv."""
        return self.root / "metrics" / dataset / model / compression / tool / f"{protocol}.csv"

    def dii_layers(self, dataset: str, model: str, compression: str, tool: str, protocol: str) -> Path:
        """Errors of layers on difference-inducing inputs and on their seed inputs: .json
        (``quantrift.core.networks.layer_errors``).
        """
        return self.root / "layers" / dataset / model / compression / tool / f"{protocol}.json"

    def shrunk(self, dataset: str, model: str, compression: str, tool: str, protocol: str) -> Path:
        """Smallest sets of distortions of difference-inducing inputs: .parquet (``core.search.records.shrinking``)."""
        return self.root / "shrink" / dataset / model / compression / tool / f"{protocol}.parquet"

    def repaired(self, dataset: str, model: str, compression: str, tool: str, protocol: str) -> Path:
        """Outcome of fine-tuning on difference-inducing inputs: .json (``quantrift.study.compression.repair_job``)."""
        return self.root / "repair" / dataset / model / compression / tool / f"{protocol}.json"

    def adversarial(self, dataset: str, model: str, attack: str) -> Path:
        """Adversarial samples of the test inputs of a network: .npz (``training.adversarial_samples``)."""
        return self.root / "adversarial" / dataset / model / f"{attack}.npz"

    def verdicts(self, dataset: str, model: str, compression: str, attack: str) -> Path:
        """Labels of both models on adversarial samples: .json (``quantrift.study.compression.adversarial_labels``)."""
        return self.root / "adversarial" / dataset / model / compression / f"{attack}.json"

    def bits(self, dataset: str, model: str, study: str, networks: str) -> Path:
        """Folder of a block of networks of a bit study: networks.npz, accuracies.parquet, robustness.parquet."""
        return self.root / "bits" / dataset / model / study / networks

    def robustness(self, dataset: str, model: str, compression: str | None = None) -> Path:
        """Accuracy of a compressed network, or of the original, under attack: .parquet
        (``training.accuracy_under_attack``).
        """
        folder = self.compressed(dataset, model, compression) if compression else self.model(dataset, model)
        return folder / "robustness.parquet"

    def checked(self, network: str, kind: str) -> Path:
        """What checkers say of the planted pairs of a network in one kind of files: .json
        (``quantrift.core.statistics.checker_figures``).
        """
        return self.root / "checkers" / network / f"{kind}.json"

    @property
    def board(self) -> Path:
        """Folder of the board: board.html, board.json, and a folder for each pair (``quantrift.study.board.row``)."""
        return self.root / "board"

    def table(self, target: str) -> Path:
        """A table without its suffix."""
        return self.root / "tables" / target

    def figure(self, target: str) -> Path:
        """A figure without its suffix."""
        return self.root / "figures" / target

    def benchmark(self, rule: str, *names: str) -> Path:
        """Time and memory of a job: .tsv, written by Snakemake and read by `quantrift rates`."""
        return self.root.joinpath("benchmarks", rule, *names[:-1]) / f"{names[-1]}.tsv"

    def log(self, rule: str, *names: str) -> Path:
        """Output of a job in its last try, with the traceback of a crash: .log."""
        return self.root.joinpath("logs", rule, *names[:-1]) / f"{names[-1]}.log"

    @property
    def report(self) -> Path:
        """The self-contained page."""
        return self.root / "report.html"
