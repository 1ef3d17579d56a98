"""Options that `quantrift plan` and `quantrift rates` share."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.study.planning import configuration_files
from quantrift.study.planning.root import Config


def add(parser: argparse.ArgumentParser, configuration: str, rates: str) -> None:
    """Add the options; ``configuration`` and ``rates`` are the help texts of the files."""
    parser.add_argument(
        "--configfile",
        type=Path,
        required=True,
        nargs="+",
        metavar="FILE",
        help=f"{configuration}; later files are laid over earlier ones",
    )
    parser.add_argument("--rates", type=Path, metavar="FILE", help=rates)


def configuration(files: Sequence[Path]) -> Config:
    """The configuration of some files.

    Raises:
        QuantriftError: one of them does not exist, or the configuration has a mistake.
    """
    for file in files:
        if not file.exists():
            raise QuantriftError(f"--configfile: {file} does not exist; put other arguments before --configfile")
    return configuration_files.load(configuration_files.ROOT / "config", files)
