"""Kind ``vector_distances``: how far apart the vectors lie that two fitness functions lead to (DiverGet Table 6)."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from tqdm import tqdm

from quantrift.config.datasets import Dataset
from quantrift.config.targets import DistanceTable
from quantrift.metrics.distances import STATISTICS, summary, within
from quantrift.metrics.given import Given
from quantrift.metrics.published import read_published
from quantrift.metrics.searched import Searched
from quantrift.metrics.statistics import Comparison, compare, holm
from quantrift.metrics.vectors import Form, draws, overlap
from quantrift.tables import printed
from quantrift.tables.text import missing, p_value, plain, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "compression", "metaheuristic", "form", "fitness")
TESTS = (*Comparison.__dataclass_fields__, "p_holm")
"""Of the mean distance within a run seed, first fitness function against second; in the row of the first."""


def make(target: DistanceTable, files: Mapping[Searched, Sequence[Path]], given: Given, out_stem: Path) -> None:
    """Write the table: of each subject, metaheuristic and form of the vectors a row for each fitness function.

    CSV columns: ``dataset``, ``model``, ``compression``, ``metaheuristic``, ``form`` (``raw`` or ``scaled``, see
    ``quantrift.metrics.vectors``), ``fitness``, ``run_seeds`` (that gave vectors), ``vectors`` (in each draw; of all
    fitness functions alike); ``distance_min``, ``_max``, ``_average``, ``_variance``, ``_q1``, ``_q3`` (mean over
    draws; raw ones in the units of the genes) and ``..._sd`` (their standard deviation over draws, divisor n - 1);
    ``within`` (median over run seeds of the mean distance within a run seed, which is the mean over draws);
    ``within_p`` ... (in the row of the first fitness function: first against second, paired by run seed; A12 above 0.5
    and shift above 0 where the first is more spread); ``published_distance_...``; ``scale``.

    Args:
        target: what to compare.
        files: (dataset, model, compression, tool) -> candidates tables of its blocks.
        given: what every kind of table is made from; its published file of the paper's numbers, by ``fitness``.
        out_stem: path without suffix.

    Raises:
        QuantriftError: records are damaged or do not belong together.
    """
    numbers = read_published(given.published_file, ("fitness",))
    rows: list[dict[str, Any]] = []
    subjects = list(dict.fromkeys(key[:3] for key in files))
    wanted = [
        (subject, metaheuristic, form)
        for subject in subjects
        for metaheuristic, tools in target.metaheuristics.items()
        for form in get_args(Form)
        if all((*subject, tool) in files for tool in tools.values())
    ]
    pause = 0.5 if sys.stderr.isatty() else 15
    for subject, metaheuristic, form in tqdm(wanted, desc=out_stem.name, mininterval=pause):
        blocks = {name: files[*subject, tool] for name, tool in target.metaheuristics[metaheuristic].items()}
        keys = dict(zip(KEYS, (*subject, metaheuristic, form), strict=False))
        rows += [keys | row for row in _rows(blocks, form, target, [*subject, metaheuristic])]
    for row, adjusted in zip(rows, holm([row.get("within_p") for row in rows]), strict=True):
        row["within_p_holm"] = adjusted
        if row["form"] == "raw":
            beside = numbers.get((row["fitness"],), {})
            row |= {f"published_distance_{name}": beside.get(name) for name in STATISTICS}
        row["scale"] = given.scale
    data = _typed(rows)
    header = [target.caption] if target.caption else []
    header.append(_size(target, data, given.scale))
    header.append(
        "Tests compare the first fitness function with the second: "
        + "; ".join(f"{name}: {' against '.join(tools)}" for name, tools in target.metaheuristics.items())
        + ". Titles of the tools: "
        + ", ".join(given.titles.get(tool, tool) for tool in dict.fromkeys(target.tools))
        + "."
    )
    named = {"/".join((*key, block.name)): block for key, found in files.items() for block in found}
    named |= given.published_files
    views = [_distances(data, given.datasets), _tests(data, given.datasets)]
    write(Table(target.title, header, data, views, files=named), out_stem, given.provenance)


def _rows(
    blocks: Mapping[str, Sequence[Path]], form: Form, target: DistanceTable, key: Sequence[str]
) -> list[dict[str, Any]]:
    drawn = draws(blocks, form, target.vectors, target.draws, key)
    run_seeds = np.unique(drawn[0].run_seeds)
    rows: list[dict[str, Any]] = []
    means = []
    for name in blocks:
        found = pd.DataFrame([summary(draw.vectors[name]) for draw in drawn])
        of_seeds = pd.DataFrame([within(draw.vectors[name], draw.run_seeds) for draw in drawn]).mean()
        means.append(of_seeds.reindex(run_seeds).to_numpy(np.float64))
        row: dict[str, Any] = {"fitness": name, "run_seeds": len(run_seeds), "vectors": len(drawn[0].run_seeds)}
        row |= {f"distance_{statistic}": found[statistic].mean() for statistic in STATISTICS}
        row |= {f"distance_{statistic}_sd": found[statistic].std() for statistic in STATISTICS}
        defined = means[-1][~np.isnan(means[-1])]
        rows.append(row | {"within": float(np.median(defined)) if len(defined) else None})
    test = not overlap(next(iter(blocks.values())))
    rows[0] |= {f"within_{name}": value for name, value in asdict(compare(*means, test=test)).items()}
    return rows


def _typed(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    numbers = [f"distance_{name}" for name in STATISTICS] + [f"distance_{name}_sd" for name in STATISTICS]
    tests = [f"within_{name}" for name in TESTS]
    beside = [f"published_distance_{name}" for name in STATISTICS]
    columns = [*KEYS, "run_seeds", "vectors", *numbers, "within", *tests, *beside, "scale"]
    kinds = dict.fromkeys([*numbers, "within", *tests, *beside], "float64")
    kinds |= dict.fromkeys(["run_seeds", "vectors", "within_pairs"], "Int64")
    del kinds["within_magnitude"]
    return pd.DataFrame(rows, columns=columns).astype(kinds)


def _size(target: DistanceTable, data: pd.DataFrame, scale: str) -> str:
    """How much stands behind the numbers, and how much was asked for."""
    realised = ", ".join(whole(value) for value in sorted(data["vectors"].dropna().unique()))
    seeds = ", ".join(str(value) for value in sorted(data["run_seeds"].dropna().unique()))
    short = bool((data["vectors"] < target.vectors).any())
    return (
        f"Scale: {scale}. Run seeds: {seeds}. Draws: {target.draws}, of {target.vectors:,} vectors a fitness function "
        f"as far as so many are stored; realised: {realised or 'none'}."
        + (" Where there are fewer, draws overlap, so their standard deviation is too small." if short else "")
    )


def _distances(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    cells = _keys(data, datasets) | {"vectors": map(whole, data["vectors"])}
    for name in STATISTICS:
        cells[name] = (
            f"{_shown(value)}" + ("" if missing(sd) else f" ± {_shown(sd)}")
            for value, sd in zip(data[f"distance_{name}"], data[f"distance_{name}_sd"], strict=True)
        )
    for name in STATISTICS:
        cells[f"published {name}"] = map(_shown, data[f"published_distance_{name}"])
    return View.of("Pairwise distances: mean ± standard deviation over draws", cells)


def _tests(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    shifts = zip(data["within_shift"], data["within_shift_low"], data["within_shift_high"], strict=True)
    cells = _keys(data, datasets) | {
        "median of run seeds": map(_shown, data["within"]),
        "pairs": map(whole, data["within_pairs"]),
        "p": map(p_value, data["within_p"]),
        "smallest p": map(p_value, data["within_p_min"]),
        "p Holm": map(p_value, data["within_p_holm"]),
        "A12": map(plain, data["within_a12"]),
        "magnitude": ("" if missing(word) else str(word) for word in data["within_magnitude"]),
        "rank-biserial": map(plain, data["within_rank_biserial"]),
        "shift [95 %]": (
            _shown(middle) + ("" if missing(low) else f" [{_shown(low)}, {_shown(high)}]")
            for middle, low, high in shifts
        ),
    }
    return View.of("Mean distance within a run seed: first fitness function against second", cells)


def _keys(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> dict[str, Iterable[str]]:
    titled = {"dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]]}
    return {**titled, **{name: data[name] for name in KEYS[1:]}}


def _shown(value: float | None) -> str:
    """A distance: two decimals, four below 10."""
    return "" if value is None or missing(value) else plain(value, 2 if abs(float(value)) >= 10 else 4)
