"""Groups of tools, whose medians are averaged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import ProtocolId, ToolId


class ToolGroup(Strict):
    """Tools whose medians are averaged."""

    tools: list[ToolId]
    """Ids of its tools; without any, the group has published cells alone."""
    protocol: ProtocolId | None = None
    """Protocol of their searches; needed where the experiments have a tool under several."""


def _tools_alone(value: Any) -> Any:
    return {"tools": value} if isinstance(value, list) else value


ToolsOrGroup = Annotated[ToolGroup, BeforeValidator(_tools_alone)]
"""A group; one that states no protocol may be stated as the list of its tools."""


def group_names(groups: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> dict[str, str]:
    """Name of each group for people: that of its tool where the group is one tool of no other group, else its id.

    Ids of groups name columns of published files, and may be those of other tools.
    """
    only = {name: tools[0] for name, tools in groups.items() if len(tools) == 1}
    counts = Counter(only.values())
    return {name: titles.get(only[name], only[name]) if counts[only.get(name, "")] == 1 else name for name in groups}
