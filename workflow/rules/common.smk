"""The resolved configuration and what all rules need of it."""

from functools import cache

from quantrift.cli import status, unlock
from quantrift.config import robustness
from quantrift.base import seed_blocks, code_digests, search_parts
from quantrift.plan import bit_blocks, job_resources, jobs, work
from quantrift.plan import configuration_files
from quantrift.base.errors import QuantriftError
from quantrift.base.files import check_writable
from quantrift.base.paths import TRAINABLE, Paths
from quantrift.config.repairs import trains
from quantrift.models import runtime
from quantrift.plan.result_files import Results, flat
from quantrift.plan.root import REPORT
from quantrift.targets import kinds
from quantrift.targets.target import Searching

try:
    CONFIG = configuration_files.load(
        Path(workflow.basedir) / "config",
        *configuration_files.overlays(workflow.configfiles, config),
    )
    PATHS = Paths(Path("results") / CONFIG.scale)
    RESULTS = Results(CONFIG, PATHS)
    check_writable(PATHS.root)
except QuantriftError as error:
    # One line, without Snakemake's traceback around it.
    print(f"quantrift: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(2)

CONFIG_DIGEST = configuration_files.digest(CONFIG)
PUBLISHED = Path(workflow.basedir) / "workflow" / "published"
DATASETS = {
    name: settings.model_dump(mode="json") for name, settings in CONFIG.datasets.items()
}
TITLES = {
    name: CONFIG.titles[name] for name in robustness.ATTACKS if name in CONFIG.titles
} | {
    name: named.title
    for section in (
        CONFIG.tools,
        CONFIG.calibrations,
        CONFIG.compressions,
        CONFIG.models.files,
    )
    for name, named in section.items()
    if named.title
}
TABLES = [
    name
    for name, target in CONFIG.targets.items()
    if target.kind in kinds.names("tables")
]
FIGURES = [
    name
    for name, target in CONFIG.targets.items()
    if target.kind in kinds.names("figures")
]


wildcard_constraints:
    dataset="|".join(CONFIG.datasets),
    model="|".join([*CONFIG.models.trained, *CONFIG.models.files]),
    compression="|".join([*CONFIG.compressions, *CONFIG.compressed_files]),
    tool="|".join(CONFIG.tools),
    protocol="|".join(CONFIG.protocols),
    block=seed_blocks.PATTERN,
    networks=bit_blocks.PATTERN,


def settings(model, exclude=None):
    """Resolved settings as plain values, which Snakemake compares from run to run."""
    return model.model_dump(mode="json", by_alias=True, exclude=exclude)


def one_of(names):
    """A constraint that lets a wildcard be one of some names; nothing where there is none."""
    return "|".join(names) or "$^"


@cache
def code_of(script, *modules):
    """Digest of an entry script, of the modules it loads by name, and of all these import, with versions of packages.

    A changed one reruns jobs.
    """
    return code_digests.of_job(
        Path(workflow.basedir) / "workflow" / "scripts" / f"{script}.py", modules
    )


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
    return (
        [f"quantrift.models.architectures.{model}"]
        if model in CONFIG.models.trained
        else []
    )


@cache
def spaces_of(target):
    """Modules of the spaces in which the searches lie that a target shows, and in which it may decode what they found."""
    own = CONFIG.targets[target]
    if not isinstance(own, Searching):
        return []
    tools = {one.tool for one in work.searches_of(CONFIG, own)}
    found = {
        name for tool in tools for name in modules_of(CONFIG.tools[tool], ["space"])
    }
    return sorted(found)


def order_of(w, input):
    """Digest of the names of a job's files in their order, which is that of the rows they make."""
    return code_digests.digest_of_names(input)


def published_of(target):
    """The files of published numbers of a target."""
    return [PUBLISHED / name for name in CONFIG.targets[target].published_files]


# Cached, as searches are cut into blocks for each, and a rule asks for files and keys apart.
made_of = cache(RESULTS.of)


def needs_of(target):
    """The files that a target is made from, as its kind names them: [[key, files], ...]."""
    return {
        name: [
            [list(key), [str(file) for file in files]] for key, files in keyed.items()
        ]
        for name, keyed in made_of(target).items()
    }


def datasets_of(target):
    """Ids of the datasets a target shows."""
    return work.datasets_of(CONFIG, CONFIG.targets[target])
