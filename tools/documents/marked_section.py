"""Sections of documents between two marks, written by commands."""

from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing


@dataclass(frozen=True)
class Section:
    """One section of a page; the marks are comments that stand alone on a line."""

    page: Path
    begin: str
    end: str = "<!-- to here -->"

    def replaced(self, text: str, part: str) -> str:
        """The page ``text`` with ``part`` between the marks.

        Raises:
            QuantriftError: if a mark is missing.
        """
        before, begin, rest = text.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not begin or not end:
            raise QuantriftError(f"{self.page}: lacks the line '{self.end if begin else self.begin}'; put it back")
        return f"{before}{self.begin}\n\n{part.strip()}\n\n{self.end}{after}"

    def with_part(self, part: str) -> str:
        """The page as it is, with ``part`` between the marks."""
        return self.replaced(self.page.read_text(encoding="utf-8"), part)

    def write(self, part: str) -> None:
        """Write the page with ``part`` between the marks."""
        new = self.with_part(part)
        with replacing(self.page) as temporary:
            temporary.write_text(new, encoding="utf-8")
