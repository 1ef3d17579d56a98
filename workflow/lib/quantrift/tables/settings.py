"""Kind ``settings``: what the tools of some frameworks consist of, as in DiverGet's Table 8."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.targets import SettingsTable
from quantrift.metrics.given import Given
from quantrift.tables.write import Table, View, write

PARTS = ("space", "constraint", "objective", "searcher")
OF_TOOL = ("engine", "calibration")
ABSENT = "n/a"
"""Of a setting that a tool does not have."""
Row = tuple[str, str]
"""Part and setting."""


def make(
    target: SettingsTable,
    tools: Mapping[str, Mapping[str, Any]],
    protocol: Mapping[str, Any],
    given: Given,
    out_stem: Path,
) -> None:
    """Write the table: a row for each setting, a column for each tool.

    CSV columns: ``part`` (a kind of part, ``tool`` or ``protocol``), ``setting`` (``name`` is the part itself), one
    for each tool, or one with the name of a framework that has none; ``published_level``, the paper's heading of the
    row, and ``published_<framework>``, its words; ``scale``. A setting that a tool does not have is ``n/a``, one
    that is switched off ``none``. Rows that only the paper has follow.

    Args:
        target: the frameworks, their tools and the protocol.
        tools: tool -> its resolved settings.
        protocol: resolved settings of the protocol.
        given: what every kind of table is made from; its published file of the paper's words by ``part`` and
            ``setting``: ``level``, and a column for each framework.
        out_stem: path without suffix.
    """
    of_tools = {name: _stated(settings, protocol) for name, settings in tools.items()}
    words = _words(given.published_file)
    columns = [name for framework, own in target.frameworks.items() for name in own or [framework]]
    rows = _rows(of_tools.values())
    rows += [row for row in words if row not in rows]
    headings = ["level", *target.frameworks]
    records = []
    for row in rows:
        own = {name: of_tools[name].get(row, ABSENT) if name in of_tools else "" for name in columns}
        beside = {f"published_{name}": words.get(row, {}).get(name, "") for name in headings}
        records.append({"part": row[0], "setting": row[1], **own, **beside, "scale": given.scale})
    data = pd.DataFrame(
        records, columns=["part", "setting", *columns, *(f"published_{name}" for name in headings), "scale"]
    )
    cells = {"part": data["part"], "setting": data["setting"]}
    cells |= {shown: data[name] for name, shown in given.names(columns).items()}
    cells |= {f"published {name}": data[f"published_{name}"] for name in headings}
    header = [target.caption] if target.caption else []
    header += [
        f"Scale: {given.scale}. Run seeds: {protocol['run_seeds']}. Inputs: {protocol['inputs']} of each run seed.",
        f"Generated from the configuration. {ABSENT}: the tool has no such setting; an empty column has no tool yet.",
    ]
    files = given.published_files
    view = View.of("Settings", cells)
    write(Table(target.title, header, data, [view], files=files), out_stem, given.provenance)


def _stated(tool: Mapping[str, Any], protocol: Mapping[str, Any]) -> dict[Row, str]:
    """Every setting of a tool under a protocol."""
    found: dict[Row, str] = {}
    for part in PARTS:
        found[part, "name"] = tool[part]["name"]
        found |= {(part, name): _text(value) for name, value in tool[part]["params"].items()}
    found |= {("tool", name): _text(tool[name]) for name in OF_TOOL}
    return found | {("protocol", name): _text(value) for name, value in protocol.items()}


def _rows(of_tools: Iterable[Mapping[Row, str]]) -> list[Row]:
    """Settings of all tools, those of a part together, each once."""
    every = list(dict.fromkeys(row for stated in of_tools for row in stated))
    order = (*PARTS, "tool", "protocol")
    return sorted(every, key=lambda row: order.index(row[0]))


def _text(value: Any) -> str:
    """A setting as YAML would state it, without brackets."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(item)}" for name, item in value.items()) or "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _words(published: Path | None) -> dict[Row, dict[str, str]]:
    """What the paper says, by part and setting."""
    if published is None:
        return {}
    table = pd.read_csv(published, dtype=str, keep_default_na=False)
    rows = table.drop(columns=["part", "setting"]).to_dict("records")
    keys = zip(table["part"], table["setting"], strict=True)
    return {key: {str(name): words for name, words in row.items()} for key, row in zip(keys, rows, strict=True)}
