"""The resolved configuration, its files, and the names that wildcards may take."""

from quantrift.base import code_digests, search_parts, seed_blocks
from quantrift.base.errors import QuantriftError
from quantrift.base.files import check_writable
from quantrift.base.paths import TRAINABLE, Paths
from quantrift.cli import status, unlock
from quantrift.config.repairs import trains
from quantrift.models import runtime
from quantrift.plan import (
    bit_blocks,
    configuration_files,
    job_devices,
    job_resources,
    jobs,
    stated_titles,
    work,
)
from quantrift.plan.published_works import work_of
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
    # One line: Snakemake prints a traceback around any other exception.
    print(f"quantrift: {error}", file=sys.stderr)
    sys.exit(2)

CONFIG_DIGEST = configuration_files.digest(CONFIG)
PUBLISHED = Path(workflow.basedir) / "workflow" / "published"
DATASETS = {
    name: settings.model_dump(mode="json") for name, settings in CONFIG.datasets.items()
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
