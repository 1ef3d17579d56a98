"""The board as a page has it, from rows that are kept as files: ours, and others that anyone may add."""

from collections.abc import Iterator
from pathlib import Path

from quantrift.core.base.files import read_json, write_file
from quantrift.core.page.markdown import inline, table
from quantrift.core.page.number_format import percent, shown
from quantrift.judge.verdict.tool_result import Rate
from quantrift.study.board.row import ROW, TIMING, Row, read
from quantrift.study.planning.configuration_files import ROOT

KEPT = ROOT / "docs/measured/board"
HEAD = (
    *("network", "published by", "verdict", "as given %", "drop %", "natural changes %", "search %", "foretold %"),
    *("worst layer", "MACs in 8 bits %", "findings", "certified %", "size", "mended %", "mended size", "processor s"),
)


def keep(run: Path = Path("results/sample/board")) -> None:
    """Keep the rows of a run, each in a folder of its own, in place of the kept ones of the same pairs."""
    for row in sorted(run.glob(f"*/{ROW}")):
        for file in (row, row.with_name(TIMING)):
            write_file(KEPT / row.parent.name / file.name, file.read_bytes())


def rows() -> list[Row]:
    """All kept rows, by the names of their pairs."""
    return [read(path.parent) for path in sorted(KEPT.glob(f"*/{ROW}"))]


def text() -> str:
    """The table, and a table of its empty cells with the reasons."""
    lines = rows()
    return "\n\n".join(
        (
            table(HEAD, map(_cells, lines)),
            "This table says why a cell of the board is empty.",
            table(("network", "empty column", "reason"), _unknown(lines)),
        )
    )


def _cells(row: Row) -> list[str]:
    timing = KEPT / row.pair / TIMING
    seconds = f"{read_json(timing)['seconds']:.0f}" if timing.is_file() else ""
    rates = (row.disagreement, row.drop, row.changed, row.searched, row.foretold)
    return [
        *(inline(row.title), inline(row.source), f"**{row.verdict}**", *map(_rate, rates)),
        "" if row.sqnr_db is None else f"{inline(row.layer)}, {row.sqnr_db:.0f} dB",
        *(percent(row.int8_mac_share), "" if row.findings is None else str(row.findings), _rate(row.certified)),
        *(
            "" if row.size is None else shown(row.size, "bytes"),
            _rate(row.mended_rate) or row.mended,
            "" if row.mended_size is None else shown(row.mended_size, "bytes"),
            seconds,
        ),
    ]


def _rate(rate: Rate) -> str:
    # What the margin law foretells may have more zeros than anyone counts.
    value, low, high = (percent(end and round(end, 8)) for end in (rate.value, rate.low, rate.high))
    return value + (f" ({low} to {high})" if low and high else "")


def _unknown(lines: list[Row]) -> Iterator[list[str]]:
    for row in lines:
        for name, reason in row.reasons.items():
            yield [inline(row.title), name, inline(reason)]
