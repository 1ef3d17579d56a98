"""Several inputs of .tflite files: categories beside an image, open and fixed batches, integers at the border."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from quantrift.core.base.carried_rows import joined
from quantrift.core.networks.graphs.choices import INPUTS, with_note
from quantrift.core.networks.runtime import ends
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite

COUNT, KINDS = 11, 4
ORDER = ("image", "kind", "gain")


def network(batch: int | None) -> keras.Model:
    """An image, a category and a number, from which three logits are made; always with the same weights."""
    keras.utils.set_random_seed(0)
    image = keras.Input((6, 5, 2), batch, name="image")
    kind, gain = keras.Input((), batch, "int32", name="kind"), keras.Input((1,), batch, name="gain")
    seen = layers.Flatten()(layers.Conv2D(4, 3, activation="relu")(image))
    told = layers.Embedding(KINDS, 3)(kind)
    return keras.Model([image, kind, gain], layers.Dense(3)(layers.Concatenate()([seen, told, gain])))


@pytest.fixture(scope="module")
def given() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "image": rng.random((COUNT, 6, 5, 2)).astype(np.float32),
        "kind": rng.integers(0, KINDS, COUNT).astype(np.int32),
        "gain": rng.random((COUNT, 1)).astype(np.float32),
    }


def converted(batch: int | None, integers: bool, given: dict[str, np.ndarray]) -> bytes:
    def samples() -> Iterator[dict[str, np.ndarray]]:
        for row in range(COUNT - (batch or 1) + 1):
            yield {name: given[name][row : row + (batch or 1)] for name in ORDER}

    def configure(converter: Any) -> None:
        if integers:
            converter.optimizations, converter.representative_dataset = [tf.lite.Optimize.DEFAULT], samples

    return to_tflite(network(batch), configure)


@pytest.mark.parametrize("batch", [None, 1, 4])
@pytest.mark.parametrize("integers", [False, True])
def test_each_input_gets_what_was_given_for_it(
    batch: int | None, integers: bool, given: dict[str, np.ndarray], tmp_path: Path
) -> None:
    path = tmp_path / "net.tflite"
    content = converted(batch, integers, given)
    path.write_bytes(content)
    assert sorted(one.name for one in ends(path).inputs) == sorted(ORDER)
    path.write_bytes(with_note(content, ".tflite", INPUTS, ORDER))
    loaded = LiteRT(path)
    assert [one.whole for one in loaded.signature.carried] == [True, False]
    assert loaded.signature.image == (6, 5, 2)
    rows = joined(given["image"], [given["kind"], given["gain"]])
    found = loaded(rows)
    expected = network(None)([given[name] for name in ORDER]).numpy()
    np.testing.assert_allclose(found, expected, atol=0.1 if integers else 1e-5)
    # Rows do not depend on those beside them, nor on how they are grouped.
    alone = np.concatenate([loaded(rows[place : place + 1]) for place in range(COUNT)])
    assert alone.tobytes() == found.tobytes()
