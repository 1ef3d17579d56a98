"""Display names of ids, as tables, figures and the page show them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from quantrift.core.settings.datasets import Dataset


@dataclass(frozen=True)
class Names:
    """Display names."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """By id."""
    simulated: frozenset[str] = frozenset()
    """Ids of the simulated datasets."""

    @classmethod
    def of(cls, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> "Names":
        """Names from settings.

        Args:
            titles: by id, as the configuration states them (``quantrift.study.planning.stated_titles``).
            datasets: settings by id; their titles go before.
        """
        own = {name: dataset.title for name, dataset in datasets.items()}
        return cls({**titles, **own}, frozenset(name for name, dataset in datasets.items() if dataset.simulated))

    def with_own(self, own: Mapping[str, str]) -> "Names":
        """The same with names that a table has of its own, which go before."""
        return replace(self, titles={**self.titles, **own})

    def marked(self, one: str, label: str) -> str:
        """A label of an id; that of a simulated dataset says that it is."""
        return f"{label} (simulated)" if one in self.simulated and "simulated" not in label.lower() else label

    @property
    def in_text(self) -> dict[str, str]:
        """Titles for figures, where nothing but the words tells that data are simulated."""
        return {one: self.marked(one, title) for one, title in self.titles.items()}
