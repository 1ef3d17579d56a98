"""Files that targets are made from, by the configuration (implements ``quantrift.study.results.targets.results``)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import COMPRESSED, Paths
from quantrift.core.networks import runtime
from quantrift.core.page.arrangement import Names
from quantrift.core.page.made_table import detail_of
from quantrift.core.search.tool import looks_into_networks
from quantrift.core.settings.bit_studies import BitStudy
from quantrift.study.planning import bit_blocks, work
from quantrift.study.planning.collection import members
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.root import REPORT, Config
from quantrift.study.planning.work import Searches, Subject
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.results import Files, Key
from quantrift.study.results.targets.target import BitTarget, CalibrationTarget, Searching, SecondsTarget, SubjectTarget

PUBLISHED = ROOT / "workflow" / "published"
"""Folder of the numbers that the papers print."""


@dataclass(frozen=True)
class Results:
    """Results of one configuration."""

    config: Config
    paths: Paths

    def of(self, target: str) -> Mapping[str, Files]:
        """The files that a table or figure is made from, by the names that its kind gives them."""
        settings = self.config.targets[target]
        return kinds.load(settings.kind).needs(settings, self)

    def files(self, target: str) -> list[Path]:
        """The same in one list (``flat``)."""
        return flat(self.of(target))

    def states(self, target: str) -> Mapping[str, Mapping[str, Any]]:
        """Settings that a table or figure takes from other sections of the configuration."""
        found = self._states(target)
        return found | {"titles": self.shown(target, found["titles"])} if "titles" in found else found

    def shown(self, target: str, titles: Mapping[str, str]) -> dict[str, str]:
        """Those of some titles, by id, that a table or figure may show: a change of another one makes nothing again."""
        words = self._words(target)
        return {name: title for name, title in titles.items() if name in words}

    def _states(self, target: str) -> dict[str, Mapping[str, Any]]:
        settings = self.config.targets[target]
        kind = kinds.load(settings.kind)
        return dict(kind.states(settings, self)) if hasattr(kind, "states") else {}

    @cached_property
    def _words(self) -> Callable[[str], frozenset[str]]:
        """Words in everything that a table or figure is made from, among them the ids that it shows."""
        return cache(self._words_of)

    def _words_of(self, target: str) -> frozenset[str]:
        settings = self.config.targets[target]
        kind = kinds.load(settings.kind)
        keys = {key for keyed in self.of(target).values() for key in keyed}
        states = {name: stated for name, stated in self._states(target).items() if name != "titles"}
        columns = [one.name for one in kind.COLUMNS] if kinds.is_table(settings.kind) else []
        published = [(PUBLISHED / name).read_text(encoding="utf-8") for name in settings.published_files]
        stated = json.dumps([settings.model_dump(mode="json", by_alias=True), [*keys], states, columns])
        text = "\n".join([stated, *published, *getattr(kind, "MORE_IDS", ())])
        tables = [key[0] for key in keys if len(key) == 1 and key[0] in self.config.targets]
        return frozenset(re.findall(r"\w+", text)).union(*map(self._words, tables))

    def made(self, target: str) -> list[Path]:
        """All files of a table, a figure or the report; for a collection, those of its members."""
        if target == REPORT:
            return [self.paths.report]
        return [file for name in members(target, self.config.targets) for file in self._made(name)]

    def _made(self, target: str) -> tuple[Path, ...]:
        """Files of a table or figure."""
        settings = self.config.targets[target]
        is_table = kinds.is_table(settings.kind)
        stem, files = (self.paths.table, table_files) if is_table else (self.paths.figure, figure_files)
        return files(stem(target), kinds.details(settings))

    def records_of(self, searches: Searches) -> list[Path]:
        """The candidates tables of all run seeds of one tool on one subject."""
        folder = self.paths.searches(*searches)
        return [folder / f"{block}.parquet" for block in work.blocks(self.config, searches)]

    def counts_of(self, searches: Searches) -> list[Path]:
        """The searches tables of the same."""
        return [file.with_suffix(".searches.parquet") for file in self.records_of(searches)]

    def networks(self, settings: SubjectTarget, *files: str, trained: bool = False) -> Files:
        """See ``quantrift.study.results.targets.results``, as of all that follow."""
        return {
            (one.dataset, one.model): [self.paths.model(one.dataset, one.model) / file for file in files]
            for one in self._subjects(settings)
            if not trained or one.model in self.config.models.trained
        }

    def block_splits(self, settings: SubjectTarget) -> Files:
        """Of the networks that have one."""
        return {
            (one.dataset, one.model): [folder / "blocks.json", folder / "blocks.timing.json"]
            for one in self._subjects(settings)
            if getattr(self.config.network(one.model, one.dataset), "blocks", None)
            for folder in [self.paths.blocks(one.dataset, one.model)]
        }

    def calibrations(self, settings: CalibrationTarget) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model, name), self.paths.calibration(one.dataset, one.model, name))
            for one in self._subjects(settings)
            for name in settings.calibrations
        )

    def compressed(self, settings: SubjectTarget | Searching, file: str = "compression.json") -> Files:
        """Of each subject."""
        return _single((one, self.paths.compressed(*one) / file) for one in self._subjects(settings))

    def verdicts(self, settings: SubjectTarget, attacks: Sequence[str]) -> Files:
        """Of each subject."""
        return _single(
            ((*one, attack), self.paths.verdicts(*one, attack))
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

    def metrics(
        self, settings: Searching, beside: Sequence[str] = (), experiments: Sequence[str] | None = None
    ) -> Files:
        """Of each tool on each subject."""
        return {
            one: [file, *(detail_of(file, name) for name in beside)]
            for one in work.searches_of(self.config, settings, experiments)
            for file in [self.paths.metrics(*one)]
        }

    def made_of_searches(self, settings: Searching, what: Literal["dii_layers", "shrunk", "repaired"]) -> Files:
        """Of each tool on each subject."""
        return _single((one, getattr(self.paths, what)(*one)) for one in self._searches(settings))

    def records(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {one: self.records_of(one) for one in self._searches(settings)}

    def counts(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {one: self.counts_of(one) for one in self._searches(settings)}

    def searched(self, settings: Searching) -> Files:
        """Of each tool on each subject."""
        return {one: self._read_by(one) for one in self._searches(settings)}

    def _read_by(self, one: Searches) -> list[Path]:
        original = runtime.module(self.config.original_runtime(one.compression)).ORIGINAL
        inner = looks_into_networks(self.config.tools[one.tool].model_dump(mode="json"))
        return [
            self.paths.model(one.dataset, one.model) / original,
            self.paths.compressed(*one.subject) / COMPRESSED,
            self.paths.seeds(one.dataset, one.model, one.protocol),
            *([self.paths.profile(one.dataset, one.model)] if inner else []),
        ]

    def isolated(self, settings: SecondsTarget) -> Files:
        """Of each tool on each subject."""
        return {one: self.counts_of(one) for one in work.isolated_of(self.config, settings)}

    def inputs(self, settings: Searching) -> Files:
        """Of each network."""
        return _single(
            ((one.dataset, one.model), self.paths.inputs(one.dataset, one.model)) for one in self._subjects(settings)
        )

    def bits(self, settings: BitTarget, name: str, *, attacked: bool = False) -> Files:
        """Of each study, dataset and network."""
        return grouped(
            (one, self.paths.bits(*one, block) / name)
            for one in work.bits_of(self.config, settings)
            for block in work.network_blocks(self.config, one)
            if not attacked or bit_blocks.attacked(self.config.bit_studies[one.study], block)
        )

    def checked(self) -> Files:
        """Of each network and kind of files of the section ``checkers``."""
        return {
            (network, kind): [file, file.with_suffix(".timing.json")]
            for kind, networks in {"tflite": self.config.checkers.tflite, "onnx": self.config.checkers.onnx}.items()
            for network in dict.fromkeys(networks)
            for file in [self.paths.checked(network, kind)]
        }

    def tables(self, names: Sequence[str]) -> Files:
        """Each once."""
        found: dict[Key, list[Path]] = {}
        for name in names:
            stem = self.paths.table(name)
            details = [one for one in kinds.details(self.config.targets[name]) if one != "timing"]
            beside = [stem.with_suffix(".columns.json"), *(detail_of(stem, one) for one in details)]
            found[name,] = [stem.with_suffix(".csv"), *beside]
        return found

    def tables_of_all(self, names: Sequence[str]) -> Files:
        """Each once."""
        return self.tables([name for name in names if name in self.config.shown])

    def titles(self) -> dict[str, dict[str, Any]]:
        """Of all datasets, as a table may have published rows of any."""
        return {"titles": Names.of(titles(self.config), self.config.datasets).in_text}

    def stated(self, section: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """In the order of the names."""
        entries = getattr(self.config, section)
        return {name: entries[name].model_dump(mode="json", by_alias=True) for name in names}

    def setting(self, place: str) -> Any:
        """Of a bit study, what its networks on a dataset have: ``bit_studies.STUDY.DATASET.MODEL.KEY``."""
        found: Any = self.config
        parts = iter(place.split("."))
        for key in parts:
            if isinstance(found, BitStudy):
                model = next(parts, "")
                trained = found.trained(key, model)
                shaped = trained.shaped(self.config.models.trained[model].for_dataset(key))
                found = {**vars(trained), **{name: getattr(shaped, name, None) for name in ("width", "dense")}}
            else:
                found = found[key] if isinstance(found, Mapping) else getattr(found, key)
        return found

    def _subjects(self, settings: SubjectTarget | Searching) -> list[Subject]:
        return work.subjects_of(self.config, settings)

    def _searches(self, settings: Searching) -> list[Searches]:
        return work.searches_of(self.config, settings)


def places(needed: Mapping[str, Files]) -> dict[str, list[list[list[str] | list[int]]]]:
    """The same names and ids with the places of their files in ``flat``, as plain values: [[ids, places], ...]."""
    at = {path: place for place, path in enumerate(flat(needed))}
    return {
        name: [[[*ids], [at[path] for path in paths]] for ids, paths in keyed.items()] for name, keyed in needed.items()
    }


def flat(needed: Mapping[str, Files]) -> list[Path]:
    """All files, each once, in the order of what a target shows."""
    return list(dict.fromkeys(path for keyed in needed.values() for paths in keyed.values() for path in paths))


def table_files(stem: Path, details: Sequence[str]) -> tuple[Path, ...]:
    """All files of a table, the CSV first.

    Args:
        stem: the path without suffix.
        details: of its kind (``quantrift.study.results.targets.kinds.details``).
    """
    ends = (".csv", ".md", ".columns.json", ".provenance.json")
    return (*(stem.with_suffix(end) for end in ends), *(detail_of(stem, name) for name in details))


def figure_files(stem: Path, details: Sequence[str]) -> tuple[Path, ...]:
    """All files of a figure, the SVG first; as ``table_files``."""
    return (*(stem.with_suffix(end) for end in (".svg", ".png")), *(detail_of(stem, name) for name in details))


def _single(files: Iterable[tuple[Key, Path]]) -> Files:
    """One file of each key."""
    return {key: [path] for key, path in files}


def published_networks(config: Config) -> dict[str, str]:
    """Networks and compressions from files, by id: the ids under which the papers' numbers of them are filed."""
    return {
        name: published
        for model, file in config.models.files.items()
        for name, published in (
            (model, file.published_as),
            *((one, file.compressed_published_as) for one in file.compressed),
        )
        if published
    }


def titles(config: Config) -> dict[str, str]:
    """Titles that the configuration states, by id, but for datasets; an entry's own goes before config/titles.yaml."""
    sections = (config.tools, config.calibrations, config.compressions, config.models.files)
    return {**config.titles, **{name: one.title for section in sections for name, one in section.items() if one.title}}
