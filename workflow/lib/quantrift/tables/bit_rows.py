"""What tables over bit studies have in common: names for people, what the thesis prints, lines above the cells."""

from collections.abc import Iterable, Mapping

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.metrics.bit_studies import short_names
from quantrift.metrics.given import Given
from quantrift.tables import printed
from quantrift.tables.text import missing, percent, whole

KEYS = ("dataset", "model", "study", "setting")
"""Columns that name a row, in tables and in the files of the thesis's numbers."""

OPTIMIZERS = {"adam": "Adam", "rmsprop": "RMSprop", "sgd": "SGD with momentum"}


def labels(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> dict[str, list[str]]:
    """The first columns of a view: what each row is about."""
    return {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"].tolist(),
        "weights": [titles.get(setting, setting) for setting in data["setting"]],
    }


def short(data: pd.DataFrame) -> dict[str, str]:
    """Setting -> its short name among those of its study."""
    found: dict[str, str] = {}
    for _, own in data.groupby("study", sort=False):
        found |= short_names(list(dict.fromkeys(own["setting"])))
    return found


def header(caption: str, found: pd.DataFrame, given: Given) -> list[str]:
    """The caption, of what accuracies are means, and how the networks were trained."""
    lines = [caption] if caption else []
    scale = given.scale
    if len(found):
        repetitions = numbers(found.groupby(list(KEYS))["repetition"].nunique())
        lines.append(
            f"Scale: {scale}. Repetitions, each with initial weights and bits of its own: {repetitions}. Test inputs: "
            f"{numbers(found['inputs'])}."
        )
        lines.append(_trainings(found, given))
    else:
        lines.append(f"Scale: {scale}. Nothing was run.")
    return lines


def _trainings(found: pd.DataFrame, given: Given) -> str:
    """How the networks were trained; whose training it is where they differ."""
    ways: dict[str, dict[str, None]] = {}
    for dataset, model, study in found[list(KEYS[:3])].drop_duplicates().itertuples(index=False):
        how = given.studies[study].trained(dataset, model)
        parts = [f"{how.training.epochs} epochs", f"batch {how.training.batch}"]
        parts.append(f"{OPTIMIZERS[how.training.optimizer]} at {how.training.learning_rate:g}")
        parts += [f"of width {how.width:g}"] if how.width else []
        parts += [f"{whole(how.inputs)} training inputs"] if how.inputs else []
        ways.setdefault(", ".join(parts), {})[f"{model} on {printed.title(dataset, given.datasets)}"] = None
    if len(ways) == 1:
        return f"Training: {next(iter(ways))}."
    return "Training: " + "; ".join(f"{', '.join(names)}: {way}" for way, names in ways.items()) + "."


def numbers(values: Iterable[int]) -> str:
    """Whole numbers that occur, ascending, each once."""
    return ", ".join(whole(value) for value in sorted({int(value) for value in values}))


def spread(mean: float | None, sd: float | None) -> str:
    """Mean and standard deviation of fractions in percent."""
    return percent(mean) if missing(sd) else f"{percent(mean)} ± {percent(sd)}"


def approximate(value: float | None, rough: float | None) -> str:
    """A printed fraction in percent, with a sign before it where the text gives it as approximate."""
    if value is None or missing(value):
        return ""
    return f"≈ {percent(value)}" if rough and not missing(rough) else percent(value)
