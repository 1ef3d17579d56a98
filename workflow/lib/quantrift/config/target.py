"""What all targets state."""

from pydantic import Field

from quantrift.config.base import Id, Strict


class Pair(Strict):
    """A network and one compression of it."""

    model: Id
    compression: Id


class Target(Strict):
    """A table or figure that one can ask for by name."""

    title: str
    """Heading in the report."""
    caption: str = ""
    """What the reader sees and how it was computed, a few sentences."""
    source: str = ""
    """Table or figure of a paper that this one rebuilds."""

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether it needs the searches of a tool under a protocol, where its experiments have them."""
        tools = getattr(self, "tools", None)
        return tools is None or tool in tools

    def covers(self, model: str, compression: str) -> bool:
        """Whether it shows a compressed network, where its experiments have it."""
        pairs = getattr(self, "pairs", None)
        return pairs is None or Pair(model=model, compression=compression) in pairs


class SubjectTarget(Target):
    """What targets over networks or compressed models state."""

    subjects: list[Id] | None = None
    """Groups of subjects; all that the targets of ``all`` use where it is not given."""


class ToolTarget(Target):
    """What targets state beside whose tools the papers' numbers of single tools stand."""

    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours where it is said that they are its."""
    published_as: dict[Id, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that is not its own id."""
