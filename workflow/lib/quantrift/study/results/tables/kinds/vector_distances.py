"""Distances between the vectors found with each of two fitness functions (DiverGet, Table 6)."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import pandas as pd
from pydantic import Field, field_validator
from tqdm import tqdm

from quantrift.core.page.number_format import whole
from quantrift.core.page.shared_columns import RUN_SEEDS, SUBJECT
from quantrift.core.statistics import statistics
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.core.statistics.published import read_published
from quantrift.core.statistics.search_files import by_tool
from quantrift.core.statistics.vector_samples import STATISTICS, Form, draws, overlap, summary, within
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, significance
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Published, VectorTarget


class Settings(VectorTarget, Published):
    """Pairwise distances of the vectors found with each of two fitness functions."""

    kind: Literal["vector_distances"]
    vectors: Annotated[int, Field(ge=2)] = 10_000
    """Vectors of each fitness function in a draw; fewer where fewer are stored, which the table states."""
    draws: Annotated[int, Field(ge=1)] = 3
    """Repetitions, whose results are averaged."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""

    @field_validator("metaheuristics")
    @classmethod
    def _two_of_each(cls, value: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for name, fitness in value.items():
            if len(fitness) != 2:
                raise ValueError(f"{name}: two fitness functions are compared, got {len(fitness)}; name two")
        return value


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Candidates of all searches."""
    return {"records": results.records(settings)}


KEYS = (
    *SUBJECT,
    key("metaheuristic", "Metaheuristic"),
    key(
        "form",
        "Form",
        "Raw genes, or genes scaled to 0..1 with switched-off distortions constant, without duplicates.",
    ),
    key("fitness", "Fitness", "What the search maximises."),
)
DISTANCES = tuple(
    Column(f"distance_{name}", label, meaning=f"{meaning}, mean over draws; raw ones in the units of the genes.")
    for name, label, meaning in (
        ("min", "Smallest", "Smallest distance of two vectors"),
        ("max", "Largest", "Largest distance of two vectors"),
        ("average", "Average", "Mean distance of two vectors"),
        ("variance", "Variance", "Variance of the distances"),
        ("q1", "Quartile 1", "First quartile of the distances"),
        ("q3", "Quartile 3", "Third quartile of the distances"),
    )
)
COLUMNS = (
    *KEYS,
    RUN_SEEDS,
    Column("vectors", "Vectors", "count", "Of each fitness function in a draw."),
    *DISTANCES,
    *(
        Column(f"{column.name}_sd", f"± {column.label.lower()}", meaning="Standard deviation over draws.")
        for column in DISTANCES
    ),
    Column("within", "Within a run seed", meaning="Mean distance of the vectors of a run seed, median over run seeds."),
    # Of the mean distance within a run seed, first fitness function against second; in the row of the first.
    *statistics.columns(
        "Within a run seed",
        "within_",
        shift="number",
        of=tuple(sorted(statistics.COLUMNS, key=lambda column: column.name == "p_holm")),
    ),
    *map(published, DISTANCES),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """Rows of each subject, metaheuristic and form of the vectors: one for each fitness function.

    Raises:
        QuantriftError: records are damaged or do not belong together.
    """
    numbers = read_published(given.published_file, ("fitness",))
    files = by_tool(given.files["records"])
    wanted = [
        (subject, metaheuristic, form)
        for subject in dict.fromkeys(about[:3] for about in files)
        for metaheuristic, tools in settings.metaheuristics.items()
        for form in get_args(Form)
        if all((*subject, tool) in files for tool in tools.values())
    ]
    rows: list[dict[str, Any]] = []
    pause = 0.5 if sys.stderr.isatty() else 15
    for subject, metaheuristic, form in tqdm(wanted, desc=settings.title, mininterval=pause):
        blocks = {name: files[*subject, tool] for name, tool in settings.metaheuristics[metaheuristic].items()}
        about = {column.name: name for column, name in zip(KEYS, (*subject, metaheuristic, form), strict=False)}
        rows += [about | row for row in _rows(blocks, form, settings, [*subject, metaheuristic])]
    adjusted = statistics.holm([row.get("within_p") for row in rows])
    for row, p_holm in zip(rows, adjusted, strict=True):
        beside = numbers.get((row["fitness"],), {}) if row["form"] == "raw" else {}
        row |= {f"published_distance_{name}": beside.get(name) for name in STATISTICS}
        row |= {"within_p_holm": p_holm, "scale": given.scale}
    data = frame(rows, COLUMNS)
    compared = (f"{name}: {' against '.join(tools)}" for name, tools in settings.metaheuristics.items())
    titles = (given.titles.get(tool, tool) for tool in dict.fromkeys(settings.tools))
    tested = (
        f"Tests compare the mean distance within a run seed, the first fitness function with the second: "
        f"{'; '.join(compared)}. Titles of the tools: {', '.join(titles)}."
    )
    return Table(data, COLUMNS, [_size(settings, data, given.scale), tested])


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """Mean distance of scaled vectors within a run seed, with each of the two fitness functions."""
    found = []
    for metaheuristic, fitness in settings.metaheuristics.items():
        first, second = (
            [
                row
                for row in rows
                if (row["metaheuristic"], row["form"], row["fitness"]) == (metaheuristic, "scaled", one)
            ]
            for one in fitness
        )
        beside = {id(one): other for one, other in zip(first, second, strict=True) if one["within"] and other["within"]}
        for own in by_subject([row for row in first if id(row) in beside]):
            values = [words.cells(of, "within") for of in (own, [beside[id(row)] for row in own])]
            one, other = map(words.name, fitness)
            found.append(
                f"{words.where(own)}, {words.name(metaheuristic)}: mean distance of scaled vectors within a run seed "
                f"{values[0]} with {one}, {values[1]} with {other}{significance(words, own, 'within_')}."
            )
    return found


def _rows(
    blocks: Mapping[str, Sequence[Path]], form: Form, settings: Settings, about: Sequence[str]
) -> list[dict[str, Any]]:
    drawn = draws(blocks, form, settings.vectors, settings.draws, about)
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
    said = statistics.compare(*means, test=test)
    rows[0] |= {f"within_{name}": value for name, value in asdict(said).items()}
    return rows


def _size(settings: Settings, data: pd.DataFrame, scale: str) -> str:
    """Note on the numbers of vectors drawn and asked for."""
    realised = ", ".join(whole(value) for value in sorted(data["vectors"].dropna().unique()))
    seeds = ", ".join(str(value) for value in sorted(data["run_seeds"].dropna().unique()))
    short = bool((data["vectors"] < settings.vectors).any())
    return (
        f"Scale: {scale}. Run seeds: {seeds}. Draws: {settings.draws}, of {settings.vectors:,} vectors a fitness "
        f"function as far as so many are stored; realised: {realised or 'none'}."
        + (" Where there are fewer, draws overlap, so their standard deviation is too small." if short else "")
    )
