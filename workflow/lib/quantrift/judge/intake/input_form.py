"""A user's options on inputs and outputs: order of axes, scale, kind of the inputs, how outputs are taken."""

from collections.abc import Mapping
from dataclasses import dataclass

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.axis_order import Layout
from quantrift.core.networks.graphs.input_sides import Kind

UNIT = (0.0, 1.0)
"""Range on which mean and standard deviation are counted unless one is given."""
KINDS: Mapping[str, Kind] = {
    "image_distortions": "image",
    "image_corruptions": "image",
    "hsi_distortions": "image",
    "signal_distortions": "signal",
    "spectrogram_distortions": "signal",
    "table_distortions": "table",
}
"""Spaces of natural changes that ``--space`` names -> the inputs that each is made for."""


@dataclass(frozen=True)
class InputForm:
    """Options on inputs; ``None`` leaves a choice to the files."""

    layout: Layout | None = None
    """Layout of networks whose files do not tell it."""
    range: tuple[float, float] | None = None
    """Values of the bytes 0 and 255, before mean and standard deviation; or the range of other numbers."""
    mean: tuple[float, ...] | None = None
    """Mean of each channel, or of all; subtracted from scaled bytes."""
    std: tuple[float, ...] | None = None
    """Standard deviation of each channel, or of all; the difference is divided by it."""
    space: str | None = None
    """Natural distortions that were asked for; they tell of what kind inputs are whose shape does not."""
    categories: tuple[tuple[int, ...], ...] | None = None
    """Categories of a table, by the numbers of their columns: one, or several that belong together, as one-hot columns
    do; ``None`` tells them from the data."""
    change: str | None = None
    """Name of the input that searches change, of networks with several; the others are carried along with it."""
    outputs: tuple[str, ...] = ()
    """Names of the outputs that are compared, of networks with several; all of them where none is named. For labels,
    one."""
    values: bool = False
    """Whether the values of all outputs are taken as they are, for a task; logits otherwise."""

    def __post_init__(self) -> None:
        """Refuse options that fit no inputs.

        Raises:
            QuantriftError: one line that names the option.
        """
        if self.range is not None and not self.range[0] < self.range[1]:
            raise QuantriftError(f"--range is {self.range[0]:g} to {self.range[1]:g}; give the lower end first")
        if (self.mean is None) != (self.std is None):
            raise QuantriftError("--mean and --std belong together; give both")
        if self.mean is None or self.std is None:
            return
        if len(self.mean) != len(self.std):
            raise QuantriftError(
                f"--mean has {len(self.mean)} values, --std {len(self.std)}; give one for each channel"
            )
        if min(self.std) <= 0:
            raise QuantriftError(f"--std holds {min(self.std):g}; standard deviations are above 0")
        low, high = self.range or UNIT
        outside = [one for one in self.mean if not low <= one <= high]
        if outside:
            raise QuantriftError(
                f"--mean holds {outside[0]:g}, which lies outside {low:g} to {high:g}; give the scale on which it is "
                "counted, like --range 0 255"
            )

    @property
    def kind(self) -> Kind | None:
        """What inputs are by the space that was asked for; ``None`` if none was, or one that there is not."""
        return KINDS.get(self.space or "")

    @property
    def scaled(self) -> bool:
        """Whether an option states the scale."""
        return self.range is not None or self.mean is not None


FROM_FILES = InputForm()
"""No options: files decide."""
