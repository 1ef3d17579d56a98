"""Choices for a network, as its file notes them: the order of its inputs, its outputs, the layout, inputs at once."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.axis_order import Mark, mark_of_text
from quantrift.core.networks.graphs.notes import ALONE, INPUTS, LAYOUT, OUTPUTS, with_note

ADDED = re.compile(r"^(?:serving_default|serve)_|:\d+$")
"""Parts of names that converters to TensorFlow Lite add."""

YES = "yes"


@dataclass(frozen=True)
class Choices:
    """Choices that stand in a network's file; ``None`` and nothing for what was not chosen."""

    mark: Mark | None = None
    """Layout and kind of the input."""
    inputs: tuple[str, ...] | None = None
    """All inputs, the one that searches change first; of networks with several."""
    outputs: tuple[str, ...] = ()
    """Outputs that are compared, where these are not all of them."""
    alone: bool = False
    """The network runs on one input at a time, as its result for one depends on the others of a run."""

    @staticmethod
    def of(notes: Mapping[str, str]) -> "Choices":
        """From the notes in a file (``quantrift.core.networks.graphs.notes``)."""
        return Choices(
            mark_of_text(notes.get(LAYOUT)),
            _names(notes.get(INPUTS, "")),
            _names(notes.get(OUTPUTS, "")) or (),
            notes.get(ALONE) == YES,
        )

    def changed(self, names: Sequence[str]) -> int:
        """Place of the input that searches change among all inputs; 0 if it is not there, or none was chosen."""
        return names.index(self.inputs[0]) if self.inputs and self.inputs[0] in names else 0

    def compared(self, path: Path, names: Sequence[str]) -> list[int]:
        """Places of the outputs that are compared among all outputs.

        Raises:
            QuantriftError: the file, ``path``, has no output of a name that was chosen.
        """
        if missing := [name for name in self.outputs if name not in names]:
            raise QuantriftError(f"{path}: has outputs {', '.join(names)}, not {missing[0]}; make the assessment again")
        return [names.index(name) for name in self.outputs] or list(range(len(names)))


def with_inputs(content: bytes, suffix: str, names: Sequence[str]) -> bytes:
    """The content of a network's file, ending in ``suffix``, with the names of all its inputs, the first is changed."""
    return with_note(content, suffix, INPUTS, _text(names))


def with_outputs(content: bytes, suffix: str, names: Sequence[str]) -> bytes:
    """Likewise with the names of the outputs that are compared."""
    return with_note(content, suffix, OUTPUTS, _text(names))


def run_alone(content: bytes, suffix: str) -> bytes:
    """Likewise with the note that the network runs on one input at a time."""
    return with_note(content, suffix, ALONE, YES)


def plain(name: str) -> str:
    """A name of an input or output without what converters add to it.

    >>> plain("serving_default_angle:0")
    'angle'
    """
    return ADDED.sub("", name)


def _text(names: Sequence[str]) -> str:
    # Comments of .xml files hold no two hyphens in a row.
    return json.dumps(list(names)).replace("-", "\\u002d")


def _names(text: str) -> tuple[str, ...] | None:
    try:
        found = json.loads(text)
    # Other bytes that happen to hold the key are no names.
    except ValueError:
        return None
    return tuple(map(str, found)) if isinstance(found, list) and found else None
