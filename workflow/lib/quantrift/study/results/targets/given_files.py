"""Files and names that a table or figure is made from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import refuse
from quantrift.core.settings.datasets import Dataset
from quantrift.study.datasets import dataset_kind
from quantrift.study.results.targets.results import Files, Key


@dataclass(frozen=True)
class Given:
    """Files and names; each kind takes those it shows."""

    files: Mapping[str, Files]
    """Files that the kind's ``needs`` names."""
    datasets: Mapping[str, Dataset]
    """Settings of the datasets."""
    scale: str
    """Id of the configuration."""
    published: Sequence[Path] = ()
    """Files of published numbers."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Id of anything but a dataset -> its name for people; one that is not in it goes by its id."""
    stated: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of other sections of the configuration, from the kind's ``states``."""

    networks: Mapping[str, str] = field(default_factory=dict)
    """Id of a network or compression from files -> id under which its published numbers are filed."""

    @property
    def published_as(self) -> dict[str, str]:
        """The same of all networks and compressions, and of datasets; what is not in it is filed under its own id."""
        own = {name: one.published_as for name, one in self.datasets.items() if one.published_as}
        return {**own, **self.networks}

    def searched(self, name: str, otherwise: str = "its experiments have no searches; name others in `from`") -> Files:
        """Files of searches or others, of which there must be some. Raises ``QuantriftError`` where there is none."""
        refuse((not self.files[name], otherwise))
        return self.files[name]

    def one(self, name: str, otherwise: str = "") -> dict[Key, Path]:
        """The first file of each key; those behind it lie beside it. With ``otherwise``, there must be some."""
        files = self.searched(name, otherwise) if otherwise else self.files[name]
        return {key: path for key, (path, *_) in files.items()}

    def all(self, name: str) -> list[Path]:
        """All files of a name, in their order."""
        return [path for paths in self.files[name].values() for path in paths]

    def by_name(self, folder: Path) -> dict[str, Path]:
        """All files, those of published numbers too, by their paths below the results folder."""
        return {str(path.relative_to(folder)): path for name in self.files for path in self.all(name)} | {
            f"published/{file.name}": file for file in self.published
        }

    @property
    def published_file(self) -> Path | None:
        """The one file of a kind that takes one, if any."""
        return self.published[0] if self.published else None

    def named(self, *ids: str) -> str:
        """Names of a dataset, network, compression, tool and the like, a dot between them, as names may have commas."""
        return " \u00b7 ".join(
            self.datasets[one].title if one in self.datasets else self.titles.get(one, one) for one in ids
        )

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Each id -> its name for people, with the id added where several share one: titles are free text."""
        named = {one: self.named(one) for one in ids}
        counts = Counter(named.values())
        return {one: name if counts[name] == 1 else f"{name} ({one})" for one, name in named.items()}


def of_job(job: Any) -> Given:
    """The files and names of a job of rule ``table`` or ``figure``, from the ``snakemake`` of its script."""
    stated, files = job.params, [Path(path) for path in job.input.made_from]
    return Given(
        files={
            name: {tuple(key): [files[place] for place in places] for key, places in keyed}
            for name, keyed in stated.needs.items()
        },
        datasets={name: dataset_kind.settings(one) for name, one in stated.datasets.items()},
        scale=stated.scale,
        published=[Path(path) for path in job.input.published],
        titles=stated.titles,
        networks=stated.networks,
        stated=stated.states,
    )
