"""Files that describe a network, trained here or taken from a file: model.json, confusion.csv."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

from quantrift.core.base.files import replacing, sha256, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL, ORIGINAL_FACTS
from quantrift.core.networks.evaluate import accuracy, flips, labels, logits
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.macs import CONVOLUTIONS, conv3d_share, macs, parameters
from quantrift.core.networks.own.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.versions import versions


@dataclass(frozen=True, eq=False)
class Networks:
    """A network in Keras, and its twin in layers that exist in 8 bits, which may be the network itself."""

    model: keras.Model
    twin: keras.Model

    def write(self, out: Path) -> None:
        """Write ``model.keras``, ``twin.keras``, and the twin in float32 as ``original.tflite``."""
        save(self.model, out / "model.keras")
        save(self.twin, out / "twin.keras")
        with replacing(out / ORIGINAL) as temporary:
            temporary.write_bytes(to_tflite(self.twin))


@dataclass(frozen=True, eq=False)
class Outputs:
    """Logits (n, K) of one network on all test inputs."""

    runtime: np.ndarray
    """Logits of the original of every search."""
    model: np.ndarray | None
    """Logits of the network in Keras, if there is one."""
    twin: np.ndarray | None


@dataclass(frozen=True)
class KerasFacts:
    """Properties of a network in Keras; all ``None`` for others."""

    keras_accuracy: float | None = None
    parameters: int | None = None
    macs: int | None = None
    """Multiply-accumulates for one input; ``None`` where a layer multiplies in a way that is not counted."""
    twin_macs: int | None = None
    conv3d_mac_share: float | None = None
    """Of them, those in 3-D convolutions; ``None`` where there are none at all."""
    twin_max_difference: float | None = None
    """Largest difference of a logit from the network's."""
    twin_flips: int | None = None
    """Test inputs with another label than the network's."""
    runtime_max_difference: float | None = None
    runtime_flips: int | None = None


def outputs(runtime: LiteRT, networks: Networks | None, inputs: Inputs) -> Outputs:
    """Logits of a network for the test inputs, on LiteRT and in Keras."""
    of_runtime = logits(runtime, inputs, inputs.test)
    if networks is None:
        return Outputs(of_runtime, None, None)
    of_model = logits(networks.model.predict_on_batch, inputs, inputs.test)
    of_twin = of_model
    if networks.twin is not networks.model:
        of_twin = logits(networks.twin.predict_on_batch, inputs, inputs.test)
    return Outputs(of_runtime, of_model, of_twin)


def write_csv(path: Path, header: list[str], rows: Iterable[list[object]]) -> None:
    """Write a table as CSV."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def write_facts(
    out: Path, model_id: str, inputs: Inputs, found: Outputs, networks: Networks | None, more: Mapping[str, Any]
) -> None:
    """Write ``confusion.csv`` and ``model.json``, described where networks are trained
    (``quantrift.core.networks.training.trained_network``).

    ``more`` is added to the latter; properties of a network in Keras are ``null`` without ``networks``.
    """
    truth = inputs.labels[inputs.test]
    # A network may have more classes than the dataset.
    beyond = range(len(inputs.class_names), found.runtime.shape[1])
    columns = [*inputs.class_names, *(f"output {number}" for number in beyond)]
    counts = np.zeros((len(inputs.class_names), len(columns)), np.int64)
    np.add.at(counts, (truth, labels(found.runtime)), 1)
    rows = ([name, *row] for name, row in zip(inputs.class_names, counts.tolist(), strict=True))
    write_csv(out / "confusion.csv", ["true class", *columns], rows)
    facts = {
        "model": model_id,
        **{f"{part}_inputs": len(getattr(inputs, part)) for part in ("train", "validation", "test")},
        "accuracy": accuracy(found.runtime, truth),
        **asdict(KerasFacts() if networks is None else _keras_facts(networks, found, truth)),
        "sha256": {"original": sha256(out / ORIGINAL)},
        **more,
        "versions": versions(),
    }
    write_json(out / ORIGINAL_FACTS, facts)


def _keras_facts(networks: Networks, found: Outputs, truth: np.ndarray) -> KerasFacts:
    assert found.model is not None
    assert found.twin is not None
    total = _macs(networks.model)
    return KerasFacts(
        keras_accuracy=accuracy(found.model, truth),
        parameters=parameters(networks.model),
        macs=total,
        twin_macs=_macs(networks.twin),
        conv3d_mac_share=conv3d_share(networks.model) if total else None,
        twin_max_difference=float(np.abs(found.twin - found.model).max()),
        twin_flips=flips(found.twin, found.model),
        runtime_max_difference=float(np.abs(found.runtime - found.model).max()),
        runtime_flips=flips(found.runtime, found.model),
    )


def _macs(model: keras.Model) -> int | None:
    counted = (*CONVOLUTIONS, layers.Dense, layers.BatchNormalization)
    if any(layer.weights and not isinstance(layer, counted) for layer in model.layers):
        return None
    return sum(macs(model).values())
