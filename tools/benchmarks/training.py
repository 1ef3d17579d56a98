"""Benchmark of training: seconds an epoch of the thesis's networks, on processors and on a device where one is seen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.benchmarks.result import Result
from tools.benchmarks.training_process import Steps, Took, took
from tqdm import tqdm

from quantrift.core.base.paths import Paths
from quantrift.core.settings.networks import COLOUR, GREY
from quantrift.study.planning import bit_blocks, configuration_files, jobs
from quantrift.study.planning.root import Config

STUDIES = ("bits_homogeneous", "bits_3_6", "bits_6_9", "bits_1_4")
"""The thesis's own; their networks are 455."""
BATCHES = (32, 256)
"""The batch of the configuration, which is chosen, and that of the preset ``large_batch``."""
SHAPES = {"mnist": GREY, "cifar10": COLOUR}
COUNTS = {("mlp", "cpu"): (20, 200), ("vgg16", "cpu"): (1, 3), ("mlp", "gpu"): (200, 2000), ("vgg16", "gpu"): (10, 100)}
"""Network, device -> steps before and under the clock. Few: a step of VGG-16 takes a processor a second and more."""


@dataclass(frozen=True)
class Part:
    """Networks of the thesis that cost alike."""

    dataset: str
    model: str
    settings: Mapping[str, Any]
    training: Mapping[str, Any]
    inputs: int
    """Training inputs of an epoch."""
    networks: int


@dataclass(eq=False)
class Training:
    """Hours of the thesis's 455 trainings, extrapolated from a few steps of each kind; needs no files.

    The judged figure is that of the fastest device at the batch of the configuration.
    """

    parts: list[Part] = field(default_factory=list)
    counts: Mapping[tuple[str, str], tuple[int, int]] = field(default_factory=lambda: COUNTS)
    batches: tuple[int, ...] = BATCHES

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Nothing; the networks are those of ``config/paper.yaml``."""
        folder = configuration_files.ROOT / "config"
        self.parts = list(thesis(configuration_files.load(folder, [folder / "paper.yaml"])))
        return []

    def measure(self) -> Result:
        """Each network at each batch on each device, once, in a process of its own."""
        rows: list[dict[str, Any]] = []
        wanted = [(part, batch, device) for device in ("cpu", "gpu") for part in self.parts for batch in self.batches]
        missing: set[str] = set()
        for part, batch, device in tqdm(wanted, desc="trainings", unit="training"):
            if device in missing:
                continue
            untimed, timed = self.counts[part.model, device]
            training = {**part.training, "batch": batch, "device": device}
            found = took(Steps(part.model, part.settings, SHAPES[part.dataset], training, untimed, timed))
            if found is None:
                missing.add(device)
            else:
                rows.append(_row(part, batch, device, timed, found))
        hours: dict[tuple[str, int], float] = {}
        for row in rows:
            key = row["device"], row["batch"]
            hours[key] = hours.get(key, 0.0) + row["hours_of_its_networks"]
        details = {f"hours_{device}_{batch}": value for (device, batch), value in hours.items()}
        on_processors = hours["cpu", self.batches[0]]
        fastest = min(value for (_, batch), value in hours.items() if batch == self.batches[0])
        networks = sum(part.networks for part in self.parts)
        unit = f"hours for the {networks} networks of the thesis, from a few steps of each kind"
        return Result(fastest, unit, "one thread of a processor", on_processors / fastest, details, rows)


def _row(part: Part, batch: int, device: str, timed: int, found: Took) -> dict[str, Any]:
    # On processors those of one thread count, which other work on the machine does not stretch.
    each = found.processor_seconds if device == "cpu" else found.seconds
    epoch = each * -(-part.inputs // batch)
    return {
        "dataset": part.dataset,
        "model": part.model,
        "batch": batch,
        "device": device,
        "device_name": found.device,
        "timed_steps": timed,
        "step_seconds": found.seconds,
        "step_processor_seconds": found.processor_seconds,
        "epoch_seconds": epoch,
        "networks": part.networks,
        "hours_of_its_networks": epoch * part.training["epochs"] * part.networks / 3600,
    }


def thesis(config: Config) -> Iterator[Part]:
    """The thesis's networks in a configuration, by dataset and model."""
    of = {name: config.bit_studies[name] for name in STUDIES}
    pairs = {(dataset, model) for study in of.values() for dataset in study.dataset for model in study.model}
    for dataset, model in sorted(pairs):
        own = [study for study in of.values() if dataset in study.dataset and model in study.model]
        how = own[0].trained(dataset, model)
        sizes = jobs.inputs(config, dataset, model)
        assert sizes
        shaped = how.shaped(config.models.trained[model].for_dataset(dataset))
        yield Part(
            dataset,
            model,
            shaped.model_dump(mode="json", exclude={"training", "per_dataset"}),
            how.training.model_dump(mode="json"),
            min(sizes[0], how.inputs or sizes[0]),
            sum(len(bit_blocks.networks(study)) for study in own),
        )
