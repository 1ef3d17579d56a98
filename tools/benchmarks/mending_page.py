"""The section of docs/mending.md on failing networks, from results/bench/mending.json.

``python -m tools.benchmarks.mending_page``, in a checkout in which ``python -m tools.bench mending`` has run.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.benchmarks.measured_rows import measured
from tools.documents.marked_section import Section

from quantrift.core.statistics.mended_networks import GIVEN, judged

PAGE = Path("docs") / "mending.md"
BEGIN = "<!-- python -m tools.bench mending writes from here -->"
RANDOM = "random "
"""Names of networks with layers in float by chance begin so."""
WRITTEN = ("mended", "quantized anew")
"""States of a mending that wrote a file."""
Row = Mapping[str, Any]


def text(rows: Sequence[Row]) -> str:
    """A table of all pairs, then one of each pair with the other orders."""
    lines = [
        "| pair | disagree before % | after % | units in float | kB before, after | MACs in 8 bits % | verdict after "
        "| CPU s |",
        "|---|---|---|---|---|---|---|---|",
        *map(_line, rows),
    ]
    for row in rows:
        lines += ["", *_pair(row)]
    return "\n".join(lines)


def _line(row: Row) -> str:
    networks = {one["network"]: one for one in row["fresh"]}
    before, after = networks[GIVEN], networks[judged(networks, row["state"] in WRITTEN)]
    sizes = f"{_kilobytes(before)}, {_kilobytes(after)}"
    units = f"{len(row['kept'])} of {row['units']}" if row["units"] else row["state"]
    cells = [row["about"], _rate(before), _rate(after), units, sizes, _share(after), row["verdict"]]
    return f"| {' | '.join(cells)} | {row['processor_seconds']:.0f} |"


def _pair(row: Row) -> Iterator[str]:
    split = row["split"]
    yield f"**{row['about'][0].upper()}{row['about'][1:]}.** {row['verdict_text'][0].upper()}{row['verdict_text'][1:]}."
    if row["kept"]:
        yield f"In float: {', '.join(f'`{name}`' for name in row['kept'])}."
    if row["floats"]:
        yield f"Never in 8 bits: {'; '.join(row['floats'])}."
    yield from (f"{note[0].upper()}{note[1:]}." for note in row["notes"])
    yield from _correlations(row)
    yield ""
    where = f"on {split['fresh']} fresh inputs and their changes"
    yield f"| {where} | units in float | kB | MACs in 8 bits % | disagree % |"
    yield "|---|---|---|---|---|"
    for one in row["fresh"]:
        if not one["network"].startswith(RANDOM):
            kept = "" if one["kept"] is None else one["kept"]
            yield f"| {one['network']} | {kept} | {_kilobytes(one)} | {_share(one)} | {_rate(one)} |"
    chance = [one for one in row["fresh"] if one["network"].startswith(RANDOM)]
    if chance:
        kept, sizes, rates = (
            _ends([one["kept"] for one in chance], "{:d}"),
            _ends([one["size"] / 1000 for one in chance], "{:.1f}"),
            _ends([100 * one["rate"]["value"] for one in chance], "{:.2f}"),
        )
        shares = _ends([100 * one["int8_mac_share"] for one in chance], "{:.1f}")
        yield f"| by chance, equal size, {len(chance)} orders | {kept} | {sizes} | {shares} | {rates} |"


def _correlations(row: Row) -> Iterator[str]:
    names = {"sqnr_db": "low SQNR", "added_sqnr_db": "a large error of its own"}
    known = [one for one in row["correlations"] if one["cost"] == "alone" and one["spearman"] is not None]
    if known:
        told = ", ".join(f"{one['spearman']:.2f} with {names[one['ratio']]}" for one in known)
        yield f"Disagreements of units in 8 bits alone correlate (Spearman) {told}."


def _rate(one: Row) -> str:
    value, low, high = (one["rate"][name] for name in ("value", "low", "high"))
    return f"{100 * value:.2f} ({100 * low:.2f} to {100 * high:.2f}), {one['events']} of {one['cases']}"


def _kilobytes(one: Row) -> str:
    return f"{one['size'] / 1000:.1f}"


def _share(one: Row) -> str:
    return "unknown" if one["int8_mac_share"] is None else f"{100 * one['int8_mac_share']:.1f}"


def _ends(values: Sequence[float], form: str) -> str:
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(text(measured(Path.cwd(), "mending")))
