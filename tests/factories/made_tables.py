"""Finished tables, written as the workflow writes them, for figures that are made from tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tests.factories import targets

from quantrift.core.page import drawing as mpl
from quantrift.core.page.arrangement import Names
from quantrift.core.page.style import STYLE
from quantrift.core.statistics.column import Columns, frame
from quantrift.study.results.tables.finished_table import Table, write
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given


def written(folder: Path, name: str, columns: Columns, rows: Sequence[Mapping[str, Any]], **more: Any) -> Path:
    """The CSV of a table with these columns and rows, beside it the declaration of the columns."""
    stem = folder / "tables" / name
    stem.parent.mkdir(exist_ok=True)
    write(Table(frame(rows, columns), columns, **more), "Title", "", stem, Names(), {}, {})
    return stem.with_suffix(".csv")


def given(files: Mapping[str, Path], titles: Mapping[str, str], need: str = "tables") -> Given:
    """Tables by the names of their targets, which are their titles too."""
    stated = {"titles": titles, "targets": {name: {"title": name} for name in files}}
    return targets.given({need: {(name,): path for name, path in files.items()}}, {}, stated=stated)


def figure(given: Given, **stated: Any) -> mpl.Figure:
    """A figure before it is saved."""
    kind = kinds.load(stated["kind"])
    with mpl.rc_context(STYLE):
        made: mpl.Figure = kind.make(kind.Settings.model_validate({"title": "A title", **stated}), given)
    return made


def marks(axis: mpl.Axes) -> dict[str, list[list[float]]]:
    """Kind of marks in a panel -> the x and y of each."""
    return {
        str(line.get_label()): np.asarray(line.get_xydata()).tolist()
        for line in axis.lines
        if not str(line.get_label()).startswith("_")
    }


def intervals(axis: mpl.Axes) -> list[list[float]]:
    """Lower end, upper end and y of each interval in a panel."""
    drawn = [lines for lines in axis.collections if str(lines.get_label()).startswith("interval")]
    ends = [np.asarray(path.vertices) for lines in drawn for path in lines.get_paths()]
    return [[*one[:, 0].tolist(), float(one[0, 1])] for one in ends]
