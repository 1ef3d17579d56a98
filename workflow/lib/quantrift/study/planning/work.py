"""Work of a configuration: subjects, searches and bit studies, cut into blocks."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from quantrift.core.base import seed_blocks as named_blocks
from quantrift.study.planning import bit_blocks, jobs
from quantrift.study.planning.root import Config
from quantrift.study.results.targets.target import BitTarget, Searching, SecondsTarget, SubjectTarget, Target

GENERATION = 10
"""Candidates of a generation of a searcher that does not state them: as many as in DiverGet."""

FIRST_ATTACK, MOST = 10, 3000
"""For estimates: a search that ends at its first disagreement takes a tenth of its budget, at most so many candidates;
one for a wanted class takes that tenth, as most of these go on to the end."""


class Subject(NamedTuple):
    """A dataset, a network trained on it, and a compression of that network."""

    dataset: str
    model: str
    compression: str


class Bits(NamedTuple):
    """The networks of a bit study on one dataset."""

    dataset: str
    model: str
    study: str


class Searches(NamedTuple):
    """All searches of one tool on one subject under one protocol."""

    dataset: str
    model: str
    compression: str
    tool: str
    protocol: str

    @property
    def subject(self) -> Subject:
        """The subject that is searched."""
        return Subject(self.dataset, self.model, self.compression)


def subjects(config: Config, group: str) -> list[Subject]:
    """The subjects of a group."""
    members = config.subjects[group]
    return [Subject(*names) for names in product(members.dataset, members.model, members.compression)]


def searches(config: Config, experiments: Iterable[str]) -> list[Searches]:
    """The searches of some experiments, each once."""
    found = (
        Searches(*subject, tool, experiment.protocol)
        for experiment in (config.experiments[name] for name in experiments)
        for subject in subjects(config, experiment.subjects)
        for tool in experiment.tools
    )
    return list(dict.fromkeys(found))


def searches_of(config: Config, settings: Searching, experiments: Iterable[str] | None = None) -> list[Searches]:
    """The searches that a target shows, from some of its experiments or all, restricted to its tools and pairs."""
    return [
        one
        for one in searches(config, settings.experiments if experiments is None else experiments)
        if settings.shows(one.tool, one.protocol) and settings.covers(one.model, one.compression)
    ]


def isolated_of(config: Config, settings: SecondsTarget) -> list[Searches]:
    """The searches by themselves whose seconds a target shows, in the order of the others; none where it shows none."""
    by_themselves = {own.isolated_of: name for name, own in config.protocols.items() if own.isolated_of}
    found = searches_of(config, settings) if settings.isolated else []
    return [one._replace(protocol=by_themselves[one.protocol]) for one in found]


def subjects_of(config: Config, settings: SubjectTarget | Searching) -> list[Subject]:
    """The subjects that a target shows, each once; without groups of its own, those of the targets of ``all``."""
    if not isinstance(settings, SubjectTarget):
        return list(dict.fromkeys(one.subject for one in searches_of(config, settings)))
    groups = settings.subjects
    if groups is None:
        groups = [group for label in config.shown for group in _groups_of(config, config.targets[label])]
    return list(dict.fromkeys(subject for group in groups for subject in subjects(config, group)))


def _groups_of(config: Config, settings: Target) -> list[str]:
    """The groups of subjects that a target names, itself or through its experiments."""
    own = settings.subjects if isinstance(settings, SubjectTarget) else None
    experiments = settings.experiments if isinstance(settings, Searching) else []
    return [*(own or []), *(config.experiments[name].subjects for name in experiments)]


def bits_of(config: Config, settings: BitTarget) -> list[Bits]:
    """The networks of bit studies that a target is made from, study by study."""
    return [
        Bits(dataset, model, label)
        for label in settings.needed
        for study in [config.bit_studies[label]]
        for dataset, model in product(study.dataset, study.model)
        if settings.dataset is None or dataset in settings.dataset
        if settings.model is None or model in settings.model
    ]


def datasets_of(config: Config, settings: Target) -> list[str]:
    """Ids of the datasets that a target shows; sorted, as the order of a set changes from process to process."""
    if isinstance(settings, BitTarget):
        return sorted({one.dataset for one in bits_of(config, settings)})
    if isinstance(settings, SubjectTarget | Searching):
        return sorted({one.dataset for one in subjects_of(config, settings)})
    return []


def evaluations(config: Config, searches: Searches) -> float:
    """Candidates that the searches from one seed input evaluate, as far as the configuration tells.

    The time of a candidate is unknown here: it depends on the size of networks, which are not built yet, and on the
    distortions.
    """
    protocol, searcher = config.protocols[searches.protocol], config.tools[searches.tool].searcher
    size = searcher.params.get("population") or searcher.params.get("swarm") or GENERATION
    each = float(protocol.evaluations or protocol.generations * size)
    if protocol.first_attack:
        each /= FIRST_ATTACK
    if protocol.goal == "targeted":
        return each * max(len(config.datasets[searches.dataset].class_names) - 1, 1)
    return min(each, MOST) if protocol.first_attack else each


def blocks(config: Config, searches: Searches) -> list[str]:
    """Names of the blocks that some searches are made in, one job each.

    They follow from the configuration alone (``EngineSettings``): the same on every machine.
    """
    protocol, inputs = config.protocols[searches.protocol], jobs.seed_inputs(config, searches._asdict())
    if config.engine.block or inputs is None:
        made = named_blocks.of_run_seeds(protocol.run_seeds, config.engine.block or 1)
    else:
        wanted = int(config.engine.block_evaluations / evaluations(config, searches))
        made = named_blocks.of_length(protocol.run_seeds, inputs, max(wanted, 1), protocol.batch)
    return [one.name for one in made]


def network_blocks(config: Config, bits: Bits) -> list[str]:
    """Names of the blocks that the networks of a bit study are trained and attacked in, one job each.

    They follow from the configuration alone, as those of searches do.
    """
    study = config.bit_studies[bits.study]
    each = jobs.units(config, jobs.Job("train_bits", {**bits._asdict(), "networks": bit_blocks.of_length(study, 1)[0]}))
    wanted = max(int(config.engine.block_trainings / each) if each else 1, config.engine.trainings_at_once)
    return bit_blocks.of_length(study, wanted)
