"""The command ``quantrift``."""

import argparse
import sys
from importlib import import_module

from quantrift.config.errors import QuantriftError

COMMANDS = {
    "audit": "show which operations of a .tflite model run in 8 bits",
    "bench": "measure speed and write results/bench/NAME.json",
    "replay": "decode and run every stored difference-inducing input again",
}


def parser() -> argparse.ArgumentParser:
    """The command's parser; each subcommand is a module of this package."""
    top = argparse.ArgumentParser(
        prog="quantrift",
        description="Finds inputs on which a compressed neural network disagrees with its original. "
        "Tables and figures are made by snakemake; see README.md.",
        epilog="Exit codes: 0 done, 1 a limit was exceeded, 2 could not run.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        module = import_module(f"quantrift.cli.{name}")
        sub = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    given = parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except QuantriftError as error:
        print(f"quantrift {given.command}: {error}", file=sys.stderr)
        return 2
