"""Page of a board, ``board.html``, with ``board.csv``, ``board.json`` and ``board.timing.csv`` beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.page.field_columns import cells, columns_of, write_csv
from quantrift.core.page.provenance import processor
from quantrift.core.page.results_page import Section, render
from quantrift.core.statistics.column import Column, key
from quantrift.judge.verdict import assessment
from quantrift.judge.verdict.assessment_page import gallery
from quantrift.study.board.row import ASSESSMENT, TIMING, Row

INTRO = (
    "Each row is a network that people use and a compressed version of it, judged in the same way. As given: share of "
    "the inputs, without any change, on which the two disagree. Natural changes: share of the valid natural changes of "
    "these inputs, drawn at random. Search: share of the inputs from which a search reaches a disagreement by such "
    "changes. A network passes if it is shown to keep every limit. Each pair has a report of its own, "
    f"PAIR/{ASSESSMENT}/{assessment.REPORT}.",
)
READING = "Intervals, in brackets, are 95 %. A dash marks what is unknown; the last section says why."
TIMES = (
    key("pair", "Pair"),
    Column("seconds", "Processor", "seconds", "All that was computed for the row."),
    *(
        Column(name, f"{name.capitalize()}, ms", meaning="For one input.")
        for name in ("original", "as given", "mended")
    ),
)
"""Of ``board.timing.csv``, which differs from run to run."""


def write(title: str, rows: Sequence[Row], folder: Path) -> None:
    """Write the page and the files beside it to ``folder``, which holds a folder for each pair.

    Args:
        title: of the board.
        rows: of all pairs.
        folder: of the board.
    """
    write_json(folder / "board.json", {"title": title, "rows": [asdict(row) for row in rows]})
    columns = columns_of(Row)
    table = write_csv(folder / "board.csv", columns, map(cells, rows))
    times = [{"pair": row.pair, **_times(folder / row.pair / TIMING)} for row in rows]
    write_csv(folder / "board.timing.csv", TIMES, times)
    why = tuple(f"{row.pair}: {name}: {reason}" for row in rows for name, reason in row.reasons.items())
    with temporary_folder() as room:
        section = Section(
            "board",
            "All pairs",
            table_csv=table,
            columns=columns,
        )
        render(
            title,
            "",
            INTRO,
            [section, *_pictures(rows, folder, Path(room)), Section("reasons", "What is unknown, and why", items=why)],
            {
                "versions": next((row.versions for row in rows if row.versions), {}),
                "processor": processor(Path("/proc/cpuinfo")),
                "sha256": {f"{row.pair}: {name}": digest for row in rows for name, digest in row.sha256.items()},
            },
            folder / "board.html",
            lead=", ".join(
                f"{count} {verdict}" for verdict, count in Counter(row.verdict for row in rows).most_common()
            ),
            chip=f"{len(rows)} pairs",
            reading=READING,
        )


def _times(path: Path) -> Mapping[str, float]:
    """Processor seconds of a row, and milliseconds for one input, as far as they were measured."""
    if not path.is_file():
        return {}
    found = read_json(path)
    return {"seconds": found["seconds"], **{name: 1000 * one for name, one in found["latency"].items()}}


def _pictures(rows: Sequence[Row], folder: Path, room: Path) -> Iterator[Section]:
    """Inputs on which the networks of a pair disagree, where any were found."""
    for row in rows:
        own = folder / row.pair / ASSESSMENT
        if not (own / assessment.FILE).is_file():
            continue
        found = assessment.read(own)
        stem = room / row.pair
        gallery(found.candidates[0], own, found.task.labels, stem)
        if stem.with_suffix(".svg").is_file():
            yield Section(
                f"{row.pair}_inputs", row.title, "Inputs found, and both answers.", figure_svg=stem.with_suffix(".svg")
            )
