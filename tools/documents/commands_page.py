"""Reference of the command line for the site: every command with usage, arguments and examples, from its parser."""

import argparse
from collections.abc import Iterable, Iterator

from quantrift.cli.main import COMMANDS, GROUPS, parser
from quantrift.cli.outcome import MEANING
from quantrift.core.page.markdown import table

USAGE = "usage: "
HEADS = "argument", "meaning", "default"


def text() -> str:
    """Markdown: the groups of commands, and a heading for each command."""
    links = ((title, (f"[{name}](#{name})" for name in names)) for title, names in GROUPS.items())
    groups = table(["for", "commands"], ((title, ", ".join(names)) for title, names in links))
    return "\n".join([f"{MEANING}\n", f"{groups}\n", *(_section(name) for name in COMMANDS)])


def _section(name: str) -> str:
    [parsers] = [one for one in parser(name)._actions if isinstance(one, argparse._SubParsersAction)]
    command = parsers.choices[name]
    summary, _, rest = (command.description or "").partition("\n\n")
    usage = command.format_usage().strip().removeprefix(USAGE).replace("\n" + " " * len(USAGE), "\n")
    parts = [f"## {name}", summary, rest.replace("``", "`"), _block(usage)]
    first, second, *others = command._action_groups
    parts.append(table(HEADS, _rows(command, [*first._group_actions, *second._group_actions])))
    for group in others:
        parts += [f"**{group.title}**: {group.description}.", table(HEADS, _rows(command, group._group_actions))]
    return "\n\n".join(filter(None, [*parts, _block((command.epilog or "").strip())])) + "\n"


def _rows(command: argparse.ArgumentParser, actions: Iterable[argparse.Action]) -> Iterator[list[str]]:
    shown = command._get_formatter()
    for action in actions:
        optional = shown._get_default_metavar_for_optional(action) if action.option_strings else action.dest
        values = "" if action.nargs == 0 else shown._format_args(action, optional)
        meaning = shown._expand_help(action) if action.help else ""
        stated = "" if action.default in (None, False, argparse.SUPPRESS) else f"`{action.default}`"
        yield [f"`{_flat(', '.join(action.option_strings) + f' {values}')}`", _flat(meaning), stated]


def _flat(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


def _block(words: str) -> str:
    return f"```text\n{words}\n```"
