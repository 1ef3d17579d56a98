"""Entry script of rule ``source``: write a dataset as it is."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.load import load
from quantrift.data.official import Places
from quantrift.data.source import build

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    # The rule's parameters are what the content depends on. Addresses and folders are not: a change of them must not
    # rerun anything, so they are read here, from the configuration as the command line and files left it.
    config = load(Path(snakemake.scriptdir).resolve().parents[1] / "config", [], snakemake.config)
    build(config.datasets[snakemake.wildcards.dataset], Places.of(config.data), Path(snakemake.output[0]))
