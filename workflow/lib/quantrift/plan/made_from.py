"""Files that a target is made from; which ones depends on its kind."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quantrift.config.paths import Paths
from quantrift.config.targets import FIGURE_KINDS, TABLE_KINDS, MadeFrom
from quantrift.plan import bit_blocks, target_kinds, work
from quantrift.plan.results import Results, counts_of, records_of
from quantrift.plan.root import REPORT, Config
from quantrift.targets import kinds
from quantrift.targets.results import Files
from quantrift.targets.target import Target as NewTarget


def made(config: Config, paths: Paths, target: str) -> list[Path]:
    """The file that asking for a table, a figure or the report makes; of a collection, those of its members."""
    if target == REPORT:
        return [paths.report]
    kinds = {name: config.targets[name].kind for name in work.members(config, target)}
    return [
        paths.table(name).with_suffix(".csv") if kind in target_kinds.TABLES else paths.figure(name).with_suffix(".svg")
        for name, kind in kinds.items()
    ]


def files(config: Config, paths: Paths, target: str) -> list[Path]:
    """The files that every target of its kind is made from, each once, in the order of what it shows."""
    kind = config.targets[target].kind
    if isinstance(config.targets[target], NewTarget):
        return list(
            dict.fromkeys(
                path for keyed in needs(config, paths, target).values() for own in keyed.values() for path in own
            )
        )
    return list(dict.fromkeys(_FILES[({**TABLE_KINDS, **FIGURE_KINDS})[kind]](config, paths, target)))


def needs(config: Config, paths: Paths, target: str) -> Mapping[str, Files]:
    """The files that a table or figure is made from, as its kind asks for them."""
    settings = config.targets[target]
    return kinds.needs(settings, Results(config, paths)) if isinstance(settings, NewTarget) else {}


def states(config: Config, paths: Paths, target: str) -> Mapping[str, Mapping[str, Any]]:
    """What a table or figure takes from other sections of the configuration, as its kind asks for it."""
    settings = config.targets[target]
    return kinds.states(settings, Results(config, paths)) if isinstance(settings, NewTarget) else {}


def blocks(config: Config, paths: Paths, target: str) -> list[Path]:
    """What a table of networks shows of those that are also trained under a split by spatial blocks."""
    if config.targets[target].kind != "models" or isinstance(config.targets[target], NewTarget):
        return []
    found = (
        paths.blocks(one.dataset, one.model) / "blocks.json"
        for one in work.subjects_of_target(config, target)
        if getattr(config.network(one.model, one.dataset), "blocks", None)
    )
    return list(dict.fromkeys(found))


def by_experiment(config: Config, paths: Paths, target: str) -> dict[str, list[Path]]:
    """Experiment -> the metrics of its searches, of a target that tells its experiments apart."""
    if config.targets[target].kind != "findings" or isinstance(config.targets[target], NewTarget):
        return {}
    needed = work.searches_of_target(config, target)
    return {
        name: _metrics_of(paths, [one for one in work.searches(config, [name]) if one in needed])
        for name in work.experiments_of(config, target)
    }


def _networks(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Facts about each network."""
    return [paths.model(one.dataset, one.model) / "model.json" for one in work.subjects_of_target(config, target)]


