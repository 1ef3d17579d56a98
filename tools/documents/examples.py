"""Commands that pages state, and their output, by running them."""

import shlex
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake import example
from quantrift.study.planning.configuration_files import ROOT

WIDTH = 118


@dataclass(frozen=True)
class Example:
    """A command that a page states."""

    page: Path
    name: str
    """Of the command."""
    code: int
    """Exit code that it ends with."""

    def command(self) -> list[str]:
        """Words of the command as the page states it.

        Raises:
            QuantriftError: if the page has no such command.
        """
        _, found, rest = self.page.read_text(encoding="utf-8").partition(f"quantrift {self.name} ")
        stated, end, _ = rest.partition("\n```")
        if not found or not end:
            raise QuantriftError(f"{self.page}: has no block with 'quantrift {self.name}'; put it back")
        return [self.name, *shlex.split(stated.replace("\\\n", " ").replace("$PAIR", str(example.FOLDER)))]

    def said(self, folder: Path) -> list[str]:
        """Lines that the command writes, run in a folder, without those on assumptions.

        Raises:
            QuantriftError: if it ends otherwise than with its exit code.
        """
        words = [sys.executable, "-m", "quantrift.cli.main", *self.command()]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != self.code:
            raise QuantriftError(f"the example of {self.page} ended with {done.returncode}: {done.stderr}")
        return done.stdout.splitlines()

    def block(self) -> str:
        """Lines of output as a page shows them, each wrapped."""
        with tempfile.TemporaryDirectory() as folder:
            lines = self.said(Path(folder))
        block = "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=" " * 9) for line in lines)
        return f"```\n{block}\n```"


TUTORIAL = Example(ROOT / "docs" / "tutorial_verdict.md", "assess", code=0)
CERTIFYING = Example(ROOT / "docs" / "certifying.md", "certify", code=1)
