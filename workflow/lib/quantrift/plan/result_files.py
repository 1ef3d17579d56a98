"""Files that targets are made from, by the configuration (implements ``quantrift.targets.results``)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantrift.base.paths import Paths
from quantrift.plan import bit_blocks, stated_titles, work
from quantrift.plan.root import REPORT, Config
from quantrift.plan.work import Searches, Subject
from quantrift.targets import kinds
from quantrift.targets.display_names import Names
from quantrift.targets.over_bit_studies import BitTarget
from quantrift.targets.over_seconds import SecondsTarget
from quantrift.targets.results import Files, Key
from quantrift.targets.target import Searching, SubjectTarget


@dataclass(frozen=True)
class Results:
    """Results of one configuration."""

    config: Config
    paths: Paths

    def of(self, target: str) -> Mapping[str, Files]:
        """The files that a table or figure is made from, by the names that its kind gives them."""
        settings = self.config.targets[target]
        found: Mapping[str, Files] = kinds.load(settings.kind).needs(settings, self)
        return found

    def files(self, target: str) -> list[Path]:
        """The same in one list (``flat``)."""
        return flat(self.of(target))

    def states(self, target: str) -> Mapping[str, Mapping[str, Any]]:
        """Settings that a table or figure takes from other sections of the configuration."""
        settings = self.config.targets[target]
        kind = kinds.load(settings.kind)
        found: Mapping[str, Mapping[str, Any]] = kind.states(settings, self) if hasattr(kind, "states") else {}
        return found

    def made(self, target: str) -> list[Path]:
        """The file of a table, a figure or the report; for a collection, the files of its members."""
        if target == REPORT:
            return [self.paths.report]
        return [
            self.paths.table(name).with_suffix(".csv")
            if kinds.is_table(self.config.targets[name].kind)
            else self.paths.figure(name).with_suffix(".svg")
            for name in work.members(self.config, target)
        ]

    def records_of(self, searches: Searches) -> list[Path]:
        """The candidates tables of all run seeds of one tool on one subject."""
        folder = self.paths.searches(*_searched(searches))
        return [folder / f"{block}.parquet" for block in work.blocks(self.config, searches)]

    def counts_of(self, searches: Searches) -> list[Path]:
        """The searches tables of the same."""
        return [file.with_suffix(".searches.parquet") for file in self.records_of(searches)]

    def networks(self, settings: SubjectTarget) -> Files:
        """See ``quantrift.targets.results``, as of all that follow."""
        return _single(((one.dataset, one.model), self._model(one, "model.json")) for one in self._subjects(settings))

    def block_splits(self, settings: SubjectTarget) -> Files:
        """Of the networks that have one."""
        return _single(
            ((one.dataset, one.model), self.paths.blocks(one.dataset, one.model) / "blocks.json")
            for one in self._subjects(settings)
            if getattr(self.config.network(one.model, one.dataset), "blocks", None)
        )

    def histories(self, settings: SubjectTarget) -> Files:
        """Of networks trained here."""
        trained = [one for one in self._subjects(settings) if one.model in self.config.models.trained]
        return _single(((one.dataset, one.model), self._model(one, "history.csv")) for one in trained)

    def calibrations(self, settings: SubjectTarget, names: Sequence[str]) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model, name), self.paths.calibration(one.dataset, one.model, name))
            for one in self._subjects(settings)
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
            for one in self._subjects(settings)
            for attack in attacks
        )

    def robustness(self, settings: Searching) -> Files:
        """Of each subject and its original."""
        return _single(
            ((one.dataset, one.model, name), self.paths.robustness(one.dataset, one.model, name or None))
            for one in self._subjects(settings)
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
        return {_searched(one): self.records_of(one) for one in self._searches(settings)}

    def counts(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {_searched(one): self.counts_of(one) for one in self._searches(settings)}

    def isolated(self, settings: SecondsTarget) -> Files:
        """Of each tool on each subject."""
        return {_searched(one): self.counts_of(one) for one in work.isolated_of(self.config, settings)}

    def inputs(self, settings: Searching) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model), self.paths.inputs(one.dataset, one.model)) for one in self._subjects(settings)
        )

    def bits(self, settings: BitTarget, name: str, *, attacked: bool = False) -> Files:
        """Of each study, dataset and network."""
        found: dict[Key, list[Path]] = {}
        for one in work.bits_of(self.config, settings):
            for block in work.network_blocks(self.config, one):
                if not attacked or bit_blocks.attacked(self.config.bit_studies[one.study], block):
                    folder = self.paths.bits(one.dataset, one.model, one.study, block)
                    found.setdefault((one.dataset, one.model, one.study), []).append(folder / name)
        return found

    def checked(self) -> Files:
        """Of each network and kind of files of the section ``checkers``."""
        named = {"tflite": self.config.checkers.tflite, "onnx": self.config.checkers.onnx}
        return _single(
            ((network, kind), self.paths.checked(network, kind))
            for kind, networks in named.items()
            for network in dict.fromkeys(networks)
        )

    def tables(self, names: Sequence[str]) -> Files:
        """Each once."""
        return _single(((name,), self.paths.table(name).with_suffix(".csv")) for name in names)

    def tables_of_all(self, names: Sequence[str]) -> Files:
        """Each once."""
        shown = set(work.shown(self.config))
        return self.tables([name for name in names if name in shown])

    def titles(self) -> dict[str, dict[str, Any]]:
        """Of all datasets, as a table may have published rows of any."""
        names = Names.of(stated_titles.stated(self.config), self.config.datasets)
        return {"titles": names.in_text}

    def stated(self, section: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """In the order of the names."""
        entries = getattr(self.config, section)
        return {name: entries[name].model_dump(mode="json", by_alias=True) for name in names}

    def _subjects(self, settings: SubjectTarget | Searching) -> list[Subject]:
        return work.subjects_of(self.config, settings)

    def _searches(self, settings: Searching, experiments: Sequence[str] | None = None) -> list[Searches]:
        return work.searches_of(self.config, settings, experiments)

    def _model(self, one: Subject, name: str) -> Path:
        return self.paths.model(one.dataset, one.model) / name

    def _compressed(self, settings: SubjectTarget | Searching, name: str) -> Files:
        return _single((_key(one), self.paths.compressed(*_key(one)) / name) for one in self._subjects(settings))

    def _of_searches(
        self, settings: Searching, path: Callable[..., Path], experiments: Sequence[str] | None = None
    ) -> Files:
        return _single((_searched(one), path(*_searched(one))) for one in self._searches(settings, experiments))


def flat(needed: Mapping[str, Files]) -> list[Path]:
    """All files, each once, in the order of what a target shows."""
    return list(dict.fromkeys(path for keyed in needed.values() for paths in keyed.values() for path in paths))


def _key(one: Subject) -> tuple[str, str, str]:
    return one.dataset, one.model, one.compression


def _searched(one: Searches) -> tuple[str, str, str, str, str]:
    return *_key(one.subject), one.tool, one.protocol


def _single(files: Iterable[tuple[Key, Path]]) -> Files:
    """One file of each key."""
    return {key: [path] for key, path in files}
