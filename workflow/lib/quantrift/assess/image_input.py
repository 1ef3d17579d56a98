"""Checks that a network takes images, and in which order of axes."""

from pathlib import Path

from quantrift.assess.input_form import InputForm
from quantrift.base.errors import QuantriftError
from quantrift.models.graphs.axis_order import Layout
from quantrift.models.graphs.signature import Signature

LONGEST = 8
"""Largest ratio of the sides of an image that is accepted without --space."""
OTHERS = {
    "signal": "one-dimensional signals",
    "sequence": "sequences",
    "tokens": "sequences of tokens",
}
"""Kinds of inputs other than images."""


def layout_to_write(path: Path, signature: Signature, form: InputForm) -> Layout | None:
    """Layout to write into a file so that it agrees with the user; ``None`` if none is needed.

    Raises:
        QuantriftError: the file states another layout; ``path`` is for the message.
    """
    if form.layout is None or len(signature.input.shape) != 3:
        return None
    own: Layout = "channels_first" if signature.first else "channels_last"
    if signature.start.channels in (1, 3) and own != form.layout:
        raise QuantriftError(
            f"{path}: takes {own.replace('_', ' ')}, as its {signature.start.by} says; leave out --layout {form.layout}"
        )
    return form.layout if own != form.layout or not signature.decided else None


def check_images(path: Path, signature: Signature, form: InputForm) -> None:
    """Refuse networks for anything but images and cubes of bands.

    Raises:
        QuantriftError: one line; ``path`` is for the message.
    """
    if signature.start.kind in OTHERS:
        raise QuantriftError(
            f"{path}: takes {OTHERS[signature.start.kind]}, as its {signature.start.by} says; there is no space of "
            "natural changes for them yet: only networks for images and for cubes of bands can be assessed"
        )
    rows, columns, channels = signature.image
    if form.space is None and (min(rows, columns) == 1 or max(rows, columns) > LONGEST * min(rows, columns)):
        raise QuantriftError(
            f"{path}: takes {rows} x {columns} x {channels}, which looks like a signal, a sequence or a table, for "
            "which there is no space of natural changes yet; if these are images, say --space image_distortions, or "
            "--space hsi_distortions for cubes of bands"
        )


def ending(signature: Signature) -> str:
    """Last operation of a network, as a display name; its outputs, where they are taken as they are."""
    if signature.values is not None:
        each = zip(signature.values.names, signature.values.shapes, strict=True)
        return "outputs " + ", ".join(f"'{name}' ({' x '.join(map(str, shape)) or '1'})" for name, shape in each)
    if signature.single:
        return "ends in one logit, whose sign tells two classes" + (", behind a sigmoid" if signature.sigmoid else "")
    return f"ends in {'a softmax' if signature.probabilities else 'logits'}"


def axes(signature: Signature, form: InputForm) -> str:
    """The order of the axes of an input of three sides and its source, for display."""
    order = f"takes channels {'first' if signature.first else 'last'}"
    if signature.start.channels in (1, 3):
        return f"{order}, as its {signature.start.by} says"
    if form.layout is not None:
        return f"{order}, as --layout says"
    return f"{order}; it has one" if signature.decided else f"{order}, as the original does, which its file leaves open"
