"""Groups of tools, whose medians are averaged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from quantrift.config.fields import Strict
from quantrift.config.references import ProtocolId, ToolId


class ToolGroup(Strict):
    """Tools whose medians are averaged."""

    tools: list[ToolId]
    """Without any, the group has cells of the papers alone."""
    protocol: ProtocolId | None = None
    """Under which they searched; needed where the experiments have a tool under several."""


def _tools_alone(value: Any) -> Any:
    return {"tools": value} if isinstance(value, list) else value


ToolsOrGroup = Annotated[ToolGroup, BeforeValidator(_tools_alone)]
"""A group; one that states no protocol may be stated as the list of its tools."""


def group_names(groups: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> dict[str, str]:
    """What people read for each group of tools: the tool where it is one that no other group has, else the group's id.

    Ids of groups name columns of published files, and may be those of other tools.
    """
    only = {name: tools[0] for name, tools in groups.items() if len(tools) == 1}
    counts = Counter(only.values())
    return {name: titles.get(only[name], only[name]) if counts[only.get(name, "")] == 1 else name for name in groups}
