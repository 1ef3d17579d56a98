"""CSV files made harmless for spreadsheets: no cell runs as a formula."""

import csv
import io
import re

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
_FORMULA = re.compile("(^|[;\t\r\n])(?=[=+\\-@\t\r\n\uff0b\uff0d\uff1d\uff20])")
"""Where a spreadsheet may begin to read a formula: at the start of a cell, or behind what it takes for its end."""


def harmless(content: bytes) -> bytes:
    """Put an apostrophe before every cell of a CSV file, UTF-8, that a spreadsheet would take for a formula.

    Spreadsheets run a cell that begins with an equals sign, a plus, a minus or an at sign, in full width too, or with
    one of these behind a tab or a line end; where the semicolon divides cells, also behind a semicolon. Names of
    tools, datasets and classes are free text, so a name could run a command at whoever opens the file. Numbers stay
    as they are. A file without such cells stays the same bytes.
    """
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
    shown = [[cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1'", cell) for cell in row] for row in rows]
    if shown == rows:
        return content
    written = io.StringIO(newline="")
    csv.writer(written).writerows(shown)
    return written.getvalue().encode("utf-8")
