"""Targets over settings of one tool: candidates to the first disagreement, and number of all of them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from quantrift.core.settings.references import ToolId
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import SearchTarget


class UncertaintyTarget(SearchTarget):
    """A target over settings of one tool, whose searches go on after the first disagreement."""

    settings: Annotated[dict[str, ToolId], Field(min_length=2)]
    """Short name of a setting -> the tool that has it; the others are compared with the first."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return list(self.settings.values())

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return tool in self.tools


def mistakes(settings: UncertaintyTarget, whole: Whole) -> Iterator[str]:
    """One line for each search under another protocol, with a targeted goal, or that ends at its first disagreement."""
    yield from protocol_checks.one_protocol(settings, whole)
    yield from protocol_checks.goal(settings, whole, targeted=False)
    for name in dict.fromkeys(whole.experiments[name].protocol for name in settings.experiments):
        if whole.protocols[name].first_attack:
            yield (
                f"from: searches under '{name}' end with their first disagreement, but this target counts all "
                "disagreements; name experiments without first_attack"
            )
