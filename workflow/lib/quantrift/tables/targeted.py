"""Kind ``targeted``: how often searches reach a class they were given, as DiffChaser's Section 4.5 counts it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.diffchaser_targets import TargetedTable
from quantrift.config.errors import QuantriftError
from quantrift.metrics import disagreements
from quantrift.metrics.given import Given
from quantrift.metrics.intervals import pooled, unit_of
from quantrift.metrics.published import SUBJECT, published_dataset, read_published
from quantrift.tables.printed import title
from quantrift.tables.text import estimate, plain, whole
from quantrift.tables.write import Table, View, write

PRINTED = ("n_success", "searches", "iterations_average")
"""What a published file says, ``<tool>_`` before it."""
COUNTS = ("inputs", "differing_inputs", "searches", "n_success", "published_n_success", "published_searches")
NUMBERS = ("sr", "sr_low", "sr_high", "iterations_average", "iterations_median", "published_iterations_average")
COLUMNS = (
    *(*SUBJECT, "tool", *COUNTS[:4], *NUMBERS[:3], "sr_rests_on", *NUMBERS[3:5]),
    *(*(f"published_{what}" for what in PRINTED), "scale"),
)


def make(target: TargetedTable, given: Given, out_stem: Path) -> None:
    """Write the table, a row a tool on a subject, and beside it ``.searches.csv``, a row a search.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool``, ``inputs``, ``differing_inputs`` (on which the
    models disagree before any search), ``searches`` (one for each seed input and class it does not have),
    ``n_success``, ``sr`` with the ends of its interval (fractions), ``sr_rests_on`` (in words, on how few inputs with a
    success it rests, if so few), ``iterations_average`` and ``iterations_median`` (over successes, as Algorithm 1
    counts: 0 where the initial population has it), ``published_n_success``, ``published_searches``,
    ``published_iterations_average``, ``scale``.

    Args:
        target: what to show.
        given: files ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>.searches.parquet``; its published
            file with the paper's ``<tool>_`` ``n_success``, ``searches`` and ``iterations_average``, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, or one without a class that it wants.
    """
    if not given.files:
        raise QuantriftError(f"table {out_stem.name}: its experiments have no searches; name others in `from`")
    found = disagreements.load(given.files)
    if (found["target"] < 0).any():
        raise QuantriftError(
            f"table {out_stem.name}: has searches that want no class; name experiments that are targeted"
        )
    found = found.assign(iterations=found["generations"] - 1)
    printed = read_published(given.published_file, SUBJECT)
    rows = []
    for (*subject, tool), own in found.groupby([*SUBJECT, "tool"], sort=False):
        numbers = printed.get((published_dataset(str(subject[0]), given.datasets), *map(str, subject[1:])), {})
        name = target.published_as.get(str(tool), str(tool))
        beside = {f"published_{what}": numbers.get(f"{name}_{what}") for what in PRINTED}
        rows.append({**dict(zip(SUBJECT, subject, strict=True)), "tool": tool, **_cells(own), **beside})
    data = pd.DataFrame(rows, columns=[*COLUMNS])
    data = data.astype(dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(NUMBERS, "float64")).assign(scale=given.scale)
    keys = [*SUBJECT, "tool", "run_seed", "input", "true_label", "target", "success", "iterations"]
    table = Table(
        title=target.title,
        header=_header(target, data, given.scale),
        data=data,
        views=[_view(data, given.titles, given.datasets)],
        timing=found.groupby([*SUBJECT, "tool"], sort=False)["seconds"].sum().reset_index(),
        details={"searches": found[keys]},
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _cells(searches: pd.DataFrame) -> dict[str, Any]:
    success, clusters = searches["success"].to_numpy(np.int64), searches["cluster"].to_numpy()
    found = pooled(clusters, success, np.ones_like(success), unit_of(searches["input"].to_numpy(), clusters))
    iterations = searches["iterations"][searches["success"]]
    inputs = searches.drop_duplicates(["run_seed", "input"])
    return {
        "inputs": len(inputs),
        "differing_inputs": int(inputs["seed_disagrees"].sum()),
        "searches": len(searches),
        "n_success": int(success.sum()),
        "sr": found.share,
        "sr_low": found.low,
        "sr_high": found.high,
        "sr_rests_on": found.rests_on,
        "iterations_average": float(iterations.mean()),
        "iterations_median": float(iterations.median()),
    }


def _header(target: TargetedTable, data: pd.DataFrame, scale: str) -> list[str]:
    inputs = ", ".join(map(str, sorted(data["inputs"].unique())))
    return [
        *([target.caption] if target.caption else []),
        f"Scale: {scale}. Seed inputs: {inputs}, each with a search for every class but its own.",
        "A search succeeds where one model keeps the label of the seed input and the other gives the class that is "
        "wanted. The 95 % interval is a bootstrap over seed inputs, as the searches of one depend on each other; none "
        "where fewer than three have a success, which stand there in words. Iterations are counted over successes, as "
        "in Algorithm 1: 0 where the initial population has it.",
    ]


def _view(data: pd.DataFrame, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> View:
    cells: dict[str, Iterable[str]] = {
        "dataset": [title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"],
        "compression": data["compression"],
        "tool": [titles.get(tool, tool) for tool in data["tool"]],
        "searches": map(whole, data["searches"]),
        "successes": map(whole, data["n_success"]),
        "SR %": map(estimate, data["sr"], data["sr_low"], data["sr_high"], data["sr_rests_on"]),
        "iterations, mean": [plain(value) for value in data["iterations_average"]],
        "iterations, median": [plain(value, 1) for value in data["iterations_median"]],
        "published successes": map(whole, data["published_n_success"]),
        "published searches": map(whole, data["published_searches"]),
        "published iterations, mean": [plain(value) for value in data["published_iterations_average"]],
    }
    return View.of("Targeted searches", cells)
