"""Settings, files and code of jobs, as rules ask for them by wildcards."""

from functools import cache

from quantrift.study.board import pair as board_pair
from quantrift.judge.verdict.profiles import TOOLS
from quantrift.study.compression import method
from quantrift.core.settings.networks import Networks
from quantrift.core.settings.searches import Tool
from quantrift.study.datasets import dataset_kind
from quantrift.core.base import plugins
from quantrift.core.networks import architecture, coreml
from quantrift.core.networks.own import litert as own_litert
from quantrift.core.pairs import given_pair, own_pair
from quantrift.core.statistics import margin_files
from quantrift.core.search.tool import (
    follows_gradients,
    looks_into_networks,
    modules_by_name,
)


def settings(model, exclude=None):
    """Resolved settings as plain values, which Snakemake compares from run to run."""
    return model.model_dump(mode="json", by_alias=True, exclude=exclude)


@cache
def estimates():
    """Estimates of all jobs; made for the first that asks, as jobs that run by themselves ask for none."""
    from quantrift.study.planning import measured_rates
    from quantrift.study.planning.estimates import Estimates

    return Estimates(measured_rates.committed())


@cache
def estimate(job_rule, wildcards):
    """Estimate of a job, whose wildcards are given as pairs; None in its own process, which requests nothing."""
    if workflow.subprocess_exec:
        return None
    return estimates().of(CONFIG, jobs.Job(job_rule, dict(wildcards)))


def asked(job_rule, processes=1):
    """Memory and minutes that jobs of a rule request, some of whose processes run side by side."""
    return job_resources.of(
        job_rule, lambda w: estimate(job_rule, tuple(w.items())), processes
    )


def grouped(job_rule):
    """Function that names the group of a job on a cluster."""

    def group(w):
        # Groups of a name with wildcards are known to profiles by its pattern; these by one name too.
        if workflow.local_exec:
            return None
        job = jobs.Job(job_rule, dict(w.items()))
        name = job_resources.group(job, estimate(job_rule, tuple(w.items())))
        if name is not None:
            workflow.parent_groupids[name] = job_resources.GROUP
        return name

    return group


def device_of(rule):
    """Resource of jobs that may train on a device: how many they take; nothing where no training asks for one."""
    if not jobs.ask_for_devices(CONFIG):
        return {}
    return {"gpu": lambda w: int(jobs.device(CONFIG, rule, dict(w.items())) == "gpu")}


def one_of(names):
    """A constraint that restricts a wildcard to some names; one that matches nothing where there is none."""
    return "|".join(names) or "$^"


@cache
def code_of(script, *modules):
    """Digest of an entry script, of the modules it loads by name, and of all these import, with versions of packages.

    A changed one reruns jobs.
    """
    return code_digests.of_job(HERE / "scripts" / f"{script}.py", modules)


def modules_of(owner, kinds):
    """Modules of the parts of some kinds that a tool or a calibration consists of."""
    return [
        name
        for kind in kinds
        for part in [getattr(owner, kind)]
        for name in search_parts.modules(kind, part.name, part.params)
    ]


def modules_of_network(model):
    """The module that builds a network, of those trained here."""
    return [f"{architecture.FOLDER}.{model}"] if model in CONFIG.models.trained else []


def modules_of_datasets(names):
    """Modules of the kinds of some datasets."""
    return sorted(
        {f"{dataset_kind.FOLDER}.{CONFIG.datasets[name].kind}" for name in names}
    )


@cache
def modules_of_replays(target):
    """Modules by which a target may decode what its searches found, and run networks on it where its kind does."""
    own = CONFIG.targets[target]
    if not isinstance(own, Searching):
        return []
    tools = {one.tool for one in work.searches_of(CONFIG, own)}
    found = {name for tool in tools for name in modules_of_replay(tool)}
    if kinds.runs_networks(own):
        inner = [modules_by_name(settings(CONFIG.tools[tool])) for tool in tools]
        found.update(*inner, [given_pair.NEURONS])
    return sorted(found)


def order_of(w, input):
    """Digest of the names of a job's files in their order, which is that of the rows they make."""
    return code_digests.digest_of_names(input)


def published_of(target):
    """The files of published numbers of a target, which come with the workflow and are not in any storage."""
    return [local(PUBLISHED / name) for name in CONFIG.targets[target].published_files]


# Cached, as searches are cut into blocks for each target, and a rule asks for files and keys separately.
@cache
def made_of(target):
    """The files that a target is made from, by name. The configuration was checked for those of ``all`` alone."""
    if target not in CONFIG.shown:
        for mistake in CONFIG.mistakes([*CONFIG.shown, target]):
            refuse(f"{target}: {mistake}")
    return RESULTS.of(target)


def by_rule(names):
    """Rule -> names of the CSV files that it writes, and those of some targets that it makes."""
    found = {}
    for name in names:
        target = CONFIG.targets[name]
        made = found.setdefault(kinds.rule(target), (kinds.details(target), []))
        made[1].append(name)
    return found


def datasets_of(target):
    """Ids of the datasets a target shows."""
    return work.datasets_of(CONFIG, CONFIG.targets[target])


def input_settings(w):
    """A network's settings of inputs alone, so that a change of training, width or the other split remakes no data."""
    network = CONFIG.network(w.model, w.dataset)
    if w.model in CONFIG.models.files:
        return settings(network.inputs)
    return settings(network, exclude={"training", "width", "blocks", "per_dataset"})


def blocks_settings(w):
    """The settings of a network under its split by spatial blocks; None where it has none."""
    network = CONFIG.network(w.model, w.dataset)
    if getattr(network, "blocks", None) is None:
        return None
    return settings(
        network.model_copy(update={"split": network.blocks}),
        exclude={"blocks", "per_dataset"},
    )


