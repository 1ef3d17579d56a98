"""Update of the example's output in README.md, by running it: ``python -m quantrift.cli.readme_example``."""

import shlex
import subprocess
import sys
import tempfile
import textwrap

from quantrift.assess import example
from quantrift.base.errors import QuantriftError
from quantrift.base.marked_section import Section
from quantrift.plan.configuration_files import ROOT

PAGE = ROOT / "README.md"
SECTION = Section(PAGE, "<!-- make readme writes from here -->")
WIDTH = 118
ASSUMED = "assumed"
"""First word of a line about assumptions on files. README.md leaves these lines out."""


def command() -> list[str]:
    """Words of the command as README.md states it.

    Raises:
        QuantriftError: if README.md has no such command.
    """
    _, found, rest = PAGE.read_text(encoding="utf-8").partition("quantrift assess ")
    stated, end, _ = rest.partition("\n```")
    if not found or not end:
        raise QuantriftError(f"{PAGE}: has no block with a command 'quantrift assess'; put it back")
    return ["assess", *shlex.split(stated.replace("\\\n", " ").replace("$PAIR", str(example.FOLDER)))]


def said() -> list[str]:
    """Lines that the command writes, run in a folder of its own, without those on assumptions.

    Raises:
        QuantriftError: if it ends otherwise than with a verdict of pass.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "quantrift.cli.main", *command()]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise QuantriftError(f"the example of {PAGE} ended with {done.returncode}: {done.stderr.strip()}")
    return [line for line in done.stdout.splitlines() if not line.startswith(ASSUMED)]


def part(lines: list[str]) -> str:
    """Lines of output as the README shows them, each wrapped."""
    block = "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=" " * 9) for line in lines)
    return f"```\n{block}\n```"


if __name__ == "__main__":
    SECTION.write(part(said()))
