"""The output of the example in README.md, from a run of it: ``python -m quantrift.cli.readme_example``."""

import shlex
import subprocess
import sys
import tempfile
import textwrap

from quantrift.assess import example
from quantrift.config.errors import QuantriftError
from quantrift.config.files import replacing
from quantrift.plan.load import ROOT

PAGE = ROOT / "README.md"
BEGIN, END = "<!-- make readme writes from here -->", "<!-- to here -->"
WIDTH = 118
ASSUMED = "assumed"
"""Word that begins a line on what was found out about files. README.md leaves these lines out."""


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
    """Lines that the command writes, in a folder of its own, but those on what was assumed.

    Raises:
        QuantriftError: if it ends otherwise than with a verdict of pass.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "quantrift.cli.main", *command()]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise QuantriftError(f"the example of {PAGE} ended with {done.returncode}: {done.stderr.strip()}")
    return [line for line in done.stdout.splitlines() if not line.startswith(ASSUMED)]


def written(page: str, lines: list[str]) -> str:
    """The page with these lines between its two marks, each wrapped.

    Raises:
        QuantriftError: if a mark is missing.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise QuantriftError(f"{PAGE}: lacks the line '{END if begin else BEGIN}'; put it back")
    block = "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=" " * 9) for line in lines)
    return f"{before}{BEGIN}\n\n```\n{block}\n```\n\n{END}{after}"


if __name__ == "__main__":
    new = written(PAGE.read_text(encoding="utf-8"), said())
    with replacing(PAGE) as temporary:
        temporary.write_text(new, encoding="utf-8")
