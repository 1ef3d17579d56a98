"""A figure, and tables that lie beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from quantrift.figures import drawing as mpl


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a kind makes whose figure has tables beside it."""

    figure: mpl.Figure
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """Ending of a file's name -> what it holds: ``<figure>.<ending>.csv``."""
