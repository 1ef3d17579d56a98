"""Errors of layers as files hold them, for those who compare layers and those who show the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from quantrift.core.base.files import read_json, write_csv, write_json

SIDES = ("seed_inputs", "dii")
"""Inputs that layers are compared on: seed inputs, each as often as its distorted inputs, and the distorted inputs."""


@dataclass(frozen=True)
class LayerError:
    """Output of a layer of the compressed network, y, against that of the original, x, over all inputs and values.

    Errors of the layers before are part of it: each network runs on its own. What the layer adds to them is told by z,
    which the original's layer makes of what the compressed network gives it to read: z - y is the layer's own error.
    Figures are over the values that are finite in both, and ``None`` stands for what is not defined.
    """

    layer: str
    """Name of the Keras layer, the last one where several were fused, or of the tensor in .onnx files; ``output`` for
    the logits."""
    type: str
    """What the compressed network holds it in, like ``int8``."""
    inputs: int
    """Inputs that were run."""
    values: int
    """Values that the layer gives for each of them."""
    sqnr_db: float | None
    """Signal-to-quantization-noise ratio 10 log10(sum x^2 / sum (x - y)^2), in dB; ``None`` where x = y throughout, x
    is 0 throughout, or nothing is finite in both."""
    cosine: float | None
    """Cosine of the angle between x and y, each taken as one vector over all inputs; ``None`` where one of them is
    0."""
    mse: float | None
    """Mean of (x - y)^2, in the square of the layer's own unit; ``None`` where nothing is finite in both."""
    rmse_scale: float | None
    """Root of ``mse`` over the distance of two neighbouring values of y, its scale, as in TensorFlow Lite's
    quantization debugger: rounding alone gives 1 / sqrt(12) = 0.289. ``None`` where the layer is held in float."""
    added_sqnr_db: float | None = None
    """10 log10(sum z^2 / sum (z - y)^2), in dB; ``None`` as for ``sqnr_db``, and where the original is not in
    float32."""
    added_mse: float | None = None
    """Mean of (z - y)^2; ``None`` where the original is not in float32, and in files of before there was this
    figure."""
    reads: tuple[str, ...] = ()
    """The layers, among those that are compared, that this one reads; none if it reads the network's input alone."""
    not_finite: int = 0
    """Inputs for which a value of y is NaN or infinite where x is a number."""
    not_finite_original: int = 0
    """Inputs for which a value of x is NaN or infinite."""


COLUMNS = [field.name for field in fields(LayerError)]
"""Of .csv files."""


def write(errors: Sequence[LayerError], folder: Path) -> None:
    """Write ``layers.json`` and ``layers.csv`` to ``folder``, one entry or row a layer; ``None`` is null, or empty."""
    write_json(folder / "layers.json", [asdict(error) for error in errors])
    write_csv(folder / "layers.csv", COLUMNS, (row(error).values() for error in errors))


def read(path: Path) -> list[LayerError]:
    """What ``write`` wrote to a ``layers.json``."""
    return [of_entry(entry) for entry in read_json(path)]


def row(error: LayerError) -> dict[str, object]:
    """A row of a .csv file with ``COLUMNS``, where layers that are read stand with blanks between them."""
    return asdict(error) | {"reads": " ".join(error.reads)}


def of_entry(entry: Mapping[str, Any]) -> LayerError:
    """A layer from its entry in a .json file, also one from before there was all that is told now."""
    return LayerError(**{**entry, "reads": tuple(entry.get("reads", ()))})


def write_sides(errors: Mapping[str, Sequence[LayerError]], out: Path) -> None:
    """Write ``out`` (.json) and a .csv beside it, one row a side and layer; ``None`` is null, or empty."""
    write_json(out, {side: [asdict(error) for error in found] for side, found in errors.items()})
    rows = ([side, *row(error).values()] for side, found in errors.items() for error in found)
    write_csv(out.with_suffix(".csv"), ["on", *COLUMNS], rows)


def read_sides(path: Path) -> dict[str, list[LayerError]]:
    """Read a .json file that ``write_sides`` made."""
    stored = read_json(path)
    return {side: [of_entry(entry) for entry in stored[side]] for side in SIDES}
