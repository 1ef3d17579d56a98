"""Files that a target is made from; which ones depends on its kind."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from quantrift.config import plan
from quantrift.config.paths import Paths
from quantrift.config.root import Config
from quantrift.config.targets import FIGURE_KINDS, TABLE_KINDS, MadeFrom


def files(config: Config, paths: Paths, target: str) -> list[Path]:
    """The files that every target of its kind is made from, each once, in the order of what it shows."""
    kind = config.targets[target].kind
    return list(dict.fromkeys(_FILES[({**TABLE_KINDS, **FIGURE_KINDS})[kind]](config, paths, target)))


def blocks(config: Config, paths: Paths, target: str) -> list[Path]:
    """What a table of networks shows of those that are also trained under a split by spatial blocks."""
    if config.targets[target].kind != "models":
        return []
    found = (
        paths.blocks(one.dataset, one.model) / "blocks.json"
        for one in plan.subjects_of_target(config, target)
        if getattr(config.network(one.model, one.dataset), "blocks", None)
    )
    return list(dict.fromkeys(found))


def _networks(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Facts about each network."""
    return [paths.model(one.dataset, one.model) / "model.json" for one in plan.subjects_of_target(config, target)]


def _histories(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """The training of each network; those from files have none."""
    subjects = plan.subjects_of_target(config, target)
    trained = [one for one in subjects if one.model in config.models.trained]
    return [paths.model(one.dataset, one.model) / "history.csv" for one in trained]


def _compressed(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Facts about each compressed network."""
    subjects = plan.subjects_of_target(config, target)
    return [paths.compressed(one.dataset, one.model, one.compression) / "compression.json" for one in subjects]


def _layers(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """How far the layers of each compressed network are from the original's."""
    subjects = plan.subjects_of_target(config, target)
    return [paths.compressed(one.dataset, one.model, one.compression) / "layers.json" for one in subjects]


def _calibrations(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Each calibration on the inputs of each network."""
    named = getattr(config.targets[target], "calibrations", ())
    subjects = plan.subjects_of_target(config, target)
    return [paths.calibration(one.dataset, one.model, name) for one in subjects for name in named]


def _metrics(config: Config, paths: Paths, target: str) -> Iterable[Path]:
    """Metrics of all searches."""
    for one in plan.searches(config, plan.experiments_of(config, target)):
        subject = one.subject
        yield paths.metrics(subject.dataset, subject.model, subject.compression, one.tool, one.protocol)


_FILES: Mapping[MadeFrom, Callable[[Config, Paths, str], Iterable[Path]]] = {
    "networks": _networks,
    "histories": _histories,
    "compressed": _compressed,
    "layers": _layers,
    "calibrations": _calibrations,
    "metrics": _metrics,
}
