"""How far the layers of a compressed network are from those of its original, on any inputs."""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from quantrift.config.files import read_json, replacing, write_json
from quantrift.data.inputs import Inputs
from quantrift.models.runtimes.activations import Activations
from quantrift.models.runtimes.layers import Layer, matched

BATCH = 32
"""Inputs run at once; all activations of both networks are in memory for so many."""


@dataclass(frozen=True)
class LayerError:
    """Output of a layer of the compressed network, y, against that of the original, x, over all inputs and values.

    Errors of the layers before are part of it: each network runs on its own. ``None`` stands for what is not defined.
    """

    layer: str
    """Name of the Keras layer, the last one where several were fused; ``output`` for the logits."""
    type: str
    """What the compressed network holds it in, like ``int8``."""
    inputs: int
    """Inputs that were run."""
    values: int
    """Values that the layer gives for each of them."""
    sqnr_db: float | None
    """Signal-to-quantization-noise ratio 10 log10(sum x^2 / sum (x - y)^2), in dB; ``None`` where x = y throughout, or
    x is 0 throughout."""
    cosine: float | None
    """Cosine of the angle between x and y, each taken as one vector over all inputs; ``None`` where one of them is
    0."""
    mse: float
    """Mean of (x - y)^2, in the square of the layer's own unit."""
    rmse_scale: float | None
    """Root of ``mse`` over the distance of two neighbouring values of y, its scale, as in TensorFlow Lite's
    quantization debugger: rounding alone gives 1 / sqrt(12) = 0.289. ``None`` where the layer is held in float."""


def layer_errors(original: Path, compressed: Path, x_batches: Iterable[np.ndarray]) -> list[LayerError]:
    """Compare two .tflite files layer by layer, in the order of the original.

    Layers are matched by their names, also by those of layers fused into one, where both give as many values; others
    are left out. Any number of inputs takes the same memory, and how they are grouped changes nothing.

    Args:
        original: the float network.
        compressed: what was made of it.
        x_batches: inputs, float32 (n, H, W, C) each.

    Raises:
        QuantriftError: if a file or the inputs are wrong.
    """
    networks = Activations(original, BATCH), Activations(compressed, BATCH)
    pairs: list[tuple[Layer, Layer]] = []
    sums: dict[str, np.ndarray] = {}
    values: dict[str, int] = {}
    count = 0
    for batch in x_batches:
        for start in range(0, len(batch), BATCH):
            x = batch[start : start + BATCH]
            before, after = (network(x) for network in networks)
            if not count:
                pairs = [
                    (layer, match)
                    for layer, match in matched(networks[0].layers, networks[1].layers)
                    if before[layer.name].size == after[match.name].size
                ]
            count += len(x)
            for layer, match in pairs:
                of_both = before[layer.name].reshape(len(x), -1), after[match.name].reshape(len(x), -1)
                values[layer.name] = of_both[0].shape[1]
                rows = np.concatenate([sums.get(layer.name, np.zeros((1, 4))), _sums(*of_both)])
                # One row after the other, so that the result does not depend on how they are grouped.
                sums[layer.name] = np.add.accumulate(rows)[-1:]
    return [_error(layer.name, match, count, values[layer.name], sums[layer.name][0]) for layer, match in pairs]


def on_test_inputs(original: Path, compressed: Path, inputs: Inputs, count: int, seed: int) -> list[LayerError]:
    """``layer_errors`` on ``count`` test inputs drawn from ``seed``, or on all where there are fewer."""
    chosen = np.random.default_rng(seed).permutation(inputs.test)[:count]
    starts = range(0, len(chosen), BATCH)
    return layer_errors(original, compressed, (inputs.take(chosen[start : start + BATCH]) for start in starts))


def write(errors: Sequence[LayerError], folder: Path) -> None:
    """Write ``layers.json`` and ``layers.csv`` to ``folder``, one entry or row a layer; ``None`` is null, or empty."""
    write_json(folder / "layers.json", [asdict(error) for error in errors])
    with replacing(folder / "layers.csv") as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, [field.name for field in fields(LayerError)], lineterminator="\n")
        rows.writeheader()
        rows.writerows(asdict(error) for error in errors)


def read(path: Path) -> list[LayerError]:
    """What ``write`` wrote to a ``layers.json``."""
    rows: list[Mapping] = read_json(path)
    return [LayerError(**row) for row in rows]


def _sums(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sums of x^2, y^2, x y and (x - y)^2 of each row, float64 (n, 4), of float32 (n, values)."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.stack([(x * x).sum(axis=1), (y * y).sum(axis=1), (x * y).sum(axis=1), np.square(x - y).sum(axis=1)], 1)


def _error(name: str, layer: Layer, inputs: int, values: int, sums: np.ndarray) -> LayerError:
    signal, other, product, noise = sums.tolist()
    mse = noise / (inputs * values)
    return LayerError(
        layer=name,
        type=layer.type,
        inputs=inputs,
        values=values,
        sqnr_db=10 * math.log10(signal / noise) if signal and noise else None,
        cosine=min(1.0, product / math.sqrt(signal * other)) if signal and other else None,
        mse=mse,
        rmse_scale=math.sqrt(mse) / layer.step if layer.step else None,
    )
