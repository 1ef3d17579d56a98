"""Reference of the command line for the site: every command with usage, arguments and examples, from its parser."""

import argparse
from collections.abc import Iterator

from quantrift.cli.main import COMMANDS, parser
from quantrift.cli.outcome import MEANING

USAGE = "usage: "


def text() -> str:
    """Markdown: a heading for each command."""
    return "\n".join([f"{MEANING}\n", *(_section(name) for name in COMMANDS)])


def _section(name: str) -> str:
    command = _subparsers(parser(name)).choices[name]
    summary, _, rest = (command.description or "").partition("\n\n")
    usage = command.format_usage().strip().removeprefix(USAGE).replace("\n" + " " * len(USAGE), "\n")
    parts = [f"## {name}", summary, rest.replace("``", "`"), _block(usage)]
    parts += ["| argument | meaning | default |\n|---|---|---|\n" + "\n".join(_rows(command))]
    return "\n\n".join([*filter(None, parts), _block((command.epilog or "").strip())]) + "\n"


def _subparsers(top: argparse.ArgumentParser) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    [found] = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    return found


def _rows(command: argparse.ArgumentParser) -> Iterator[str]:
    shown = command._get_formatter()
    for action in command._actions:
        optional = shown._get_default_metavar_for_optional(action) if action.option_strings else action.dest
        values = "" if action.nargs == 0 else shown._format_args(action, optional)
        words = f"{', '.join(action.option_strings)} {values}".strip()
        meaning = shown._expand_help(action) if action.help else ""
        stated = "" if action.default in (None, False, argparse.SUPPRESS) else f"`{action.default}`"
        yield f"| `{_flat(words)}` | {_flat(meaning)} | {stated} |"


def _flat(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


def _block(words: str) -> str:
    return f"```text\n{words}\n```"