def student_of(w):
    """Default settings of the network that a distillation trains; None of any other method."""
    owner, known = CONFIG.compressions[w.compression], Networks().trained
    student = owner.method == "distill" and known.get(owner.student or w.model)
    return settings(student) if student else None


def runner_of(w):
    """The module of the runtime of the original beside a compression."""
    return runtime.module(CONFIG.original_runtime(w.compression))


def original_of(w):
    """The original in the form that its runtime reads."""
    return PATHS.model(w.dataset, w.model) / runner_of(w).ORIGINAL


def are_ours(w):
    """Whether all networks that wildcards name were written here, so that jobs run them without a reader of given files.

    A network taken over from a Keras file is written anew; one from a .tflite file stays as it is.
    """
    named = dict(w.items())
    return (w.model in CONFIG.models.trained or w.model in KERAS_FILES) and named.get(
        "compression"
    ) not in CONFIG.compressed_files


def runtime_of_network(w):
    """The module that runs a network's .tflite file."""
    return (own_litert if are_ours(w) else runtime.module("litert")).__name__


def runtime_of_agreeing(w):
    """The module that runs a network and the compressed ones that seed inputs are chosen with."""
    given = set(CONFIG.protocols[w.protocol].agree) & set(CONFIG.compressed_files)
    return runtime.module("litert").__name__ if given else runtime_of_network(w)


def runtime_of_original(w):
    """The module that runs the original beside a compression."""
    name = CONFIG.original_runtime(w.compression)
    if are_ours(w) and name in plugins.names(own_pair.RUNTIMES):
        return f"{own_pair.RUNTIMES}.{name}"
    return runner_of(w).__name__


def runtimes_of_pair(w):
    """The modules that run the original and a compressed network."""
    return {"original": runtime_of_original(w), "compressed": runtime_of_network(w)}


def opening_of(w):
    """The module that opens the networks which a job searches or reads neurons of."""
    searched = "compression" in dict(w.items())
    given = searched and (
        to_coreml(w.compression)
        or not runtime_of_original(w).startswith(own_pair.RUNTIMES)
    )
    return own_pair if are_ours(w) and not given else given_pair


def networks_of_search(w):
    """How a search opens both networks."""
    return {
        "opening": opening_of(w).__name__,
        "original_runtime": CONFIG.original_runtime(w.compression),
    }


def modules_of_compression(w):
    """Modules that a compression job loads by name: method, networks, and runtime of the original."""
    owner = CONFIG.compressions[w.compression]
    return [
        f"{method.FOLDER}.{owner.method}",
        runtime_of_original(w),
        *modules_of_network(w.model),
        *modules_of_network(getattr(owner, "student", None)),
    ]


def searches_of(w):
    """The searches that wildcards name, in all blocks."""
    return work.Searches(w.dataset, w.model, w.compression, w.tool, w.protocol)


def modules_of_replay(tool):
    """Modules that decode the stored vectors of a tool."""
    return modules_of(CONFIG.tools[tool], ["space"])


def modules_of_search(w):
    """Modules that a search loads by name.

    The parts of its tool, the library that runs it, if one does, and what opens both networks and reads their neurons.
    """
    tool, opening = CONFIG.tools[w.tool], opening_of(w)
    inner = modules_by_name(settings(tool))
    searcher = search_parts.load("searcher", tool.searcher.name)
    return [
        *modules_of(tool, search_parts.FOLDERS),
        *([searcher.LIBRARY] if tool.engine == "library" else []),
        *inner,
        *([opening.NEURONS] if inner else []),
        opening.__name__,
        runtime_of_original(w) if opening is own_pair else runner_of(w).__name__,
    ]


def to_coreml(compression):
    """Whether a compression makes a package for Core ML beside its model."""
    owner = CONFIG.compressions.get(compression)
    return bool(owner) and owner.method == "coreml"


def package_of(w):
    """The package for Core ML beside a compressed network, where there is one: on macOS it runs in its place."""
    package = PATHS.compressed(w.dataset, w.model, w.compression) / coreml.FILE
    return package if to_coreml(w.compression) else []


def needs_gradients(w):
    """Whether the searcher of a tool follows gradients."""
    return follows_gradients(settings(CONFIG.tools[w.tool]))


def profile_of(w):
    """The profile of the original's neurons, for tools whose objective uses neurons."""
    inner = looks_into_networks(settings(CONFIG.tools[w.tool]))
    return PATHS.profile(w.dataset, w.model) if inner else []


def records_of(w):
    """The candidates of all run seeds."""
    return RESULTS.records_of(searches_of(w))


def bit_study_of(w):
    """Settings of the training of a study's networks on one dataset and model."""
    return CONFIG.bit_studies[w.study].trained(w.dataset, w.model)


def networks_of(w):
    """Setting and repetition of each network of a block."""
    return bit_blocks.networks(CONFIG.bit_studies[w.study], w.networks)


def labels_of(target):
    """Columns in which Snakemake's report lists a target."""
    own = CONFIG.targets[target]
    return {"target": target, "kind": own.kind, "title": own.title}


def modules_of_assessment():
    """Modules of the parts of the tools of an assessment."""
    return sorted(
        {
            name
            for stated in TOOLS.values()
            for name in modules_of(Tool.model_validate(stated), search_parts.FOLDERS)
        }
    )


BOARD = board_pair.load(LIBRARY / "board.yaml")


def made_for(wildcards):
    """Original, compressed network and inputs of a pair that the workflow makes."""
    made = BOARD.pairs[wildcards.pair].workflow
    if made is None:
        return []
    return [
        PATHS.model(made.dataset, made.model) / "original.tflite",
        PATHS.compressed(made.dataset, made.model, made.compression) / "model.tflite",
        PATHS.inputs(made.dataset, made.model),
    ]