def _histories(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """The training of each network; those from files have none."""
    subjects = work.subjects_of_target(config, target)
    trained = [one for one in subjects if one.model in config.models.trained]
    return [paths.model(one.dataset, one.model) / "history.csv" for one in trained]


def _compressed(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Facts about each compressed network."""
    subjects = work.subjects_of_target(config, target)
    return [paths.compressed(one.dataset, one.model, one.compression) / "compression.json" for one in subjects]


def _layers(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """How far the layers of each compressed network are from the original's."""
    subjects = work.subjects_of_target(config, target)
    return [paths.compressed(one.dataset, one.model, one.compression) / "layers.json" for one in subjects]


def _calibrations(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Each calibration on the inputs of each network."""
    named = getattr(config.targets[target], "calibrations", ())
    subjects = work.subjects_of_target(config, target)
    return [paths.calibration(one.dataset, one.model, name) for one in subjects for name in named]


def _metrics(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Metrics of all searches."""
    return _metrics_of(paths, work.searches_of_target(config, target))


def _metrics_of(paths: Paths, searches: Iterable[work.Searches]) -> list[Path]:
    return [
        paths.metrics(one.subject.dataset, one.subject.model, one.subject.compression, one.tool, one.protocol)
        for one in searches
    ]


def _findings(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Metrics of all searches, and tables of distances."""
    spreads = getattr(config.targets[target], "spreads", {})
    tables = [paths.table(one.distances).with_suffix(".csv") for one in spreads.values()]
    return [*_metrics(config, paths, target), *tables]


def _searches(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Counts of every single search."""
    for one in work.searches_of_target(config, target):
        yield from counts_of(config, paths, one)


def _decoded(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Records of all searches, each after the inputs that its vectors distort."""
    for one in work.searches_of_target(config, target):
        yield paths.inputs(one.subject.dataset, one.subject.model)
        yield from records_of(config, paths, one)


def _decoded_searches(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """The same, and counts of every single search."""
    yield from _decoded(config, paths, target)
    yield from _searches(config, paths, target)


def _records(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Records of all searches."""
    for one in work.searches_of_target(config, target):
        yield from records_of(config, paths, one)


def _shrunk(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """The smallest sets of distortions of each search's difference-inducing inputs."""
    for one in work.searches_of_target(config, target):
        subject = one.subject
        yield paths.shrunk(subject.dataset, subject.model, subject.compression, one.tool, one.protocol)


def _repaired(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """What training on each search's difference-inducing inputs repairs."""
    for one in work.searches_of_target(config, target):
        subject = one.subject
        yield paths.repaired(subject.dataset, subject.model, subject.compression, one.tool, one.protocol)


def _verdicts(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """What the models of each subject say of adversarial samples."""
    named = getattr(config.targets[target], "attacks", ())
    for one in work.subjects_of_target(config, target):
        for attack in named:
            yield paths.verdicts(one.dataset, one.model, one.compression, attack)


def _dii_layers(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """How far layers are from the original's on what each search found."""
    for one in work.searches_of_target(config, target):
        subject = one.subject
        yield paths.dii_layers(subject.dataset, subject.model, subject.compression, one.tool, one.protocol)


def _divergence(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Facts about each subject, attacks on it and on its original, metrics and counts of its searches."""
    needed = work.searches_of_target(config, target)
    for one in dict.fromkeys(searches.subject for searches in needed):
        yield paths.compressed(one.dataset, one.model, one.compression) / "compression.json"
        yield paths.robustness(one.dataset, one.model, one.compression)
        yield paths.robustness(one.dataset, one.model)
    yield from _metrics_of(paths, needed)
    yield from _searches(config, paths, target)


def _bits(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Accuracies of the networks of each study."""
    return [folder / "accuracies.parquet" for folder in _bit_folders(config, paths, target)]


def _bits_drawn(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """How many weights of these networks have how many bits."""
    return [folder / "drawn.parquet" for folder in _bit_folders(config, paths, target)]


def _bits_attacked(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Outcomes of attacks on these networks, of blocks without one that is attacked aside."""
    return [folder / "robustness.parquet" for folder in _bit_folders(config, paths, target, attacked=True)]


def _bit_folders(config: Config, paths: Paths, target: str, *, attacked: bool = False) -> Iterator[Path]:
    for one in work.bits_of_target(config, target):
        study = config.bit_studies[one.study]
        for block in work.network_blocks(config, one):
            if not attacked or bit_blocks.attacked(study, block):
                yield paths.bits(one.dataset, one.model, one.study, block)


def _nothing(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """The configuration says it all."""
    return []


_FILES: Mapping[MadeFrom, Callable[[Config, Paths, str], Iterable[Path]]] = {
    "networks": _networks,
    "histories": _histories,
    "compressed": _compressed,
    "layers": _layers,
    "calibrations": _calibrations,
    "metrics": _metrics,
    "searches": _searches,
    "decoded": _decoded,
    "decoded_searches": _decoded_searches,
    "dii_layers": _dii_layers,
    "records": _records,
    "shrunk": _shrunk,
    "repaired": _repaired,
    "verdicts": _verdicts,
    "findings": _findings,
    "divergence": _divergence,
    "bits": _bits,
    "bits_drawn": _bits_drawn,
    "bits_attacked": _bits_attacked,
    "nothing": _nothing,
}
