"""A user's options on inputs and outputs, held against what a network takes: order of axes, scale, kind of inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.graphs.choices import Layout, Mark
from quantrift.core.networks.graphs.input_sides import Kind, longer_sides
from quantrift.core.networks.graphs.open_sides import NAMES
from quantrift.core.networks.graphs.signature import Signature

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
    shape: tuple[int, ...] | None = None
    """Of one input as given, which fills sides that files leave open; ``None`` where no inputs are at hand."""

    def __post_init__(self) -> None:
        """Refuse options that fit no inputs.

        Raises:
            QuantriftError: one line that names the option.
        """
        low, high = self.range or UNIT
        mean, std = self.mean or (), self.std or ()
        outside = [one for one in mean if not low <= one <= high]
        refuse(
            (not low < high, f"--range is {low:g} to {high:g}; give the lower end first"),
            ((self.mean is None) != (self.std is None), "--mean and --std belong together; give both"),
            (len(mean) != len(std), f"--mean has {len(mean)} values, --std {len(std)}; give one for each channel"),
            (min(std, default=1) <= 0, f"--std holds {min(std, default=1):g}; standard deviations are above 0"),
            (
                outside,
                f"--mean holds {next(iter(outside), low):g}, which lies outside {low:g} to {high:g}; give the scale on "
                "which it is counted, like --range 0 255",
            ),
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


def mark_to_write(path: Path, signature: Signature, form: InputForm) -> Mark | None:
    """Layout and kind to write into a file so that it agrees with the user; ``None`` if none is needed.

    Raises:
        QuantriftError: the file states another layout or kind; ``path`` is for the message.
    """
    kind, shape = form.kind or signature.kind, signature.input.shape
    if kind == "signal":
        return _mark_of_signal(path, signature, form)
    if kind != signature.kind:
        if kind == "table" and len(longer_sides(shape)) <= 1:
            return "table"
        said = (
            f"signals, as its {signature.start.by} says"
            if signature.kind == "signal"
            else f"{by_sides(shape)}, which is no {'row of a table' if kind == 'table' else 'image'}"
        )
        raise QuantriftError(f"{path}: takes {said}; leave out --space {form.space}")
    if kind == "table" or form.layout is None or len(shape) != 3:
        return None
    own: Layout = "channels_first" if signature.first else "channels_last"
    if signature.start.channels in (1, 3):
        _check_layout(path, own, signature, form)
    return form.layout if own != form.layout or not signature.decided else None


def _mark_of_signal(path: Path, signature: Signature, form: InputForm) -> Mark | None:
    """The same for signals, whose axis of time an operation or the user states."""
    shape, start = signature.input.shape, signature.start
    places = [axis for axis, side in enumerate(shape, 1) if side != 1]
    refuse(
        (
            len(places) > 2,
            f"{path}: takes {by_sides(shape)}, which is no signal of steps and channels; leave out --space "
            f"{form.space}",
        )
    )
    if signature.kind == "signal" and (form.layout is None or len(places) < 2):
        return None
    if len(places) < 2:
        return "signal"
    own = form.layout
    if start.channels in places:
        own = "channels_first" if start.channels == places[0] else "channels_last"
    elif start.kind == "sequence":
        own = "channels_last"
    if own is None:
        return "signal_undecided"
    _check_layout(path, own, signature, form)
    return "signal_channels_first" if own == "channels_first" else "signal"


def _check_layout(path: Path, own: Layout, signature: Signature, form: InputForm) -> None:
    """Refuse a layout of the user's that is not that of the file."""
    refuse(
        (
            form.layout not in (None, own),
            f"{path}: takes {own.replace('_', ' ')}, as its {signature.start.by} says; leave out --layout "
            f"{form.layout}",
        )
    )


def check_kind(path: Path, signature: Signature, form: InputForm) -> None:
    """Refuse networks for tokens, and those of which nothing says whether they take images, signals or tables.

    Raises:
        QuantriftError: one line; ``path`` is for the message.
    """
    kind, by = signature.start.kind, signature.start.by
    rows, columns, channels = signature.image
    plain = signature.kind == "image" and form.space is None
    refuse(
        (
            kind == "tokens",
            f"{path}: takes sequences of tokens, as its {by} says; there is no space of natural changes for them yet",
        ),
        (
            kind == "sequence" and signature.kind != "signal",
            f"{path}: takes sequences, as its {by} says; if these are signals, values at even steps of time, say "
            "--space signal_distortions",
        ),
        (
            # One side of an image may be eight times the other.
            plain and (min(rows, columns) == 1 or max(rows, columns) > 8 * min(rows, columns)),
            f"{path}: takes {rows} x {columns} x {channels}, which looks like a signal, a sequence or a table; if "
            "these are images, say --space image_distortions, or --space hsi_distortions for cubes of bands; else "
            "--space signal_distortions or --space table_distortions",
        ),
    )


def ending(signature: Signature) -> str:
    """Last operation of a network, as a display name; its outputs, where they are taken as they are."""
    if (values := signature.values) is not None:
        return "outputs " + ", ".join(
            f"'{name}' ({by_sides(shape) or '1'})" for name, shape in zip(values.names, values.shapes, strict=True)
        )
    if signature.single:
        return "ends in one logit, whose sign tells two classes" + (", behind a sigmoid" if signature.sigmoid else "")
    return f"ends in {'a softmax' if signature.probabilities else 'logits'}"


def opened(signature: Signature) -> str | None:
    """Which sides a file leaves open and their sizes, for display; ``None`` where it leaves none open."""
    own = (*signature.sizes[1:], *signature.sizes[:1]) if signature.first else signature.sizes
    names = NAMES[signature.kind]
    # A side of 1 may stand before a signal or a row of a table, and one behind an image.
    own = own[:3] if signature.kind == "image" else own[-len(names) :]
    found = {name: size for name, size in zip(names, own, strict=False) if size}
    verb = "is" if len(found) == 1 and "steps" not in found else "are"
    return f"{' and '.join(found)} {verb} open: taken from the inputs, {by_sides([*found.values()])}" if found else None


def axes(signature: Signature, form: InputForm) -> str | None:
    """What a network takes, the order of the axes and the source of both, for display; ``None`` for plain images."""
    _, steps, channels = signature.image
    order, by = f"channels {'first' if signature.first else 'last'}", f"as its {signature.start.by} says"
    if signature.kind == "table":
        return f"takes rows of a table with {channels} features"
    if signature.kind == "signal":
        by = f"as --space {form.space} says" if form.kind == "signal" else by
        return f"takes signals of {steps} steps and {channels} channels, {order}, {by}"
    if len(signature.input.shape) != 3:
        return None
    if signature.start.channels in (1, 3):
        return f"takes {order}, {by}"
    if form.layout is not None:
        return f"takes {order}, as --layout says"
    return (
        f"takes {order}{'; it has one' if signature.decided else ', as the original does, which its file leaves open'}"
    )


def by_sides(shape: Sequence[int]) -> str:
    """A shape as text, like ``28 x 28 x 1``."""
    return " x ".join(map(str, shape))
