"""Files that describe a network, trained here or taken from a file: model.json, confusion.csv."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

from quantrift.core.base.files import sha256, write_csv, write_file, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL, ORIGINAL_FACTS
from quantrift.core.networks.evaluate import accuracy, flips, labels, logits
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.macs import CONVOLUTIONS, conv3d_share, macs, parameters
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
        write_file(out / ORIGINAL, to_tflite(self.twin))


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


def keras_facts(networks: Networks, of_runtime: np.ndarray, inputs: Inputs) -> KerasFacts:
    """Properties of a network in Keras, whose logits (n, K) on LiteRT for all test inputs are ``of_runtime``."""
    of_model = logits(networks.model.predict_on_batch, inputs, inputs.test)
    same = networks.twin is networks.model
    of_twin = of_model if same else logits(networks.twin.predict_on_batch, inputs, inputs.test)
    total = _macs(networks.model)
    return KerasFacts(
        keras_accuracy=accuracy(of_model, inputs.labels[inputs.test]),
        parameters=parameters(networks.model),
        macs=total,
        twin_macs=_macs(networks.twin),
        conv3d_mac_share=conv3d_share(networks.model) if total else None,
        twin_max_difference=float(np.abs(of_twin - of_model).max()),
        twin_flips=flips(of_twin, of_model),
        runtime_max_difference=float(np.abs(of_runtime - of_model).max()),
        runtime_flips=flips(of_runtime, of_model),
    )


def write_facts(
    out: Path, model_id: str, inputs: Inputs, found: np.ndarray, of_keras: KerasFacts, more: Mapping[str, Any]
) -> None:
    """Write ``confusion.csv`` and ``model.json``, described where networks are trained
    (``quantrift.core.networks.training.trained_network``).

    ``found`` are logits (n, K) of the original of every search for all test inputs; ``more`` is added to the latter.
    """
    truth = inputs.labels[inputs.test]
    # A network may have more classes than the dataset.
    columns = [*inputs.class_names, *(f"output {number}" for number in range(len(inputs.class_names), found.shape[1]))]
    counts = np.zeros((len(inputs.class_names), len(columns)), np.int64)
    np.add.at(counts, (truth, labels(found)), 1)
    rows = ([name, *row] for name, row in zip(inputs.class_names, counts.tolist(), strict=True))
    write_csv(out / "confusion.csv", ["true class", *columns], rows)
    facts = {
        "model": model_id,
        **{f"{part}_inputs": len(getattr(inputs, part)) for part in ("train", "validation", "test")},
        "accuracy": accuracy(found, truth),
        **asdict(of_keras),
        "sha256": {"original": sha256(out / ORIGINAL)},
        **more,
        "versions": versions(),
    }
    write_json(out / ORIGINAL_FACTS, facts)


def _macs(model: keras.Model) -> int | None:
    counted = (*CONVOLUTIONS, layers.Dense, layers.BatchNormalization)
    all_counted = all(isinstance(layer, counted) for layer in model.layers if layer.weights)
    return sum(macs(model).values()) if all_counted else None
