"""Entry of a job of rule ``figure``: makes a figure of any kind and writes its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import said_of
from quantrift.core.base.files import replacing
from quantrift.core.page import drawing as mpl
from quantrift.core.page.made_table import detail_of
from quantrift.core.page.style import STYLE, save
from quantrift.study.results.figures.finished_figure import Drawn
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given


def make(stated: Mapping[str, Any], given: Given, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``, and the tables beside them that a kind has (``Drawn``).

    Args:
        stated: settings of the target.
        given: its inputs.
        stem: path without suffix, ``<results>/figures/<target>``.

    Raises:
        QuantriftError: as the kind's ``make``, after the name of the figure.
    """
    kind = kinds.load(stated["kind"])
    with mpl.rc_context(STYLE):
        with said_of(f"figure {stem.name}"):
            settings = kind.Settings.model_validate(stated)
            made: mpl.Figure | Drawn = kind.make(settings, given)
        drawn = made if isinstance(made, Drawn) else Drawn(made)
        kinds.check_details(settings, drawn.tables)
        save(drawn.figure, stem)
    for ending, table in drawn.tables.items():
        with replacing(detail_of(stem, ending)) as temporary:
            table.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
