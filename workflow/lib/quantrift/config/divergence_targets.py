"""Settings of the table of what bits of weights do to divergence and to accuracy, clean and attacked, at once."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id
from quantrift.config.target import Target


class DivergenceTable(Target):
    """What tools find in compressed networks, beside the accuracy of these as it is and under attack."""

    kind: Literal["divergence"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches and subjects are shown."""
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""
