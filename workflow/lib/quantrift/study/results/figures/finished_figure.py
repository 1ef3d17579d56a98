"""A finished figure and the tables beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from quantrift.core.page import drawing as mpl


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure with tables beside it."""

    figure: mpl.Figure
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """Ending of a file's name -> content of ``<figure>.<ending>.csv``."""
