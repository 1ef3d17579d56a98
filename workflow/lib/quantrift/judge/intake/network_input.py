"""Checks that a network takes images, signals or rows of a table, and in which order of axes."""

from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.axis_order import Layout, Mark
from quantrift.core.networks.graphs.input_sides import longer_sides
from quantrift.core.networks.graphs.signature import Signature
from quantrift.judge.intake.input_form import InputForm

LONGEST = 8
"""Largest ratio of the sides of an image that is accepted without --space."""


def mark_to_write(path: Path, signature: Signature, form: InputForm) -> Mark | None:
    """Layout and kind to write into a file so that it agrees with the user; ``None`` if none is needed.

    Raises:
        QuantriftError: the file states another layout or kind; ``path`` is for the message.
    """
    kind = form.kind or signature.kind
    if kind == "signal":
        return _mark_of_signal(path, signature, form)
    if kind != signature.kind:
        sides = _text(signature.input.shape)
        if kind == "table" and len(longer_sides(signature.input.shape)) <= 1:
            return "table"
        if signature.kind == "signal":
            said = f"signals, as its {signature.start.by} says"
        else:
            said = f"{sides}, which is no row of a table" if kind == "table" else f"{sides}, which is no image"
        raise QuantriftError(f"{path}: takes {said}; leave out --space {form.space}")
    if kind == "table" or form.layout is None or len(signature.input.shape) != 3:
        return None
    own: Layout = "channels_first" if signature.first else "channels_last"
    if signature.start.channels in (1, 3):
        _check_layout(path, own, signature, form)
    return form.layout if own != form.layout or not signature.decided else None


def _mark_of_signal(path: Path, signature: Signature, form: InputForm) -> Mark | None:
    """The same for signals, whose axis of time an operation or the user states."""
    shape, start = signature.input.shape, signature.start
    places = [axis for axis, side in enumerate(shape, 1) if side != 1]
    if len(places) > 2:
        raise QuantriftError(
            f"{path}: takes {_text(shape)}, which is no signal of steps and channels; leave out --space {form.space}"
        )
    if signature.kind == "signal" and form.layout is None:
        return None
    if len(places) < 2:
        return None if signature.kind == "signal" else "signal"
    if start.channels in places:
        own: Layout = "channels_first" if start.channels == places[0] else "channels_last"
    elif start.kind == "sequence":
        own = "channels_last"
    elif form.layout is None:
        return "signal_undecided"
    else:
        own = form.layout
    _check_layout(path, own, signature, form)
    return "signal_channels_first" if own == "channels_first" else "signal"


def _check_layout(path: Path, own: Layout, signature: Signature, form: InputForm) -> None:
    """Refuse a layout of the user's that is not that of the file."""
    if form.layout not in (None, own):
        raise QuantriftError(
            f"{path}: takes {own.replace('_', ' ')}, as its {signature.start.by} says; leave out --layout {form.layout}"
        )


def check_kind(path: Path, signature: Signature, form: InputForm) -> None:
    """Refuse networks for tokens, and those of which nothing says whether they take images, signals or tables.

    Raises:
        QuantriftError: one line; ``path`` is for the message.
    """
    kind, by = signature.start.kind, signature.start.by
    if kind == "tokens":
        raise QuantriftError(
            f"{path}: takes sequences of tokens, as its {by} says; there is no space of natural changes for them yet"
        )
    if kind == "sequence" and signature.kind != "signal":
        raise QuantriftError(
            f"{path}: takes sequences, as its {by} says; if these are signals, values at even steps of time, say "
            "--space signal_distortions"
        )
    rows, columns, channels = signature.image
    if signature.kind != "image" or form.space is not None:
        return
    if min(rows, columns) == 1 or max(rows, columns) > LONGEST * min(rows, columns):
        raise QuantriftError(
            f"{path}: takes {rows} x {columns} x {channels}, which looks like a signal, a sequence or a table; if "
            "these are images, say --space image_distortions, or --space hsi_distortions for cubes of bands; else "
            "--space signal_distortions or --space table_distortions"
        )


def ending(signature: Signature) -> str:
    """Last operation of a network, as a display name; its outputs, where they are taken as they are."""
    if signature.values is not None:
        each = zip(signature.values.names, signature.values.shapes, strict=True)
        return "outputs " + ", ".join(f"'{name}' ({' x '.join(map(str, shape)) or '1'})" for name, shape in each)
    if signature.single:
        return "ends in one logit, whose sign tells two classes" + (", behind a sigmoid" if signature.sigmoid else "")
    return f"ends in {'a softmax' if signature.probabilities else 'logits'}"


def axes(signature: Signature, form: InputForm) -> str | None:
    """What a network takes, the order of the axes and the source of both, for display; ``None`` for plain images."""
    _, steps, channels = signature.image
    if signature.kind == "table":
        return f"takes rows of a table with {channels} features"
    if signature.kind == "signal":
        source = f"--space {form.space}" if form.kind == "signal" else f"its {signature.start.by}"
        order = f"channels {'first' if signature.first else 'last'}"
        return f"takes signals of {steps} steps and {channels} channels, {order}, as {source} says"
    if len(signature.input.shape) != 3:
        return None
    order = f"takes channels {'first' if signature.first else 'last'}"
    if signature.start.channels in (1, 3):
        return f"{order}, as its {signature.start.by} says"
    if form.layout is not None:
        return f"{order}, as --layout says"
    return f"{order}; it has one" if signature.decided else f"{order}, as the original does, which its file leaves open"


def _text(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
