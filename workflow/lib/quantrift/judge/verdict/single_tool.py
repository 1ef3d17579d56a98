"""Plan of a search by one tool: one that an assessment has, or parts that are given."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from quantrift.core.base.errors import QuantriftError, first_mistake, nearest
from quantrift.core.base.inputs import Inputs
from quantrift.core.search.run import Budget
from quantrift.core.settings.searches import Tool
from quantrift.judge.verdict.profiles import NATURAL, SPACES, TOOLS, Plan, Planned, Settings, plan
from quantrift.judge.verdict.tool_result import Kind


def planned_by(
    tool: str | Mapping[str, Any] | None, data: Inputs, seeds: int, generations: int, keep: int
) -> tuple[Planned, Plan]:
    """A tool with its budget, and a plan of it alone.

    Args:
        tool: id of a tool of an assessment, parts as in config/tools.yaml, or ``None`` for PSO over natural changes.
        data: inputs.
        seeds: seed inputs at most.
        generations: of each search; of noise ten times as many candidates, one by one.
        keep: disagreements of each search that are stored.

    Raises:
        QuantriftError: there is no such tool or part, or the tool is not made for such inputs.
    """
    if isinstance(tool, str) and tool not in TOOLS:
        raise QuantriftError(f"there is no tool '{tool}'; {nearest(tool, TOOLS)}")
    space = next((space for space, tools in NATURAL.items() if tool in tools), None)
    whole = plan(Settings(space=space), data)
    size = replace(whole.size, seeds=seeds, generations=generations, vectors=keep)
    if isinstance(tool, Mapping):
        try:
            parts = Tool.model_validate({"title": "given tool", **tool})
        except ValidationError as error:
            raise QuantriftError(f"tool: {first_mistake(error)}") from None
        kind: Kind = "natural" if parts.space.name in SPACES else "noise"
        settings = parts.model_dump(mode="json", exclude={"title"})
        like = next(one for one in whole.tools if not one.samples)
        planned = replace(like, id="given", title=str(parts.title), kind=kind, settings=settings, calibration=None)
    else:
        default = NATURAL[whole.space][-1]
        offered = {one.id: one for one in whole.tools}
        if (tool or default) not in offered:
            raise QuantriftError(f"{tool}: {'; '.join(whole.notes)}; take {' or '.join(offered)}")
        planned = offered[tool or default]
    first = planned.budget.stop.first_attack
    budget = (
        replace(planned.budget, generations=10 * generations, evaluations=10 * generations)
        if first
        else Budget(generations=generations)
    )
    vectors: str | dict[str, int] = planned.vectors if first else {"sample": keep}
    planned = replace(planned, budget=budget, vectors=vectors, seeds=seeds)
    return planned, replace(whole, size=size, tools=[planned])
