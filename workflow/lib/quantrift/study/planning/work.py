"""Work of a configuration: subjects, searches and bit studies, cut into blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from quantrift.core.base import seed_blocks as named_blocks
from quantrift.study.planning import bit_blocks, collection, dataset_sizes, jobs
from quantrift.study.planning.root import Config
from quantrift.study.results.targets.target import BitTarget, Searching, SecondsTarget, SubjectTarget, Target

GENERATION = 10
"""Candidates of a generation of a searcher that does not state them: as many as in DiverGet."""

FIRST_ATTACK = 10
"""Divisor of the budget of a search that ends at its first disagreement, for estimates."""


@dataclass(frozen=True, order=True)
class Subject:
    """A dataset, a network trained on it, and a compression of that network."""

    dataset: str
    model: str
    compression: str


@dataclass(frozen=True, order=True)
class Bits:
    """The networks of a bit study on one dataset."""

    study: str
    dataset: str
    model: str


@dataclass(frozen=True, order=True)
class Searches:
    """All searches of one tool on one subject under one protocol."""

    subject: Subject
    tool: str
    protocol: str


def subjects(config: Config, group: str) -> list[Subject]:
    """The subjects of a group."""
    members = config.subjects[group]
    return [Subject(*names) for names in product(members.dataset, members.model, members.compression)]


def searches(config: Config, experiments: list[str]) -> list[Searches]:
    """The searches of some experiments, each once."""
    found = [
        Searches(subject, tool, experiment.protocol)
        for experiment in (config.experiments[name] for name in experiments)
        for subject in subjects(config, experiment.subjects)
        for tool in experiment.tools
    ]
    return list(dict.fromkeys(found))


def searches_of(config: Config, settings: Searching, experiments: Sequence[str] | None = None) -> list[Searches]:
    """The searches that a target shows, from some of its experiments or all, restricted to its tools and pairs."""
    named = settings.experiments if experiments is None else experiments
    return [
        one
        for one in searches(config, list(named))
        if settings.shows(one.tool, one.protocol) and settings.covers(one.subject.model, one.subject.compression)
    ]


def isolated_of(config: Config, settings: SecondsTarget) -> list[Searches]:
    """The searches by themselves whose seconds a target shows, in the order of the others; none where it shows none."""
    by_themselves = {own.isolated_of: name for name, own in config.protocols.items() if own.isolated_of}
    found = searches_of(config, settings) if settings.isolated else []
    return [replace(one, protocol=by_themselves[one.protocol]) for one in found]


def members(config: Config, label: str) -> list[str]:
    """The tables and figures of a collection; of any other target, itself."""
    return collection.members(config.targets[label]) or [label]


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
    if isinstance(settings, SubjectTarget):
        return settings.subjects or []
    experiments = settings.experiments if isinstance(settings, Searching) else []
    return [config.experiments[name].subjects for name in experiments]


def bits_of(config: Config, settings: BitTarget) -> list[Bits]:
    """The networks of bit studies that a target is made from, study by study."""
    return [
        Bits(label, dataset, model)
        for label in settings.needed
        for study in [config.bit_studies[label]]
        for dataset, model in product(study.dataset, study.model)
        if settings.dataset is None or dataset in settings.dataset
        if settings.model is None or model in settings.model
    ]


def datasets_of(config: Config, settings: Target) -> list[str]:
    """Ids of the datasets that a target shows; sorted, as the order of a set changes from process to process."""
    shown_there: Sequence[Subject | Bits] = []
    if isinstance(settings, BitTarget):
        shown_there = bits_of(config, settings)
    elif isinstance(settings, SubjectTarget | Searching):
        shown_there = subjects_of(config, settings)
    return sorted({one.dataset for one in shown_there})


def evaluations(config: Config, searches: Searches) -> float:
    """Candidates that the searches from one seed input evaluate, as far as the configuration tells.

    The time of a candidate is unknown here: it depends on the size of networks, which are not built yet, and on the
    distortions.
    """
    protocol, searcher = config.protocols[searches.protocol], config.tools[searches.tool].searcher
    size = searcher.params.get("population") or searcher.params.get("swarm") or GENERATION
    each = float(protocol.evaluations or protocol.generations * size)
    if protocol.goal == "targeted":
        each *= max(len(config.datasets[searches.subject.dataset].class_names) - 1, 1)
    return each / FIRST_ATTACK if protocol.first_attack else each


def blocks(config: Config, searches: Searches) -> list[str]:
    """Names of the blocks that some searches are made in, one job each.

    They follow from the configuration alone (``EngineSettings``): the same on every machine.
    """
    protocol = config.protocols[searches.protocol]
    if config.engine.block:
        return [one.name for one in named_blocks.of_run_seeds(protocol.run_seeds, config.engine.block)]
    subject = searches.subject
    inputs = protocol.inputs
    if inputs == "all":
        known = dataset_sizes.inputs(config, subject.dataset, subject.model)
        if known is None:
            return [one.name for one in named_blocks.of_run_seeds(protocol.run_seeds, 1)]
        inputs = known[1]
    wanted = int(config.engine.block_evaluations / evaluations(config, searches))
    made = named_blocks.of_length(protocol.run_seeds, inputs, max(wanted, 1), protocol.batch)
    return [one.name for one in made]


def network_blocks(config: Config, bits: Bits) -> list[str]:
    """Names of the blocks that the networks of a bit study are trained and attacked in, one job each.

    They follow from the configuration alone, as those of searches do.
    """
    study = config.bit_studies[bits.study]
    first = bit_blocks.of_length(study, 1)[0]
    names = {"dataset": bits.dataset, "model": bits.model, "study": bits.study, "networks": first}
    each = jobs.units(config, jobs.Job("train_bits", names))
    wanted = max(int(config.engine.block_trainings / each) if each else 1, config.engine.trainings_at_once)
    return bit_blocks.of_length(study, wanted)
