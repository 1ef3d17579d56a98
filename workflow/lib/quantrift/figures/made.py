"""Makes a figure of any kind and writes its files: what a job of rule ``figure`` does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

from quantrift.config.errors import said_of
from quantrift.figures.style import STYLE, save
from quantrift.targets import kinds
from quantrift.targets.given import Given


def make(stated: Mapping[str, Any], given: Given, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    Args:
        stated: settings of the target.
        given: what it is made from.
        stem: path without suffix, ``<results>/figures/<target>``.

    Raises:
        QuantriftError: as the kind's ``make``, after the name of the figure.
    """
    kind = kinds.load(stated["kind"])
    with mpl.rc_context(STYLE):
        with said_of(f"figure {stem.name}"):
            figure = kind.make(kind.Settings.model_validate(stated), given)
        save(figure, stem)
