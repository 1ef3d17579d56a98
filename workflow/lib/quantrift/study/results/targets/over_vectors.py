"""Targets over the stored vectors of difference-inducing inputs."""

from typing import Annotated

from pydantic import Field

from quantrift.core.settings.references import ToolId
from quantrift.study.results.targets.target import SearchTarget


class VectorTarget(SearchTarget):
    """A target over the vectors that fitness functions lead to."""

    metaheuristics: Annotated[dict[str, dict[str, ToolId]], Field(min_length=1)]
    """Name of a metaheuristic -> name of a fitness function -> the tool that has both."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return [tool for fitness in self.metaheuristics.values() for tool in fitness.values()]

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return tool in self.tools
