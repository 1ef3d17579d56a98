"""Run of a board of somebody's own pairs: each is judged once, then all stand on one page."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.study.board import page
from quantrift.study.board.files import files
from quantrift.study.board.pair import load
from quantrift.study.board.row import NOT_RUN, ROW, Row, read, write
from quantrift.study.datasets.official import Places


def board(path: Path, out: Path, places: Places, announce: Callable[[str], None] = lambda _: None) -> Sequence[Row]:
    """Judge the pairs of a board and write its page.

    A pair whose files are those of its row is not judged again. A pair that cannot be judged has a row that says why.

    Args:
        path: .yaml (``quantrift.study.board.pair.Board``).
        out: folder: ``board.html``, ``board.json``, ``board.csv``, and a folder for each pair.
        places: where files with digests may come from.
        announce: is told what comes next.

    Raises:
        QuantriftError: the board's file is wrong.
    """
    stated, rows = load(path), list[Row]()
    for name, pair in stated.pairs.items():
        announce(f"{name}: {pair.title}")
        with temporary_folder() as room:
            try:
                found = files(pair, path.parent, places, Path(room))
                digests = {one: sha256(file) for one, file in found._asdict().items() if isinstance(file, Path)}
                row = read(out / name) if (out / name / ROW).is_file() else None
                if row is None or row.sha256 != digests:
                    shutil.rmtree(out / name, ignore_errors=True)
                    row = write(name, pair, found, out / name)
            except QuantriftError as error:
                row = Row(name, pair.title, NOT_RUN, reasons={"verdict": str(error)})
        rows.append(row)
    page.write(stated.title, rows, out)
    return rows
