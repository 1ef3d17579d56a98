"""The command ``quantrift``."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from quantrift.cli.outcome import MEANING, ended
from quantrift.core.base import process_environment
from quantrift.core.base.package_versions import version

GROUPS = {
    "judge a compressed network": {
        "compare": "compare two networks on inputs as given: agreement, causes and layers in seconds",
        "assess": "assess your own compressed network: from two files to a verdict",
        "board": "judge many pairs in the same way, and put them into one table",
        "audit": "look for faults in one .tflite or .onnx file without inputs, and show what runs in 8 bits",
        "export-inputs": "write inputs and natural changes of them for a device that runs the compressed network",
        "judge-outputs": "judge what the device gave for them: the verdict of assess, without running a network",
        "replay": "decode and run every stored difference-inducing input again",
    },
    "mend and certify": {
        "mend": "leave the fewest layers of a compressed network in float so that it passes, judged on fresh inputs",
        "certify": "prove that no member of a finite neighbourhood separates two networks, or find one that does",
    },
    "reproduce published results": {
        "plan": "show what targets would cost, from measured rates",
        "status": "show the progress of a run, and its remaining time",
        "rates": "update the measured rates from finished runs",
        "verify-claims": "compare results with the claims of the papers",
    },
    "search tools": {
        "check-tool": "check whether a search tool is deterministic, independent of batches, and keeps its budget",
        "suite": "run your own search tool beside the built-in ones on pairs that anyone can rebuild",
    },
    "this installation": {
        "doctor": "check that the workflow can run here, with remedies",
        "unlock": "remove the lock that a killed run left in this folder",
    },
}
"""Commands by what they are for: name -> what it does."""
COMMANDS = {name: summary for names in GROUPS.values() for name, summary in names.items()}


def parser(asked: str = "") -> argparse.ArgumentParser:
    """The command's parser; each subcommand is a module of this package.

    Only the module of the command that is ``asked`` for is loaded: `make` unlocks before each run, and the doctor has
    to work where packages are missing.
    """
    top = argparse.ArgumentParser(
        prog="quantrift",
        description="Finds inputs on which a compressed neural network disagrees with its original.\n"
        "Tables and figures are made by snakemake; see README.md.",
        epilog=f"{_listed()}\n\n{MEANING}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"quantrift {version('quantrift')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", help="see below")
    for name in COMMANDS:
        if name != asked:
            commands.add_parser(name)
            continue
        module = import_module(f"quantrift.cli.{name.replace('-', '_')}")
        sub = commands.add_parser(
            name,
            description=module.__doc__,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(sub, module.OPTIONS)
        sub.set_defaults(run=module.run)
    return top


def _listed() -> str:
    """All commands by groups, as wide as the terminal."""
    wrapped = textwrap.TextWrapper(shutil.get_terminal_size().columns - 2, subsequent_indent=" " * 17)
    return "\n\n".join(
        "\n".join([f"{title}:", *(wrapped.fill(f"  {name:<15}{summary}") for name, summary in names.items())])
        for title, names in GROUPS.items()
    )


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
