"""Benchmark of training: seconds an epoch of the thesis's networks, on processors and on a device where one is seen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tools.benchmarks.benchmark import RESULTS, Benchmark, Result, Row, of_scale, result
from tools.benchmarks.training_process import Steps, Took, took
from tqdm import tqdm

from quantrift.core.base.files import read_json
from quantrift.core.base.grouped import grouped
from quantrift.core.page.markdown import table
from quantrift.core.settings.networks import COLOUR, GREY
from quantrift.study.planning import bit_blocks, jobs
from quantrift.study.planning.root import Config

STUDIES = ("bits_homogeneous", "bits_3_6", "bits_6_9", "bits_1_4")
"""The thesis's own; their networks are 455."""
BATCHES = (32, 256)
"""The batch of the configuration, which is chosen, and that of the preset ``large_batch``."""
SHAPES = {"mnist": GREY, "cifar10": COLOUR}
COUNTS = {("mlp", "cpu"): (20, 200), ("vgg16", "cpu"): (1, 3), ("mlp", "gpu"): (200, 2000), ("vgg16", "gpu"): (10, 100)}
"""Network, device -> steps before and under the clock. Few: a step of VGG-16 takes a processor a second and more."""

OPERATIONS = 6
"""Floating-point operations of a training for a multiplication of the network: forward, and twice as much backward,
each with an addition."""
SUSTAINED = 1e13
"""Operations a second of a device in the example of ``operations``."""
KEPT = Path("docs") / "measured" / "training.json"
MODELS, DATASETS = {"vgg16": "VGG-16", "mlp": "MLP"}, {"mnist": "MNIST", "cifar10": "CIFAR-10"}
HOURS = {"cpu": "core-hours", "gpu": "device-hours"}
FIGURES = ("value", "unit", "details", "rows", "cpu", "versions")
"""Entries of a result that are kept."""


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


class Training(Benchmark):
    """Hours of the thesis's 455 trainings, extrapolated from a few steps of each kind; needs no files.

    The judged figure is that of the fastest device at the batch of the configuration.
    """

    def measure(self) -> Result:
        """Each network at each batch on each device, once, in a process of its own."""
        parts = list(thesis(of_scale("paper")))
        rows = [row for device in ("cpu", "gpu") for row in _rows(parts, device)]
        parted = grouped(((row["device"], row["batch"]), row["hours_of_its_networks"]) for row in rows)
        hours: dict[tuple[str, int], float] = {key: sum(own) for key, own in parted.items()}
        details = {f"hours_{device}_{batch}": value for (device, batch), value in hours.items()}
        fastest = min(value for (_, batch), value in hours.items() if batch == BATCHES[0])
        networks = sum(part.networks for part in parts)
        unit = f"hours for the {networks} networks of the thesis, from a few steps of each kind"
        return Result(fastest, unit, "one thread of a processor", hours["cpu", BATCHES[0]] / fastest, details, rows)


def _rows(parts: Sequence[Part], device: str) -> Iterator[dict[str, Any]]:
    """A row for each network and batch; none of a device that is not there."""
    for part, batch in tqdm([*product(parts, BATCHES)], desc=f"trainings, {device}", unit="training"):
        untimed, timed = COUNTS[part.model, device]
        training = {**part.training, "batch": batch, "device": device}
        found = took(Steps(part.model, part.settings, SHAPES[part.dataset], training, untimed, timed))
        if found is None:
            return
        yield _row(part, batch, device, timed, found)


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
        "operations": OPERATIONS * found.multiplications * part.inputs * part.training["epochs"] * part.networks,
    }


def thesis(config: Config) -> Iterator[Part]:
    """The thesis's networks in a configuration, by dataset and model."""
    studies = [config.bit_studies[name] for name in STUDIES]
    for dataset, model in sorted({pair for study in studies for pair in product(study.dataset, study.model)}):
        own = [study for study in studies if dataset in study.dataset and model in study.model]
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


def text(found: Row) -> str:
    """A table with a row for each network, batch and device, and the hours of all networks.

    Args:
        found: the result of the benchmark (``FIGURES``).
    """
    rows = sorted(found["rows"], key=lambda row: (row["model"] != "vgg16", row["dataset"] != "mnist", row["device"]))
    head = ["network", "device", "batch", "steps", "a step", "an epoch", "500 epochs of all such networks"]
    networks = sum({(row["dataset"], row["model"]): row["networks"] for row in rows}.values())
    lines = [table(head, (_cells(row, found["cpu"]["model"]) for row in rows)), ""]
    for name, hours in found["details"].items():
        _, device, batch = name.split("_")
        lines.append(f"* All {networks} networks at batch {batch}: {hours:,.0f} {HOURS[device]}.")
    if all(row["device"] == "cpu" for row in rows):
        lines.append("* Figures of a graphics processor are missing, as none was at hand.")
    return "\n".join(lines)


def operations(found: Row) -> str:
    """A sentence: operations of all trainings of the thesis, and days for them at ``SUSTAINED``."""
    [whole] = {sum(row["operations"] for row in rows) for rows in grouped(
        ((row["device"], row["batch"]), row) for row in found["rows"]).values()}  # fmt: skip
    days = whole / SUSTAINED / 86_400
    return (
        f"The thesis's {sum({(row['dataset'], row['model']): row['networks'] for row in found['rows']}.values())} "
        f"trainings are {whole:.1e} floating-point operations: at a sustained {SUSTAINED / 1e12:g} TFLOP/s one device "
        f"takes {days:.0f} days"
    )


def _cells(row: Row, processor: str) -> list[object]:
    on_processors = row["device"] == "cpu"
    return [
        f"{MODELS[row['model']]}, {DATASETS[row['dataset']]} ({row['networks']} networks)",
        f"one thread, {processor}" if on_processors else row["device_name"],
        row["batch"],
        row["timed_steps"],
        _short(1000 * row["step_processor_seconds" if on_processors else "step_seconds"], "ms"),
        _short(row["epoch_seconds"], "s"),
        f"{row['hours_of_its_networks']:,.0f} {HOURS[row['device']]}",
    ]


def _short(number: float, unit: str) -> str:
    """Three significant digits, and whole numbers from 100 on."""
    return f"{number:,.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"


def measured(root: Path) -> Row:
    """The result of the benchmark in the checkout ``root`` or, where it has not run there, the kept one.

    Raises:
        QuantriftError: if there is neither.
    """
    ran = root / RESULTS / "training.json"
    kept = root / KEPT
    found: Row = read_json(kept) if kept.is_file() and not ran.is_file() else result(root, "training")
    return {name: found[name] for name in FIGURES}
