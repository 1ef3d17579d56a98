"""Update of the outputs of examples in README.md and docs/certifying.md, by running them:
``python -m tools.documents.readme_example``.
"""

import shlex
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from tools.documents.marked_section import Section

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake import example
from quantrift.study.planning.configuration_files import ROOT

BEGIN = "<!-- make readme writes from here -->"
WIDTH = 118
ASSUMED = "assumed"
"""First word of a line about assumptions on files. The pages leave these lines out."""


@dataclass(frozen=True)
class Example:
    """A command that a page states, and the section that shows what it writes."""

    section: Section
    name: str
    """Of the command."""
    code: int
    """Exit code that it ends with."""

    def command(self) -> list[str]:
        """Words of the command as the page states it.

        Raises:
            QuantriftError: if the page has no such command.
        """
        _, found, rest = self.section.page.read_text(encoding="utf-8").partition(f"quantrift {self.name} ")
        stated, end, _ = rest.partition("\n```")
        if not found or not end:
            raise QuantriftError(f"{self.section.page}: has no block with 'quantrift {self.name}'; put it back")
        return [self.name, *shlex.split(stated.replace("\\\n", " ").replace("$PAIR", str(example.FOLDER)))]

    def said(self, folder: Path) -> list[str]:
        """Lines that the command writes, run in a folder, without those on assumptions.

        Raises:
            QuantriftError: if it ends otherwise than with its exit code.
        """
        words = [sys.executable, "-m", "quantrift.cli.main", *self.command()]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != self.code:
            raise QuantriftError(f"the example of {self.section.page} ended with {done.returncode}: {done.stderr}")
        return [line for line in done.stdout.splitlines() if not line.startswith(ASSUMED)]


README = Example(Section(ROOT / "README.md", BEGIN), "assess", code=0)
CERTIFYING = Example(Section(ROOT / "docs" / "certifying.md", BEGIN), "certify", code=1)


def part(lines: list[str]) -> str:
    """Lines of output as a page shows them, each wrapped."""
    block = "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=" " * 9) for line in lines)
    return f"```\n{block}\n```"


if __name__ == "__main__":
    for one in (README, CERTIFYING):
        with tempfile.TemporaryDirectory() as folder:
            one.section.write(part(one.said(Path(folder))))
