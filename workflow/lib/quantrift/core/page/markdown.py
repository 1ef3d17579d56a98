"""Markdown that shows text literally: names of tools, datasets and classes may hold any character."""

import re
from collections.abc import Iterable, Mapping, Sequence

_PAIRED = "*`~$"
"""Mark text only where there are two of them; a single one is left."""
_INLINE = re.compile(
    r"[\\|]"
    # Between letters or digits an underscore marks nothing.
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w+;)"
    r"|(?<=\])[(\[]"
    # Signs that look like the end of a heading would be dropped.
    r"|(?<!\S)#(?=#*$)"
)
_BLOCK = re.compile(r"^(?:[*#>+=\[-]|\d{1,9}(?=[.)](?:\s|$)))")
"""Beginnings of lines that are no paragraph, or of definitions of links."""


def document(title: str, header: Sequence[str], parts: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """A title, lines, and tables.

    Args:
        title: heading of the document.
        header: paragraphs below it.
        parts: heading, which may be empty -> headings of the columns, then rows; one without rows is left out.
    """
    lines = [f"# {inline(title)}", ""]
    for stated in header:
        lines += [line(stated), ""]
    for heading, (heads, *rows) in parts.items():
        if heading and not rows:
            continue
        lines += [f"## {inline(heading)}", ""] if heading else []
        lines += [table(map(inline, heads), (map(inline, cells) for cells in rows)), ""]
    return "\n".join(lines[:-1]) + "\n"


def line(text: str) -> str:
    """``text`` in one line, as a paragraph, a heading or a part of one."""
    shown = inline(text)
    start = _BLOCK.match(shown)
    if start is None:
        return shown
    # A number is no list once its dot is taken literally; any other sign itself is.
    return f"{start[0]}\\{shown[start.end() :]}" if start[0].isdigit() else f"\\{shown}"


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table of cells that are Markdown already, and hold no bare ``|``."""
    heads = [*heads]
    lines = (f"| {' | '.join(map(str, cells))} |" for cells in (heads, *rows))
    return "\n".join([next(lines), f"|{'---|' * len(heads)}", *lines])


def inline(text: str) -> str:
    """``text`` in one line, with a backslash before each character that Markdown would read as a mark."""
    flat = " ".join(part.strip() for part in re.split(r"[\r\n]+", text)).strip()
    flat = _INLINE.sub(r"\\\g<0>", flat)
    for mark in _PAIRED:
        if flat.count(mark) > 1:
            flat = flat.replace(mark, f"\\{mark}")
    return flat
