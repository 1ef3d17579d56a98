"""The option ``--max-unpacked`` of commands that read archives of others."""

import argparse
import os

from quantrift.core.base.limits import DEFAULT, UNPACKED, size


def unpacked_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--max-unpacked",
        metavar="SIZE",
        help=f"largest size that one file may unpack to, like 16GB (default: {UNPACKED}, or {DEFAULT})",
    )


def set_unpacked(given: argparse.Namespace) -> None:
    """Hold this process, and those that it starts, to the limit that was given.

    Raises:
        QuantriftError: the text is no size.
    """
    if given.max_unpacked is not None:
        size(given.max_unpacked, "--max-unpacked")
        os.environ[UNPACKED] = given.max_unpacked
