"""Jobs of the workflow for its board: a row for each pair, and the page of all rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.study.board import page
from quantrift.study.board.files import Made, files
from quantrift.study.board.pair import Pair
from quantrift.study.board.row import read, write
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.official import Places


def judge(name: str, pair: Pair, config: Mapping[str, Any], made: Sequence[Path], out: Path) -> None:
    """Write the row of a pair, and what it rests on, to a folder.

    Args:
        name: of the pair.
        pair: as the board states it.
        config: Snakemake's, which tells where official files may lie.
        made: original, compressed network and inputs of a pair of the workflow; nothing of others.
        out: folder of the pair.

    Raises:
        QuantriftError: a file cannot be had, or is none of a network.
    """
    with temporary_folder() as room:
        found = files(pair, Path(), Places.of(of_job(config)), Path(room), Made(*made) if made else None)
        write(name, pair, found, out)


def collect(title: str, pairs: Sequence[str], folder: Path) -> None:
    """Write the page of all pairs from the folders with their rows."""
    page.write(title, [read(folder / name) for name in pairs], folder)
