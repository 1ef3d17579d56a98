"""The section of docs/quantization.md on the cost of the thesis's networks, and docs/measured/training.json.

``python -m tools.benchmarks.training_page``, in a checkout in which ``python -m tools.bench training`` has run or
whose kept file was changed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.benchmarks.measured_rows import result
from tools.documents.marked_section import Section

from quantrift.core.base.files import read_json, write_json

PAGE = Path("docs") / "quantization.md"
KEPT = Path("docs") / "measured" / "training.json"
BEGIN = "<!-- python -m tools.bench training writes from here -->"
MODELS = {"vgg16": "VGG-16", "mlp": "MLP"}
DATASETS = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
FIGURES = ("value", "unit", "details", "rows", "cpu", "versions")
"""Entries of a result that are kept."""
Found = Mapping[str, Any]


def text(found: Found) -> str:
    """A table with a row for each network, batch and device, and the hours of all networks.

    Args:
        found: the result of the benchmark (``FIGURES``).
    """
    rows = sorted(found["rows"], key=lambda row: (row["model"] != "vgg16", row["dataset"] != "mnist", row["device"]))
    lines = [
        "| network | device | batch | steps | a step | an epoch | 500 epochs of all such networks |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        on_processors = row["device"] == "cpu"
        step = row["step_processor_seconds" if on_processors else "step_seconds"]
        network = f"{MODELS[row['model']]}, {DATASETS[row['dataset']]} ({row['networks']} networks)"
        device = f"one thread, {found['cpu']['model']}" if on_processors else row["device_name"]
        hours = f"{row['hours_of_its_networks']:,.0f} {_hours(row['device'])}"
        times = [_short(1000 * step, "ms"), _short(row["epoch_seconds"], "s"), hours]
        cells = [network, device, row["batch"], row["timed_steps"], *times]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    networks = sum({(row["dataset"], row["model"]): row["networks"] for row in rows}.values())
    lines.append("")
    for name, hours in found["details"].items():
        _, device, batch = name.split("_")
        lines.append(f"* All {networks} networks at batch {batch}: {hours:,.0f} {_hours(device)}.")
    if all(row["device"] == "cpu" for row in rows):
        lines.append("* Figures of a graphics processor are missing, as none was at hand.")
    return "\n".join(lines)


def _short(number: float, unit: str) -> str:
    """Three significant digits, and whole numbers from 100 on."""
    return f"{number:,.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"


def _hours(device: str) -> str:
    return {"cpu": "core-hours", "gpu": "device-hours"}[device]


def measured(root: Path) -> Found:
    """The result of the benchmark in the checkout ``root`` or, where it has not run there, the kept one.

    Raises:
        QuantriftError: if there is neither.
    """
    ran = root / "results" / "bench" / "training.json"
    kept: Found = read_json(root / KEPT) if (root / KEPT).is_file() and not ran.is_file() else result(root, "training")
    return {name: kept[name] for name in FIGURES}


if __name__ == "__main__":
    newest = measured(Path.cwd())
    write_json(KEPT, newest)
    Section(PAGE, BEGIN).write(text(newest))
