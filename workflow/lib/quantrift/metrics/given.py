"""What every kind of table and figure is made from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quantrift.config.bit_studies import BitStudy
from quantrift.config.compressions import Heterogeneous, Homogeneous
from quantrift.config.datasets import Dataset


@dataclass(frozen=True)
class Given:
    """Files and names; each kind takes what it shows."""

    files: Sequence[Path]
    """What the kind is made from (``quantrift.config.targets``), in the order of what is shown."""
    datasets: Mapping[str, Dataset]
    """Settings of the datasets: their titles, and whose published numbers stand beside theirs."""
    scale: str
    """Id of the configuration."""
    published: Sequence[Path] = ()
    """Files of the papers' numbers."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Tool, compression, calibration or attack -> its name for people; one that is not in it goes by its id."""
    studies: Mapping[str, BitStudy] = field(default_factory=dict)
    """Settings of the bit studies of kinds over these."""
    compressions: Mapping[str, Homogeneous | Heterogeneous] = field(default_factory=dict)
    """Settings of the compressions that these studies name."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Values for the ``<stem>.provenance.json`` of a table."""

    @property
    def published_file(self) -> Path | None:
        """The one file of a kind that takes one, if any."""
        return self.published[0] if self.published else None

    @property
    def published_files(self) -> dict[str, Path]:
        """The papers' files as parts of what a table was made from, by name."""
        return {f"published/{file.name}": file for file in self.published}

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Each tool, compression or calibration -> its name for people; no two have the same."""
        return _apart({one: self.titles.get(one, one) for one in ids})

    def dataset_names(self, ids: Iterable[str]) -> dict[str, str]:
        """Each dataset -> its name for people; no two have the same."""
        return _apart({one: self.datasets[one].title for one in ids})

    def named_files(self, parts: int = 6) -> dict[str, Path]:
        """All files, the papers' too, by the last ``parts`` of their paths, which name them in the results folder.

        Six are those of ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>``.
        """
        return {"/".join(file.parts[-parts:]): file for file in self.files} | self.published_files


def _apart(names: Mapping[str, str]) -> dict[str, str]:
    """The names, with the id behind each that several share: titles are free, and none may take another's place."""
    counts = Counter(names.values())
    return {one: name if counts[name] == 1 else f"{name} ({one})" for one, name in names.items()}
