"""Distances between the vectors found with each of two fitness functions (DiverGet, Table 6)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import pandas as pd
from pydantic import Field, field_validator

from quantrift.core.base.progress_bar import bar
from quantrift.core.page.number_format import distinct, whole
from quantrift.core.page.shared_columns import RUN_SEEDS, SUBJECT
from quantrift.core.statistics import statistics
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.core.statistics.published import read_published
from quantrift.core.statistics.vector_samples import STATISTICS, Form, draws, overlap, summary, within
from quantrift.study.results.tables.answer_words import Cells, Words, by, by_subject, significance
from quantrift.study.results.tables.finished_table import Table, adjust
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_vectors import compared
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import Published, VectorTarget


class Settings(VectorTarget, Published):
    """Pairwise distances of the vectors found with each of two fitness functions."""

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


needs = asks(records=Results.records)


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
    wanted = list(product(compared(settings, given.files["records"]), get_args(Form)))
    rows = [
        {column.name: name for column, name in zip(KEYS, (*subject, metaheuristic, form), strict=False)} | row
        for (subject, metaheuristic, blocks), form in bar(wanted, desc=settings.title)
        for row in _rows(blocks, form, settings, [*subject, metaheuristic])
    ]
    adjust(rows, "within_p")
    for row in rows:
        beside = numbers.get((row["fitness"],), {}) if row["form"] == "raw" else {}
        row |= {f"published_distance_{name}": beside.get(name) for name in STATISTICS} | {"scale": given.scale}
    data = frame(rows, COLUMNS)
    against = (f"{name}: {' against '.join(tools)}" for name, tools in settings.metaheuristics.items())
    titles = (given.titles.get(tool, tool) for tool in dict.fromkeys(settings.tools))
    short = " Where there are fewer, draws overlap, so their standard deviation is too small."
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: {distinct(data['run_seeds'])}. Draws: {settings.draws}, of "
            f"{settings.vectors:,} vectors a fitness function as far as so many are stored; realised: "
            f"{distinct(data['vectors'], whole) or 'none'}."
            f"{short if (data['vectors'] < settings.vectors).any() else ''}",
            f"Tests compare the mean distance within a run seed, the first fitness function with the second: "
            f"{'; '.join(against)}. Titles of the tools: {', '.join(titles)}.",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Mean distance of scaled vectors within a run seed, with each of the two fitness functions."""
    for metaheuristic, fitness in settings.metaheuristics.items():
        shown = by([row for row in rows if (row["metaheuristic"], row["form"]) == (metaheuristic, "scaled")], "fitness")
        first, second = (shown.get(one, []) for one in fitness)
        beside = {id(one): other for one, other in zip(first, second, strict=True) if one["within"] and other["within"]}
        one, other = map(words.name, fitness)
        yield from (
            f"{words.where(own)}, {words.name(metaheuristic)}: mean distance of scaled vectors within a run seed "
            f"{words.cells(own, 'within')} with {one}, {words.cells([beside[id(row)] for row in own], 'within')} with "
            f"{other}{significance(words, own, 'within_')}."
            for own in by_subject([row for row in first if id(row) in beside])
        )


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
        defined = means[-1][~np.isnan(means[-1])]
        rows.append(
            {"fitness": name, "run_seeds": len(run_seeds), "vectors": len(drawn[0].run_seeds)}
            | {f"distance_{statistic}": found[statistic].mean() for statistic in STATISTICS}
            | {f"distance_{statistic}_sd": found[statistic].std() for statistic in STATISTICS}
            | {"within": float(np.median(defined)) if len(defined) else None}
        )
    said = statistics.compare(*means, test=not overlap(next(iter(blocks.values()))))
    rows[0] |= {f"within_{name}": value for name, value in said.items()}
    return rows
