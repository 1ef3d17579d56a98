"""Tables and the figure of the comparison of checkers: CSV files, Markdown, and a plot of the shares caught."""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.benchmarks.result import Result

from quantrift.core.base.files import replacing
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import STYLE, save
from quantrift.core.statistics.checker_figures import OfChecker, Row, Share, caught_by, planted, scores, summaries
from quantrift.study.league import checker as checks
from quantrift.study.results.figures.kinds import checker_shares
from quantrift.study.results.tables.kinds import checkers


def write(rows: Sequence[Row], folder: Path) -> Result:
    """Write ``checkers.csv``, ``checkers_by_fault.csv``, ``checkers_scores.csv``, ``checkers.md`` and the figure.

    Args:
        rows: of all pairs.
        folder: beside which they stand.
    """
    found = of_every_checker(rows)
    for name, lines in tables(rows, found).items():
        write_csv(folder.with_name(f"{name}.csv"), lines)
    with replacing(folder.with_suffix(".md")) as temporary:
        temporary.write_text(markdown(rows, found), encoding="utf-8")
    with mpl.rc_context(STYLE):
        save(figure(found), folder, forms=(".svg",))
    ours = max((one.broken.value or 0 for one in found if one.ours), default=0.0)
    others = max((one.broken.value or 0 for one in found if not one.ours), default=0.0)
    return Result(
        value=ours,
        unit="of the broken pairs, caught by the best of Quantrift's checkers",
        baseline="the best of the others",
        ratio=ours / others if others else 1.0,
        details={f"{one.name}_caught": one.broken.value or 0.0 for one in found if one.missing is None},
        rows=rows,
    )


def of_every_checker(rows: Sequence[Row]) -> list[OfChecker]:
    """Figures of every checker there is, from rows of pairs."""
    return summaries(rows, {name: checks.about(name) for name in checks.names()})


def tables(rows: Sequence[Row], found: Sequence[OfChecker]) -> Mapping[str, list[dict[str, Any]]]:
    """Lines of the CSV files, by name: of each checker, of each checker and fault, of each pair."""
    return {
        "checkers": [_line(one) for one in found],
        "checkers_by_fault": [
            {
                "checker": one.name,
                "fault": fault,
                "half_caught_at": half.strength,
                "at_most": half.at_most,
            }
            for one in found
            for fault, half in sorted(one.halves.items())
        ],
        "checkers_scores": [scores(row) for row in rows],
    }


def _line(one: OfChecker) -> dict[str, Any]:
    shares = {"broken": one.broken, "planted": one.planted, "harmless": one.harmless, "false_alarms": one.false}
    if one.layer is not None:
        shares["layer"] = one.layer
    line: dict[str, Any] = {"checker": one.name, "title": one.title, "missing": one.missing}
    for name in ("broken", "planted", "harmless", "false_alarms", "layer"):
        share = shares.get(name)
        low, high = (share.interval if share else None) or (None, None)
        line |= {
            f"{name}_share": share and share.value,
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_pairs": share and share.of,
        }
    # NaN is nothing that other programs read.
    line["ranked"] = None if math.isnan(one.ranked) else one.ranked
    return line | {"processor_seconds": one.seconds, "failed": one.failed}


def write_csv(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write lines that may lack columns; ``None`` is empty."""
    columns = list(dict.fromkeys(name for line in lines for name in line))
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def markdown(rows: Sequence[Row], found: Sequence[OfChecker]) -> str:
    """The tables for people, with the faults that only one checker catches."""
    return (
        "\n".join(
            [
                "\n\n".join(checkers.sentences(rows)),
                "",
                *_main(found),
                "",
                *_halves(rows, found),
                "",
                *_only(rows, found),
            ]
        )
        + "\n"
    )


def _main(found: Sequence[OfChecker]) -> Iterable[str]:
    yield (
        "| checker | faults ranked above good pairs % | broken pairs caught % | planted faults caught % | "
        "harmless faults that alarm % | false alarms % | layer named rightly % | processor seconds |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for one in found:
        if one.missing is not None:
            yield f"| {one.title} | {one.missing} |" + " |" * 6
            continue
        layer = "names none" if one.layer is None else str(one.layer)
        shares = (f"{share}{_of(share)}" for share in (one.broken, one.planted, one.harmless))
        layer += _of(one.layer)
        cells = [one.title, f"{100 * one.ranked:.0f}", *shares, str(one.false), layer, _seconds(one.seconds)]
        yield f"| {' | '.join(cells)} |"


def _seconds(seconds: float | None) -> str:
    return "not measured" if seconds is None else f"{seconds:.2g}"


def _of(share: Share | None) -> str:
    return f", of {share.of}" if share is not None and share.of else ""


def _halves(rows: Sequence[Row], found: Sequence[OfChecker]) -> Iterable[str]:
    faults = list(dict.fromkeys(row["fault"] for row in rows if planted(row)))
    yield f"| strength at which half is caught | {' | '.join(faults)} |"
    yield "|---" * (len(faults) + 1) + "|"
    strengths = [sorted({row["strength"] for row in rows if row["fault"] == fault}) for fault in faults]
    yield f"| *strengths* | {' | '.join(', '.join(f'{one:g}' for one in some) for some in strengths)} |"
    for one in found:
        if one.missing is None:
            yield f"| {one.title} | {' | '.join(str(one.halves.get(fault, 'no pair')) for fault in faults)} |"


def _only(rows: Sequence[Row], found: Sequence[OfChecker]) -> Iterable[str]:
    """Broken pairs that few checkers catch, and those that Quantrift's miss."""
    caught = caught_by(rows, found)
    yield "**Caught by one checker alone** (broken pairs):"
    yield from _listed(f"{_named(rows[number])}: {some[0].title}" for number, some in caught.items() if len(some) == 1)
    yield ""
    yield "**Caught by none**:"
    yield from _listed(_named(rows[number]) for number, some in caught.items() if not some)
    yield ""
    yield "**Caught by others, missed by all of Quantrift's**:"
    yield from _listed(
        f"{_named(rows[number])}: {', '.join(one.title for one in some)}"
        for number, some in caught.items()
        if some and not any(one.ours for one in some)
    )
    yield ""
    yield "**Caught by Quantrift's alone**:"
    yield from _listed(
        f"{_named(rows[number])}: {', '.join(one.title for one in some)}"
        for number, some in caught.items()
        if some and all(one.ours for one in some)
    )


def _listed(lines: Iterable[str]) -> Iterable[str]:
    some = list(lines)
    return ["", *(f"* {line}" for line in some)] if some else ["", "None."]


def _named(row: Row) -> str:
    return f"{row['network']}, .{row['format']}, {row['fault']} {row['strength']:g}"


def figure(found: Sequence[OfChecker]) -> mpl.Figure:
    """Shares of broken pairs and of all planted faults that each checker catches, with their intervals."""
    shown = [one for one in found if one.missing is None and one.broken.of]
    return checker_shares.drawn(
        [one.title for one in shown],
        {name: [_ends(getattr(one, name)) for one in shown] for name in checker_shares.SERIES},
    )


def _ends(share: Share) -> tuple[float, float, float]:
    return share.value or 0.0, *(share.interval or (0.0, 0.0))
