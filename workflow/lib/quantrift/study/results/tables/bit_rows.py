"""Columns and notes shared by the tables over bit studies."""

import pandas as pd

from quantrift.core.page.number_format import distinct, whole
from quantrift.core.statistics.column import Column, key, published, with_interval
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given

KEYS = ("dataset", "model", "study", "setting")
"""Columns that name a row, in tables and in the files of the thesis's numbers."""
NAMED = (
    key("dataset", "Dataset"),
    key("model", "Network"),
    key("study", "Study", "Settings of bits trained and compared together."),
    key("setting", "Setting", "Numbers of bits of the weights."),
)
MEAN_BITS = Column("mean_bits", "Bits", "number", "Mean bits of a weight.")
REPETITIONS = Column("repetitions", "Repetitions", "count", group="runs")
ACCURACY, _LOW, _HIGH = with_interval(
    Column("accuracy", "Accuracy", "fraction", "Mean over repetitions, with its 95 % interval by Student's t.")
)
ACCURACIES = (
    REPETITIONS,
    Column("inputs", "Inputs", "count", "Test inputs of a repetition.", "runs"),
    ACCURACY,
    Column("accuracy_sd", "± accuracy", "fraction", "Standard deviation over repetitions."),
    _LOW,
    _HIGH,
)
"""Columns of ``statistics.bit_study_accuracy.summary``."""
PUBLISHED = (
    published(ACCURACY),
    Column(
        "published_approximate",
        "Approximate",
        "flag",
        "Whether the text gives the number as approximate.",
        "published",
        as_number=True,
    ),
)
OPTIMIZERS = {"adam": "Adam", "rmsprop": "RMSprop", "sgd": "SGD with momentum"}


def notes(found: pd.DataFrame, given: Given) -> list[str]:
    """Notes: the means behind the accuracies, and the training of the networks."""
    if found.empty:
        return [f"Scale: {given.scale}. Nothing was run."]
    repetitions = distinct(found.groupby(list(KEYS))["repetition"].nunique(), whole)
    return [
        f"Scale: {given.scale}. Repetitions, each with initial weights and bits of its own: {repetitions}. Test "
        f"inputs: {distinct(found['inputs'], whole)}.",
        _trainings(found, given),
    ]


def _trainings(found: pd.DataFrame, given: Given) -> str:
    """Training of the networks, named by network where it differs."""
    stated = over_bit_studies.studies(given.stated)
    ways: dict[str, dict[str, None]] = {}
    for dataset, model, study in found[list(KEYS[:3])].drop_duplicates().itertuples(index=False):
        how = stated[study].trained(dataset, model)
        parts = [
            f"{how.training.epochs} epochs",
            f"batch {how.training.batch}",
            f"{OPTIMIZERS[how.training.optimizer]} at {how.training.learning_rate:g}",
            f"of width {how.width:g}" if how.width else "",
            f"{whole(how.inputs)} training inputs" if how.inputs else "",
        ]
        ways.setdefault(", ".join(filter(None, parts)), {})[f"{model} on {given.named(dataset)}"] = None
    said = [f"{', '.join(names)}: {way}" for way, names in ways.items()] if len(ways) > 1 else [*ways]
    return f"Training: {'; '.join(said)}."
