"""Options for the layout and scale of inputs, where files do not state them."""

import argparse
import re

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.axis_order import LAYOUTS
from quantrift.judge.intake.input_form import InputForm

WAYS = "a name behind an @, like m.tflite@reference, asks for another way of running it"
"""Help on the ways of running that paths of networks may name (``quantrift.core.networks.ways``)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that run foreign networks."""
    group = parser.add_argument_group(
        "inputs",
        "Quantrift reads these from the files where they state them, and asks for the option where they do not",
    )
    group.add_argument(
        "--layout", choices=LAYOUTS, help="axes of the input, for networks without a convolution that shows them"
    )
    group.add_argument(
        "--range",
        nargs=2,
        type=float,
        metavar=("LOW", "HIGH"),
        help="values that the bytes 0 and 255 stand for, like 0 1, -1 1 or 0 255; of other numbers, the least and the "
        "greatest",
    )
    group.add_argument(
        "--mean",
        metavar="M,...",
        help="mean that is subtracted from bytes, counted on 0 to 1 or on --range; one number, or one for each channel",
    )
    group.add_argument(
        "--std",
        metavar="S,...",
        help="standard deviation by which the difference is divided; one number, or one for each channel",
    )


def change_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that run networks of several inputs."""
    parser.add_argument(
        "--change",
        metavar="NAME",
        help="of networks with several inputs, the one that searches change; values of the others, in arrays of their "
        "names beside the inputs, are carried along with each",
    )


def categories_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that change rows of tables."""
    parser.add_argument(
        "--categories",
        metavar="C,...",
        help="columns of a table that are categories, counted from 0, like 3,7-10 where 7 to 10 are one-hot; none for "
        "none; without the option, columns of few values and one-hot neighbours are",
    )


def given(namespace: argparse.Namespace) -> InputForm:
    """The form of inputs from the command line; ``--space`` counts where a command has it.

    Raises:
        QuantriftError: values that are no numbers, or do not belong together.
    """
    return InputForm(
        layout=namespace.layout,
        range=None if namespace.range is None else (namespace.range[0], namespace.range[1]),
        mean=_numbers(namespace.mean, "--mean"),
        std=_numbers(namespace.std, "--std"),
        space=getattr(namespace, "space", None),
        categories=_columns(getattr(namespace, "categories", None)),
        change=getattr(namespace, "change", None),
    )


def _numbers(text: str | None, option: str) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise QuantriftError(
            f"{option} is '{text}'; give numbers with commas between, like 0.485,0.456,0.406"
        ) from None


def _columns(text: str | None) -> tuple[tuple[int, ...], ...] | None:
    """``3,7-10`` as the columns of two categories.

    Raises:
        QuantriftError: the text is no list of columns.
    """
    if text is None or text == "none":
        return None if text is None else ()
    found = [re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip()) for part in text.split(",")]
    if not all(found):
        raise QuantriftError(f"--categories is '{text}'; give columns with commas between, like 3,7-10, or none")
    return tuple(tuple(range(int(one[1]), int(one[2] or one[1]) + 1)) for one in found if one)
