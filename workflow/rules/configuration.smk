"""The resolved configuration, its files, and the names that wildcards may take."""

from quantrift.core.base import code_digests, search_parts, seed_blocks
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import check_writable
from quantrift.core.base.paths import TRAINABLE, Paths
from quantrift.cli import run_output, status, unlock
from quantrift.core.settings.compressions import trains
from quantrift.study.datasets import addresses
from quantrift.core.networks import runtime
from quantrift.study.planning import (
    bit_blocks,
    configuration_files,
    job_resources,
    jobs,
    result_files,
    work,
)
from quantrift.study.planning.collection import work_of
from quantrift.study.planning.result_files import (
    Results,
    figure_files,
    flat,
    places,
    table_files,
)
from quantrift.study.planning.root import REPORT
from quantrift.study.results.targets import kinds
from quantrift.core.page.made_table import detail_of
from quantrift.study.results.targets.target import Searching

LIBRARY = HERE.parent / "config"
# A file that is named replaces the demo's, and is never merged with it.
DEMO = LIBRARY / "config.yaml"

try:
    if workflow.modifier.is_main_snakefile():
        CONFIG = configuration_files.load(
            LIBRARY,
            *configuration_files.overlays(workflow.configfiles or [DEMO], config),
        )
    else:
        # Another workflow uses this one as a module, and gives all settings itself.
        CONFIG = configuration_files.load(
            LIBRARY, [] if config else [DEMO], config, "module config"
        )
    PATHS = Paths(Path("results") / CONFIG.scale)
    RESULTS = Results(CONFIG, PATHS)
    check_writable(PATHS.root)
except QuantriftError as error:
    refuse(error)

# Relative, so that a checkout that is moved makes nothing again.
PUBLISHED = Path(os.path.relpath(result_files.PUBLISHED))
# Jobs take from it where official files may lie. They depend on the digests of these files alone.
config = {
    **config,
    addresses.OFFICIAL: addresses.stated(
        CONFIG.data, CONFIG.datasets.values(), CONFIG.models.files.values()
    ),
}
DATASETS = {
    name: settings.model_dump(mode="json") for name, settings in CONFIG.datasets.items()
}
code_digests.remember(Path(".snakemake") / "quantrift-code.json")
NETWORKS = result_files.published_networks(CONFIG)
TITLES = result_files.titles(CONFIG)
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
