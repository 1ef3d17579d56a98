"""Commands that pages state, and their output, by running them."""

import re
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
        """Words of the command as the page states it, for the example pair.

        Raises:
            QuantriftError: if the page has no such command.
        """
        _, found, rest = self._page()
        stated, end, _ = rest.partition("\n```")
        if not found or not end:
            raise QuantriftError(f"{self.page}: has no block with 'quantrift {self.name}' and $PAIR; put it back")
        return shlex.split((found + stated).replace("\\\n", " ").replace("$PAIR", str(example.FOLDER)))[1:]

    def said(self, folder: Path) -> list[str]:
        """Lines that the command writes, run in a folder, after the page's Python blocks that stand before it.

        Raises:
            QuantriftError: if it ends otherwise than with its exit code.
        """
        for code in re.findall(r"```python\n(.*?)```", self._page()[0], re.DOTALL):
            subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
        done = subprocess.run(
            [sys.executable, "-m", "quantrift.cli.main", *self.command()],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != self.code:
            raise QuantriftError(f"the example of {self.page} ended with {done.returncode}: {done.stderr}")
        return done.stdout.splitlines()

    def block(self, left_out: tuple[str, ...] = ()) -> str:
        """Lines of output as a page shows them, each wrapped, without those that start with a name that is left out."""
        # A number stays on the line of its percent sign.
        with tempfile.TemporaryDirectory() as folder:
            wrapped = [
                textwrap.fill(line.replace(" %", "\u00a0%"), WIDTH, subsequent_indent=" " * 13)
                for line in self.said(Path(folder))
                if not line.startswith(left_out)
            ]
        return "\n".join(["```", *wrapped, "```"]).replace("\u00a0%", " %")

    def _page(self) -> tuple[str, str, str]:
        """The page's text before the command on the example pair, how the command begins, and the text after that."""
        return self.page.read_text(encoding="utf-8").partition(f"quantrift {self.name} --original $PAIR")


TUTORIAL = Example(ROOT / "docs" / "tutorial_verdict.md", "assess", code=0)
CERTIFYING = Example(ROOT / "docs" / "certifying.md", "certify", code=1)
MENDING = Example(ROOT / "docs" / "mending.md", "mend", code=0)
