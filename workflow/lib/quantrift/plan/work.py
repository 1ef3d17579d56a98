"""What a configuration asks for: which subjects are searched by which tools, and in which blocks."""

from dataclasses import dataclass
from itertools import product

from quantrift.config import blocks as named_blocks
from quantrift.config.bit_targets import BitTarget as OldBitTarget
from quantrift.plan import bit_blocks, jobs, sizes
from quantrift.plan.root import REPORT, Config
from quantrift.targets.studies import BitTarget

GENERATION = 10
"""Candidates of a generation of a searcher that does not say how many it has: as many as DiverGet's have."""

FIRST_ATTACK = 10
"""Of the budget of a search that ends at its first disagreement, one part in so many is counted."""


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


def searches_of_target(config: Config, target: str) -> list[Searches]:
    """The searches a target shows: of its experiments, and of its tools and pairs where it names some."""
    named = config.targets[target]
    return [
        one
        for one in searches(config, experiments_of(config, target))
        if named.shows(one.tool, one.protocol) and named.covers(one.subject.model, one.subject.compression)
    ]


def shown(config: Config) -> list[str]:
    """The tables and figures that ``all`` names, itself or through collections, each once."""
    return list(dict.fromkeys(name for label in config.all if label != REPORT for name in members(config, label)))


def members(config: Config, label: str) -> list[str]:
    """The tables and figures of a collection; of any other target, itself."""
    return list(getattr(config.targets[label], "targets", (label,)))


def subjects_of_target(config: Config, target: str) -> list[Subject]:
    """The subjects that a target over networks or compressions shows, each once."""
    groups = getattr(config.targets[target], "subjects", None)
    if groups is None:
        groups = groups_of_all(config)
    return list(dict.fromkeys(subject for group in groups for subject in subjects(config, group)))


def groups_of_all(config: Config) -> list[str]:
    """The groups of subjects that the targets of ``all`` name."""
    return [group for label in shown(config) for group in _groups_of(config, label)]


def _groups_of(config: Config, target: str) -> list[str]:
    """The groups of subjects that a target names, itself or through its experiments."""
    named = getattr(config.targets[target], "subjects", None) or []
    return [*named, *(config.experiments[name].subjects for name in experiments_of(config, target))]


def experiments_of(config: Config, target: str) -> list[str]:
    """The experiments a target is made from."""
    named = config.targets[target]
    return list(getattr(named, "experiments", getattr(named, "from_", ())))


def bits_of_target(config: Config, target: str) -> list[Bits]:
    """The networks of bit studies that a target is made from, study by study; none of a target over anything else."""
    named = config.targets[target]
    if not isinstance(named, BitTarget | OldBitTarget):
        return []
    studies = {label: config.bit_studies[label] for label in named.needed}
    return [
        Bits(label, dataset, model)
        for label, study in studies.items()
        for dataset, model in product(study.dataset, study.model)
        if named.dataset is None or dataset in named.dataset
        if named.model is None or model in named.model
    ]


def datasets_of_target(config: Config, target: str) -> list[str]:
    """Ids of the datasets a target shows; sorted, as the order of a set changes from process to process."""
    found = [one.subject for one in searches_of_target(config, target)]
    if not found and hasattr(config.targets[target], "subjects"):
        found = subjects_of_target(config, target)
    shown = {one.dataset for one in found} | {one.dataset for one in bits_of_target(config, target)}
    return sorted(shown)


def evaluations(config: Config, searches: Searches) -> float:
    """Candidates that the searches from one seed input evaluate, as far as the configuration tells.

    It tells nothing of how long one takes: neither the size of networks, which only building them would tell, nor the
    time that a distortion takes.
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
        known = sizes.inputs(config, subject.dataset, subject.model)
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
    one_each = bit_blocks.of_length(study, 1)
    names = {"dataset": bits.dataset, "model": bits.model, "study": bits.study, "networks": one_each[0]}
    each = jobs.units(config, jobs.Job("train_bits", names))
    return bit_blocks.of_length(study, max(int(config.engine.block_trainings / each), 1)) if each else one_each
