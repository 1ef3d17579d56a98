"""Files that targets are made from, as the configuration names them (``quantrift.targets.results``)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from quantrift.config.paths import Paths
from quantrift.plan import bit_blocks, work
from quantrift.plan.root import Config
from quantrift.plan.work import Bits, Searches, Subject
from quantrift.targets.results import Files, Key
from quantrift.targets.studies import BitTarget
from quantrift.targets.target import Searching, SubjectTarget


@dataclass(frozen=True)
class Results:
    """Results of one configuration."""

    config: Config
    paths: Paths

    def searches(self, settings: Searching, experiments: Sequence[str] | None = None) -> list[Searches]:
        """The searches that a target shows, of some of its experiments or of all."""
        named = settings.experiments if experiments is None else experiments
        return [
            one
            for one in work.searches(self.config, list(named))
            if settings.shows(one.tool, one.protocol) and settings.covers(one.subject.model, one.subject.compression)
        ]

    def subjects(self, settings: SubjectTarget | Searching) -> list[Subject]:
        """The subjects that a target shows, each once."""
        if not isinstance(settings, SubjectTarget):
            return list(dict.fromkeys(one.subject for one in self.searches(settings)))
        groups = work.groups_of_all(self.config) if settings.subjects is None else settings.subjects
        return list(dict.fromkeys(subject for group in groups for subject in work.subjects(self.config, group)))

    def blocks_of(self, settings: BitTarget) -> list[Bits]:
        """The networks of bit studies that a target is made from, study by study."""
        return [
            Bits(label, dataset, model)
            for label in settings.needed
            for study in [self.config.bit_studies[label]]
            for dataset, model in product(study.dataset, study.model)
            if settings.dataset is None or dataset in settings.dataset
            if settings.model is None or model in settings.model
        ]

    def datasets(self, settings: Any) -> list[str]:
        """Ids of the datasets that a target shows; sorted, as the order of a set changes from process to process."""
        if isinstance(settings, BitTarget):
            return sorted({one.dataset for one in self.blocks_of(settings)})
        if isinstance(settings, SubjectTarget) or hasattr(settings, "experiments"):
            return sorted({one.dataset for one in self.subjects(settings)})
        return []

    def networks(self, settings: SubjectTarget) -> Files:
        """See ``quantrift.targets.results``, as of all that follow."""
        return _single(((one.dataset, one.model), self._model(one, "model.json")) for one in self.subjects(settings))

    def block_splits(self, settings: SubjectTarget) -> Files:
        """Of the networks that have one."""
        return _single(
            ((one.dataset, one.model), self.paths.blocks(one.dataset, one.model) / "blocks.json")
            for one in self.subjects(settings)
            if getattr(self.config.network(one.model, one.dataset), "blocks", None)
        )

    def histories(self, settings: SubjectTarget) -> Files:
        """Of networks trained here."""
        trained = [one for one in self.subjects(settings) if one.model in self.config.models.trained]
        return _single(((one.dataset, one.model), self._model(one, "history.csv")) for one in trained)

    def calibrations(self, settings: SubjectTarget, names: Sequence[str]) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model, name), self.paths.calibration(one.dataset, one.model, name))
            for one in self.subjects(settings)
            for name in names
        )

    def compressed(self, settings: SubjectTarget | Searching) -> Files:
        """Of each subject."""
        return self._compressed(settings, "compression.json")

    def layer_errors(self, settings: SubjectTarget) -> Files:
        """Of each subject."""
        return self._compressed(settings, "layers.json")

    def verdicts(self, settings: SubjectTarget, attacks: Sequence[str]) -> Files:
        """Of each subject."""
        return _single(
            ((*_key(one), attack), self.paths.verdicts(*_key(one), attack))
            for one in self.subjects(settings)
            for attack in attacks
        )

    def robustness(self, settings: Searching) -> Files:
        """Of each subject and its original."""
        return _single(
            ((one.dataset, one.model, name), self.paths.robustness(one.dataset, one.model, name or None))
            for one in self.subjects(settings)
            for name in (one.compression, "")
        )

    def metrics(self, settings: Searching, experiments: Sequence[str] | None = None) -> Files:
        """Of each tool on each subject."""
        return self._of_searches(settings, self.paths.metrics, experiments)

    def layers_of_dii(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return self._of_searches(settings, self.paths.dii_layers)

    def shrunk(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return self._of_searches(settings, self.paths.shrunk)

    def repaired(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return self._of_searches(settings, self.paths.repaired)

    def records(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {_searched(one): records_of(self.config, self.paths, one) for one in self.searches(settings)}

    def counts(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {_searched(one): counts_of(self.config, self.paths, one) for one in self.searches(settings)}

    def inputs(self, settings: Searching) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model), self.paths.inputs(one.dataset, one.model)) for one in self.subjects(settings)
        )

    def bits(self, settings: BitTarget, name: str, *, attacked: bool = False) -> Files:
        """Of each study, dataset and network."""
        found: dict[Key, list[Path]] = {}
        for one in self.blocks_of(settings):
            for block in work.network_blocks(self.config, one):
                if not attacked or bit_blocks.attacked(self.config.bit_studies[one.study], block):
                    folder = self.paths.bits(one.dataset, one.model, one.study, block)
                    found.setdefault((one.dataset, one.model, one.study), []).append(folder / name)
        return found

    def tables(self, names: Sequence[str]) -> Files:
        """Each once."""
        return _single(((name,), self.paths.table(name).with_suffix(".csv")) for name in names)

    def stated(self, section: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """In the order of the names."""
        entries = getattr(self.config, section)
        return {name: entries[name].model_dump(mode="json", by_alias=True) for name in names}

    def _model(self, one: Subject, name: str) -> Path:
        return self.paths.model(one.dataset, one.model) / name

    def _compressed(self, settings: SubjectTarget | Searching, name: str) -> Files:
        return _single((_key(one), self.paths.compressed(*_key(one)) / name) for one in self.subjects(settings))

    def _of_searches(
        self, settings: Searching, path: Callable[..., Path], experiments: Sequence[str] | None = None
    ) -> Files:
        return _single((_searched(one), path(*_searched(one))) for one in self.searches(settings, experiments))


def counts_of(config: Config, paths: Paths, searches: Searches) -> list[Path]:
    """The searches tables of all run seeds."""
    return [file.with_suffix(".searches.parquet") for file in records_of(config, paths, searches)]


def records_of(config: Config, paths: Paths, searches: Searches) -> list[Path]:
    """The candidates tables of all run seeds."""
    return [paths.searches(*_searched(searches)) / f"{block}.parquet" for block in work.blocks(config, searches)]


def _key(one: Subject) -> tuple[str, str, str]:
    return one.dataset, one.model, one.compression


def _searched(one: Searches) -> tuple[str, str, str, str, str]:
    return *_key(one.subject), one.tool, one.protocol


def _single(files: Iterable[tuple[Key, Path]]) -> Files:
    """One file of each key."""
    return {key: [path] for key, path in files}
