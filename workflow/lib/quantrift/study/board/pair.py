"""Pairs of a board: where the files of a pair come from, what its inputs are, and how it is judged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from quantrift.core.base.errors import QuantriftError, first_mistake
from quantrift.core.base.yaml_files import read_yaml
from quantrift.core.settings.datasets import SourceFile
from quantrift.core.settings.fields import Id, Strict
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.verdict.assessment import LIMITS, Limits

Number = Annotated[int, Field(ge=1)]


class OfWorkflow(Strict):
    """A pair that the workflow makes, with test inputs of its dataset."""

    dataset: str
    model: str
    compression: str
    number: Number = 500
    """Test inputs, the first ones of the split; all where there are fewer."""


class OfWheel(Strict):
    """A network of a public wheel, and the public quantizer that compresses it."""

    network: str
    """Name in ``quantrift.study.board.public_networks``, which draws its inputs too."""
    quantizer: str
    """Name in ``quantrift.study.board.public_quantizers``."""


class Images(Strict):
    """The first test images of each class in an archive of class folders."""

    images: SourceFile
    classes: list[str]
    number: Number = 500
    """Of images in all."""
    times: Number = 1
    """How many pixels stand for one, in rows and in columns."""
    labels: bool = True
    """Whether classes are those of the network."""


class Windows(Strict):
    """Windows of a recording: a file of float32 numbers."""

    windows: SourceFile
    length: Number
    """Numbers in a window."""
    step: Number
    """Numbers from the start of a window to the start of the next one."""


class Pair(Strict):
    """A pair of a board. Its files are stated one by one, or as ``workflow`` or ``wheel``."""

    title: str
    source: str = ""
    """Who published the networks, like ``owner/name``."""
    licence: str = ""
    original: SourceFile | str | None = None
    """A file with its digest, below the mirror or downloaded; or a path, seen from the board's file."""
    compressed: SourceFile | str | None = None
    inputs: SourceFile | Images | Windows | str | None = None
    """An .npz file, or how inputs are made."""
    without: str = ""
    """Why there are no inputs; then only the files are looked at."""
    workflow: OfWorkflow | None = None
    wheel: OfWheel | None = None
    task: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)
    """Name of a task -> its settings; without one, labels are compared."""
    form: InputForm = FROM_FILES
    """Layout, range, mean and standard deviation, where files do not tell (``quantrift.judge.intake.input_form``)."""
    labels: str | None = None
    """Array of true labels, where it is not found unasked."""
    array: str | None = None
    """Array of inputs, likewise."""
    limits: Limits = LIMITS
    """All that hold, where they are not the usual ones."""
    seeds: Number | None = None
    """Seed inputs of each search, in place of the quick profile's."""
    generations: Number | None = None
    certify: str | None = None
    """Neighbourhoods in which the first inputs are certified, like ``brightness=8,shift=1``."""
    certify_number: Number = 20
    unmended: str = ""
    """Why the network is not mended even if it does not pass."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        ways = (
            self.workflow,
            self.wheel,
            self.original and self.compressed and (self.inputs or self.without),
        )
        return {
            "state one of workflow, wheel, or original, compressed and inputs": len(list(filter(None, ways))) != 1,
            "state one task": len(self.task) > 1,
        }


class Board(Strict):
    """Pairs that stand in one table."""

    title: str
    pairs: dict[Id, Pair]


def load(path: Path) -> Board:
    """The board of a file.

    Raises:
        QuantriftError: the file cannot be read, or its content is no board.
    """
    try:
        return Board.model_validate(read_yaml(path))
    except ValidationError as error:
        raise QuantriftError(f"{path}: {first_mistake(error)}") from None
