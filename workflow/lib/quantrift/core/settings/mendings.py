"""Settings of mendings: compressed networks of the workflow, quantized anew with layers in float."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.settings.fields import Fraction, Strict


class MendingSettings(Strict):
    """Settings of the mending of compressed networks (``quantrift mend``)."""

    inputs: Annotated[int, Field(ge=10)] = 1000
    """Test inputs, drawn without repetition; all where there are fewer. A fifth, 200 at most, is for calibration, the
    rest in halves for the choice of layers and for the verdict."""
    max_disagreement: Fraction = 0.05
    """Limit on the share of inputs as given with another label than the original's."""
    max_accuracy_drop: Fraction = 0.03
    """Limit on the loss of accuracy."""
    max_dir: Fraction = 0.05
    """Limit on the share of natural changes on which the networks disagree."""
    margin: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share by which each limit is tighter while layers are chosen."""
    changes: Annotated[int, Field(ge=1)] = 20
    """Natural changes drawn of each input by which layers are chosen."""
    compare: bool = True
    """Whether the orders by SQNR and by chance are tried too."""
    profile: Literal["quick", "thorough"] = "quick"
    """Of the assessment that gives the verdict."""
    seeds: Annotated[int, Field(ge=1)] | None = None
    """Seed inputs of its searches, in place of the profile's number."""
    generations: Annotated[int, Field(ge=1)] | None = None
    """Its generations, likewise."""
    seed: int = 0
    """Seed of the draw of inputs, of their split, and of random orders."""
