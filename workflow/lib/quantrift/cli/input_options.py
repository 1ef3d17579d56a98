"""Options of commands that read networks and inputs of others: files, layout and scale of inputs, limits on memory.

A table of options has the keywords of ``add_argument`` by the option's name; a group stands in it by its title, with a
``description`` and ``options`` of its own.
"""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.limits import DEFAULT, UNPACKED, limit_memory, size
from quantrift.core.networks.graphs.choices import LAYOUTS
from quantrift.judge.intake.input_form import InputForm

WAYS = "a name behind an @, like m.tflite@reference, asks for another way of running it"
"""Help on the ways of running that paths of networks may name (``quantrift.core.networks.ways``)."""
FILE = {"type": Path, "required": True}
"""An option that names a file."""
ORIGINAL = {
    "--original": FILE | {"help": f".keras, .h5, a SavedModel's folder, .tflite, .onnx, .pt2, .xml or .pte; {WAYS}"}
}
ARRAY = {"--array": {"metavar": "NAME", "help": "array of inputs; found by its name otherwise"}}
LABELS = {"--labels": {"metavar": "NAME", "help": "array of true labels; found by its name otherwise"}}
FORM = {
    "inputs": {
        "description": "Quantrift reads these from the files where they state them, and asks for the option where they "
        "do not",
        "options": {
            "--layout": {
                "choices": LAYOUTS,
                "help": "axes of the input, for networks without a convolution that shows them",
            },
            "--range": {
                "nargs": 2,
                "type": float,
                "metavar": ("LOW", "HIGH"),
                "help": "values that the bytes 0 and 255 stand for, like 0 1, -1 1 or 0 255; of other numbers, the "
                "least and the greatest",
            },
            "--mean": {
                "metavar": "M,...",
                "help": "mean that is subtracted from bytes, counted on 0 to 1 or on --range; one number, or one for "
                "each channel",
            },
            "--std": {
                "metavar": "S,...",
                "help": "standard deviation by which the difference is divided; one number, or one for each channel",
            },
        },
    }
}
"""Layout and scale, where files do not state them."""
CATEGORIES = {
    "--categories": {
        "metavar": "C,...",
        "help": "columns of a table that are categories, counted from 0, like 3,7-10 where 7 to 10 are one-hot; none "
        "for none; without the option, columns of few values and one-hot neighbours are",
    }
}
CHANGE = {
    "--change": {
        "metavar": "NAME",
        "help": "of networks with several inputs, the one that searches change; values of the others, in arrays of "
        "their names beside the inputs, are carried along with each",
    }
}
MAX_UNPACKED = {
    "--max-unpacked": {
        "metavar": "SIZE",
        "help": f"largest size that one file may unpack to, like 16GB (default: {UNPACKED}, or {DEFAULT})",
    }
}


def rare(options: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Options that few need, as a group below the others."""
    return {
        "seldom needed": {"description": "Without them, most networks are judged as they should be", "options": options}
    }


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["quantrift", *sys.argv[1:]])


def limit(given: argparse.Namespace) -> None:
    """Hold this process, and those that it starts, to limits on memory and on the size of unpacked files.

    Raises:
        QuantriftError: the text of ``--max-unpacked`` is no size, or too little memory is allowed.
    """
    if given.max_unpacked is not None:
        size(given.max_unpacked, "--max-unpacked")
        os.environ[UNPACKED] = given.max_unpacked
    limit_memory()


def check_there(networks: Sequence[Path], inputs: Path) -> None:
    """Make sure that the files are there, before libraries are loaded that take seconds.

    Raises:
        QuantriftError: the first that is missing.
    """
    for path in networks:
        # A way of running may stand behind an @, which no file need have in its name.
        file = path if path.exists() else path.with_name(path.name.rpartition("@")[0] or path.name)
        refuse((not file.exists(), f"{file}: no such file; name the network's file"))
    refuse((not inputs.is_file(), f"{inputs}: no such file; name a .npz file"))


def form_of(given: argparse.Namespace) -> InputForm:
    """The form of inputs from the command line; ``--space`` counts where a command has it.

    Raises:
        QuantriftError: values that are no numbers, or do not belong together.
    """
    return InputForm(
        layout=given.layout,
        range=None if given.range is None else (given.range[0], given.range[1]),
        mean=_numbers(given.mean, "--mean"),
        std=_numbers(given.std, "--std"),
        space=getattr(given, "space", None),
        categories=_columns(getattr(given, "categories", None)),
        change=getattr(given, "change", None),
    )


def _numbers(text: str | None, option: str) -> tuple[float, ...] | None:
    try:
        return None if text is None else tuple(map(float, text.split(",")))
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
    refuse((not all(found), f"--categories is '{text}'; give columns with commas between, like 3,7-10, or none"))
    return tuple(tuple(range(int(one[1]), int(one[2] or one[1]) + 1)) for one in found if one)
