"""What every kind of figure is made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quantrift.config.datasets import Dataset


@dataclass(frozen=True)
class Given:
    """Files and names; each kind takes what it shows."""

    files: Sequence[Path]
    """What the kind is made from (``quantrift.config.targets.FIGURE_KINDS``), in the order of what is shown."""
    datasets: Mapping[str, Dataset]
    """Settings of the datasets; their titles head the panels."""
    scale: str
    """Id of the configuration."""
    published: Sequence[Path] = ()
    """Files of the papers' numbers."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Tool -> its name for people; a tool that is not in it goes by its id."""
