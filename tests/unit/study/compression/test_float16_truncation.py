"""Some weights of a network in 16 bits."""

from pathlib import Path

import keras
import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.evaluate import flips, logits
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Original
from quantrift.study.compression.methods import float16_truncation


def of(share: float, seed: int = 0) -> float16_truncation.Settings:
    return float16_truncation.Settings(method="float16_truncation", share=share, seed=seed)


def test_rounded_weights_are_the_nearest_numbers_of_16_bits() -> None:
    weights = np.array([0.1, -0.1, 1 + 2**-11, 1 + 3 * 2**-11, 1e-9, 65504], np.float32)
    rounded = float16_truncation.rounded(weights)
    assert rounded.dtype == np.float32
    np.testing.assert_array_equal(rounded, [0.0999755859375, -0.0999755859375, 1, 1 + 2**-9, 0, 65504])


def test_cut_weights_lose_their_last_bits() -> None:
    weights = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
    weights = np.concatenate([weights, weights.astype(np.float16).astype(np.float32), [0, 65504, -65504]])
    weights = weights[(weights == 0) | (np.abs(weights) >= 2**-14)].astype(np.float32)
    # 10 of the 23 bits of the fraction stay, of numbers that are normal in 16 bits too.
    kept = (weights.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    np.testing.assert_array_equal(float16_truncation.cut(weights), kept)


@pytest.mark.slow
def test_cutting_errs_twice_as_far_as_rounding(trained: Path, tiny_scene: ScenePatches) -> None:
    weights = np.concatenate([weight.ravel() for weight in Original(trained).network.get_weights()])
    errors = [np.abs(bring(weights) - weights).mean() for bring in (float16_truncation.cut, float16_truncation.rounded)]
    assert errors[0] == pytest.approx(2 * errors[1], rel=0.1)
    both = [
        float16_truncation.compress(Original(trained), tiny_scene, of(1).model_copy(update={"by": by}))
        for by in ("cutting", "rounding")
    ]
    assert both[0].content != both[1].content


def test_no_share_leaves_the_file_of_the_original(trained: Path, tiny_scene: ScenePatches) -> None:
    compressed = float16_truncation.compress(Original(trained), tiny_scene, of(0))
    assert compressed.content == (trained / "original.tflite").read_bytes()
    assert compressed.facts["changed_weights"] == 0


def test_all_weights_change_that_16_bits_do_not_hold(trained: Path, tiny_scene: ScenePatches, tmp_path: Path) -> None:
    weights = np.concatenate([weight.ravel() for weight in Original(trained).network.get_weights()])
    compressed = float16_truncation.compress(Original(trained), tiny_scene, of(1))
    assert compressed.facts == {
        "weights": len(weights),
        "truncated_weights": len(weights),
        "changed_weights": np.count_nonzero(weights != weights.astype(np.float16)),
    }
    assert compressed.weight_bits == 16 * len(weights)
    (tmp_path / "model.tflite").write_bytes(compressed.content)
    before, after = (
        logits(LiteRT(folder / name), tiny_scene, tiny_scene.test)
        for folder, name in ((trained, "original.tflite"), (tmp_path, "model.tflite"))
    )
    assert 0 < np.abs(after - before).max() < 0.05
    assert flips(before, after) <= 1


@pytest.mark.slow
def test_a_hundredth_is_drawn_and_another_seed_draws_others(trained: Path, tiny_scene: ScenePatches) -> None:
    first, again, other = (
        float16_truncation.compress(Original(trained), tiny_scene, of(0.01, seed)) for seed in (0, 0, 1)
    )
    count = first.facts["weights"]
    assert first.facts["truncated_weights"] == round(0.01 * count)
    assert first.facts["changed_weights"] == pytest.approx(0.01 * count, rel=0.05)
    assert first.weight_bits == 32 * count - 16 * round(0.01 * count)
    assert first == again
    assert first.content != other.content


def network(weights: list[float], folder: Path) -> Original:
    """A dense layer with these weights, as if from a file."""
    values = keras.Input((len(weights),))
    layer = keras.layers.Dense(1, use_bias=False)
    model = keras.Model(values, layer(values))
    layer.set_weights([np.array(weights, np.float32)[:, None]])
    save(model, folder / "model.keras")
    (folder / "model.json").write_text('{"model": "hers", "file": {}}')
    return Original(folder)


def test_a_weight_beyond_16_bits_is_refused(tmp_path: Path, tiny_scene: ScenePatches) -> None:
    with pytest.raises(QuantriftError, match=r"a weight is 70000, but 16 bits hold only up to 65504"):
        float16_truncation.compress(network([0.5, -70000.0], tmp_path), tiny_scene, of(1))
