"""Settings of the tools of several frameworks side by side, as in DiverGet's Table 8."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.settings.references import ProtocolId, ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, key
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import Published

PARTS = ("space", "constraint", "objective", "searcher")
ABSENT = "n/a"
"""Text for a setting that a tool does not have."""
Row = tuple[str, str]
"""Part and setting."""


class Settings(Published):
    """Settings of tools side by side, as the configuration resolves them."""

    frameworks: Annotated[dict[str, list[ToolId]], Field(min_length=1)]
    """Name of a framework -> its tools, a column each; one without tools has an empty column."""
    protocol: ProtocolId
    """Protocol under which the tools are compared."""
    published: str | None = None
    """File of the paper's words in workflow/published, shown beside ours in columns called published."""


needs = asks()
"""No files: the configuration holds everything."""


def states(settings: Settings, results: Results) -> dict[str, dict[str, Any]]:
    """Settings of the tools and of the protocol."""
    tools = [name for own in settings.frameworks.values() for name in own]
    return {"tools": results.stated("tools", tools), "protocols": results.stated("protocols", [settings.protocol])}


LEVEL = Column("published_level", "Level", "text", "Name of the row in the paper.", "published")
COLUMNS = (
    key("part", "Part", "Part of a tool, the tool itself, or the protocol of its searches.", "text"),
    key("setting", "Setting", "Of the part, name is the part itself.", "text"),
    LEVEL,
    SCALE,
)
"""After these keys a column for each tool; after the level one for what the paper says of each framework."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each setting, a column for each tool, or for a framework that has none; then rows of the paper alone.

    A setting that a tool does not have is ``n/a``, one that is switched off ``none``.
    """
    protocol = given.stated["protocols"][settings.protocol]
    of_tools = {name: _stated(tool, protocol) for name, tool in given.stated["tools"].items()}
    words = _words(given.published_file)
    shown = given.names(name for framework, own in settings.frameworks.items() for name in own or [framework])
    order = (*PARTS, "tool", "protocol")
    # Settings of all tools, those of a part together.
    every = dict.fromkeys(row for stated in of_tools.values() for row in stated)
    rows = list(dict.fromkeys([*sorted(every, key=lambda row: order.index(row[0])), *words]))
    records = [
        {
            "part": row[0],
            "setting": row[1],
            **{name: of_tools[name].get(row, ABSENT) if name in of_tools else "" for name in shown},
            **{f"published_{name}": text for name, text in words.get(row, {}).items()},
            "scale": given.scale,
        }
        for row in rows
    ]
    columns = (
        *COLUMNS[:2],
        *(Column(name, label, "text") for name, label in shown.items()),
        LEVEL,
        *(Column(f"published_{name}", name, "text", group="published") for name in settings.frameworks),
        SCALE,
    )
    return Table(
        frame(records, columns),
        columns,
        [
            f"Scale: {given.scale}. Run seeds: {protocol['run_seeds']}. Inputs: {protocol['inputs']} of each run seed.",
            f"Generated from the configuration. {ABSENT}: the tool has no such setting. A framework without a column "
            "of ours, or with an empty one, has no tool yet.",
        ],
    )


def _stated(tool: Mapping[str, Any], protocol: Mapping[str, Any]) -> dict[Row, str]:
    """Every setting of a tool under a protocol."""
    parts = {
        **{part: {"name": tool[part]["name"], **tool[part]["params"]} for part in PARTS},
        "tool": {name: tool[name] for name in ("engine", "calibration")},
        "protocol": protocol,
    }
    return {(part, name): _text(value) for part, own in parts.items() for name, value in own.items()}


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


def _words(published: Path | None) -> dict[Any, dict[Any, str]]:
    """The paper's words, by part and setting."""
    return (
        pd.read_csv(published, dtype=str, keep_default_na=False, index_col=["part", "setting"]).to_dict("index")
        if published
        else {}
    )
