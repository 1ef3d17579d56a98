"""Reference of the command line for the site: every command with usage, arguments and examples, from its parser."""

import argparse
from collections.abc import Iterator

from quantrift.cli.main import COMMANDS, parser
from quantrift.cli.outcome import MEANING
from quantrift.core.page.markdown import table

USAGE = "usage: "


def text() -> str:
    """Markdown: a heading for each command."""
    return "\n".join([f"{MEANING}\n", *(_section(name) for name in COMMANDS)])


def _section(name: str) -> str:
    [parsers] = [one for one in parser(name)._actions if isinstance(one, argparse._SubParsersAction)]
    command = parsers.choices[name]
    summary, _, rest = (command.description or "").partition("\n\n")
    usage = command.format_usage().strip().removeprefix(USAGE).replace("\n" + " " * len(USAGE), "\n")
    parts = [f"## {name}", summary, rest.replace("``", "`"), _block(usage)]
    parts += [table(["argument", "meaning", "default"], _rows(command)), _block((command.epilog or "").strip())]
    return "\n\n".join(filter(None, parts)) + "\n"


def _rows(command: argparse.ArgumentParser) -> Iterator[list[str]]:
    shown = command._get_formatter()
    for action in command._actions:
        optional = shown._get_default_metavar_for_optional(action) if action.option_strings else action.dest
        values = "" if action.nargs == 0 else shown._format_args(action, optional)
        meaning = shown._expand_help(action) if action.help else ""
        stated = "" if action.default in (None, False, argparse.SUPPRESS) else f"`{action.default}`"
        yield [f"`{_flat(', '.join(action.option_strings) + f' {values}')}`", _flat(meaning), stated]


def _flat(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


def _block(words: str) -> str:
    return f"```text\n{words}\n```"
