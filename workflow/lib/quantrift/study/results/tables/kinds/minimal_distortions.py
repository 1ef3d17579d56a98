"""Smallest sets of distortions that suffice for difference-inducing inputs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from quantrift.core.base.table_columns import firsts
from quantrift.core.page.number_format import distinct, whole
from quantrift.core.page.shared_columns import RUN_SEEDS, SEARCHED, estimate, searched
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.core.statistics.distortion_counts import Minimal, read
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, by, by_subject, once, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """Smallest sets of distortions that keep difference-inducing inputs difference-inducing."""

    sets: Annotated[int, Field(ge=0)] = 3
    """Most frequent smallest sets shown of each size."""


needs = asks("shrunk", shrunk=Results.made_of_searches)


COLUMNS = (
    *SEARCHED,
    key("size", "Size", "Number of distortions.", "count"),
    key("distortions", "Distortions", "Set that suffices, or all sets of the size together.", "text"),
    RUN_SEEDS,
    Column("inputs", "Inputs", "count", "Seed inputs of all run seeds with shrunk difference-inducing inputs.", "runs"),
    Column("n_shrunk", "DIIs", "count", "Difference-inducing inputs that were shrunk."),
    Column(
        "n_left_out",
        "Left out",
        "count",
        "Difference-inducing inputs whose seed inputs the models disagree on already.",
    ),
    Column("exact_share", "Exact", "fraction", "Inputs of which all subsets were tried in order of size."),
    Column("before_average", "Before", meaning="Mean number of distortions before shrinking."),
    Column("after_average", "Needed", meaning="Mean number of distortions after shrinking."),
    Column("before_share", "Have so many", "fraction", "Inputs with so many distortions before shrinking."),
    *with_interval(
        Column(
            "after_share",
            "Need so many",
            "fraction",
            "Inputs that need so many distortions. In the row of a set, inputs for which it suffices.",
        ),
        rests_on="after_share_rests_on",
    ),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """Rows for each subject and tool: one for each size, then those of its most frequent sets.

    A tool that found nothing has one row without sizes.
    """
    data = frame(
        (
            searched(about) | row | {"scale": given.scale}
            for about, [file] in by_tool(given.files["shrunk"]).items()
            for row in _rows(read(file), settings.sets)
        ),
        COLUMNS,
    )
    once = data.drop_duplicates([column.name for column in SEARCHED])
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds that found something: {distinct(once['run_seeds'])}. Difference-inducing "
            f"inputs: {whole(int(once['n_shrunk'].sum()))}, and {whole(int(once['n_left_out'].sum()))} that are left "
            "out.",
            "Inputs with many distortions were shrunk one distortion at a time; there may be smaller sets."
            if (once["exact_share"] < 1).any()
            else "",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The mean number of distortions before and after."""
    found = [
        f"{words.where(own)}, {words.name(tool)}: on average {words.cells(once(of_tool), 'after_average')} of "
        f"{words.cells(once(of_tool), 'before_average')} distortions suffice."
        for own in by_subject(single(rows, "after_average"))
        for tool, of_tool in by(own, "tool").items()
    ]
    return found[:LISTED]


def _rows(found: Minimal, most: int) -> Iterator[dict[str, Any]]:
    table = found.shrunk
    common: dict[str, Any] = {"distortions": "any", "n_shrunk": len(found), "n_left_out": found.left_out}
    if not len(found):
        yield common
        return
    before, after = table["size_before"], table["size"]
    common |= {
        "run_seeds": len(np.unique(table["run_seed"])),
        "inputs": len(firsts([table["run_seed"], table["input"]])),
        "exact_share": table["exact"].mean(),
        "before_average": before.mean(),
        "after_average": after.mean(),
    }
    # Single distortions have a row even where none suffices.
    for size in range(int(min(before.min(), after.min(), 1)), int(before.max()) + 1):
        of_size = common | {"size": size}
        yield of_size | {"before_share": (before == size).mean()} | estimate("after_share", found.share(after == size))
        for one in found.frequent(size, most):
            yield of_size | {"distortions": found.named(one)} | estimate("after_share", found.share(found.having(one)))
