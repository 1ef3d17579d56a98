"""The command ``quantrift``."""

import argparse
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from quantrift.cli.outcome import MEANING, ended
from quantrift.core.base import process_environment
from quantrift.core.base.package_versions import version

COMMANDS = {
    "compare": "compare two networks on inputs as given: agreement, causes and layers in seconds",
    "assess": "assess your own compressed network: from two files to a verdict",
    "export-inputs": "write inputs and natural changes of them for a device that runs the compressed network",
    "judge-outputs": "judge what the device gave for them: the verdict of assess, without running a network",
    "certify": "prove that no member of a finite neighbourhood separates two networks, or find one that does",
    "mend": "leave the fewest layers of a compressed network in float so that it passes, and judge it on fresh inputs",
    "check-tool": "check whether a search tool is deterministic, independent of batches, and keeps its budget",
    "suite": "run your own search tool beside the built-in ones on pairs that anyone can rebuild",
    "audit": "show which operations of a .tflite model run in 8 bits",
    "plan": "show what targets would cost, from measured rates",
    "verify-claims": "compare results with the claims of the papers",
    "status": "show the progress of a run, and its remaining time",
    "rates": "update the measured rates from finished runs",
    "doctor": "check that the workflow can run here, with remedies",
    "unlock": "remove the lock that a killed run left in this folder",
    "replay": "decode and run every stored difference-inducing input again",
}


def parser(asked: str = "") -> argparse.ArgumentParser:
    """The command's parser; each subcommand is a module of this package.

    Only the module of the command that is ``asked`` for is loaded: `make` unlocks before each run, and the doctor has
    to work where packages are missing.
    """
    top = argparse.ArgumentParser(
        prog="quantrift",
        description="Finds inputs on which a compressed neural network disagrees with its original. "
        "Tables and figures are made by snakemake; see README.md.",
        epilog=MEANING,
    )
    top.add_argument("--version", action="version", version=f"quantrift {version('quantrift')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if name != asked:
            commands.add_parser(name, help=summary)
            continue
        module = import_module(f"quantrift.cli.{name.replace('-', '_')}")
        sub = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(sub, module.OPTIONS)
        sub.set_defaults(run=module.run)
    return top


def add_options(parser: "argparse._ActionsContainer", options: Mapping[str, Mapping[str, Any]]) -> None:
    """Add a table of options (``quantrift.cli.input_options``)."""
    for name, settings in options.items():
        if "options" in settings:
            add_options(parser.add_argument_group(name, settings["description"]), settings["options"])
        else:
            parser.add_argument(name, **settings)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    process_environment.pin()
    words = sys.argv[1:] if arguments is None else arguments
    name = next((word for word in words if word in COMMANDS), "")

    def run() -> int:
        given = parser(name).parse_args(words)
        return int(given.run(given))

    return ended(name, run)


if __name__ == "__main__":
    sys.exit(main())
