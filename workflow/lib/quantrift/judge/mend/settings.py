"""Settings of a mending."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.profiles import BUNDLED
from quantrift.judge.verdict.profiles import Settings as Assessed

Weights = Literal["as-given", "channel", "tensor"]
"""Scales of weights: as the compressed file has them, one for each output channel, or one for each tensor."""
Rest = Literal["float", "16-bit"]
"""Numbers of the units that are kept from 8 bits."""
RESTS: Mapping[Rest, str] = {"float": "float", "16-bit": "16 bits"}
"""The same -> in words."""
WEIGHTS: tuple[Weights, ...] = ("as-given", "channel", "tensor")


@dataclass(frozen=True)
class Settings(Assessed):
    """Settings that a user may choose: those of the assessment on fresh inputs, and of the choice of layers.

    The mended network must keep the limits, as in an assessment; one on SR is held on fresh inputs alone.
    """

    margin: float = 0.0
    """Share by which each limit is tighter while layers are chosen: what is best there looks better than it is."""
    seed: int = 0
    """Of the split of the inputs and of random orders."""
    weights: Weights = "as-given"
    rest: Rest = "float"
    changes: int = BUNDLED
    """Natural changes drawn of each selection input, valid or not."""
    compare: bool = True
    """Whether the orders by SQNR, by the margin law and by chance are tried too."""

    @property
    def tightened(self) -> Limits:
        """The limits by which layers are chosen."""
        return Limits(
            **{name: None if one is None else one * (1 - self.margin) for name, one in asdict(self.limits).items()}
        )
