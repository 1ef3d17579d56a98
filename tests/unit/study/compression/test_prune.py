"""Pruned weights and filters are exactly zero, as many as asked, and stay so while the rest is trained."""

from pathlib import Path

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_json
from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.networks import Training
from quantrift.study.compression.methods import prune

TRAINING = Training(epochs=2, batch=16, learning_rate=0.001)
HALF_OF_WEIGHTS = prune.Settings(method="prune", sparsity=0.5, training=TRAINING)
QUARTER_OF_FILTERS = prune.Settings(method="prune", by="filters", sparsity=0.25, training=TRAINING)


@pytest.fixture(scope="module")
def pruned(trained: Path, tiny_scene: ScenePatches) -> Compressed:
    return prune.compress(Original(trained), tiny_scene, HALF_OF_WEIGHTS)


def constants(content: bytes) -> list[np.ndarray]:
    """Kernels and biases in a .tflite file of float32, in the order of execution."""
    interpreter = Interpreter(model_content=content)
    found = []
    for op in interpreter._get_ops_details():
        if op["op_name"] in ("CONV_2D", "FULLY_CONNECTED"):
            found += [interpreter.get_tensor(index) for index in op["inputs"][1:3] if index >= 0]
    return found


def of_somebody(hidden: list[layers.Layer], folder: Path) -> Original:
    """A network from a file: some layers for small colour images, and a dense one behind them."""
    image = x = keras.Input((8, 8, 3))
    for layer in hidden:
        x = layer(x)
    model = keras.Model(image, layers.Dense(3, name="logits")(layers.Flatten()(x)), name="somebodys")
    save(model, folder / "twin.keras")
    write_json(folder / "model.json", {"model": "somebodys"})
    return Original(folder)


def colours() -> Inputs:
    numbers = np.arange(16)
    images = np.random.default_rng(0).integers(0, 256, (16, 8, 8, 3), np.uint8)
    return ImageStack(
        dataset="noise",
        title="Noise",
        class_names=["one", "other", "third"],
        labels=numbers % 3,
        train=numbers,
        validation=numbers[:0],
        test=numbers[:0],
        images=images,
    )


def test_half_of_the_weights_of_all_layers_but_the_last_are_exactly_zero(pruned: Compressed, trained: Path) -> None:
    network = Original(trained).network
    kernels = [layer.kernel for layer in network.layers if layer.weights]
    zeros, total = pruned.facts["zero_weights"], network.count_params()
    expected = sum(round(0.5 * int(np.prod(kernel.shape))) for kernel in kernels[:-1])
    # Biases begin at zero, and those of units that never fire stay there.
    unused = sum(int((layer.get_weights()[1] == 0).sum()) for layer in network.layers if layer.weights)
    assert expected <= zeros <= expected + unused
    assert pruned.facts["weights"] == total
    assert pruned.facts["sparsity"] == zeros / total
    assert pruned.weight_bits == 32 * (total - zeros)


def test_the_smallest_weights_are_those_that_are_gone_from_the_file(pruned: Compressed, trained: Path) -> None:
    before = Original(trained).network.get_layer("dense2").get_weights()[0]
    after = next(one for one in constants(pruned.content) if one.shape == before.T.shape).T
    assert np.abs(before[after == 0]).max() <= np.abs(before[after != 0]).min()
    # Bit for bit: a zero with a sign would be another number to whoever packs them.
    assert set(after[after == 0].view(np.uint32).tolist()) == {0}
    assert (after[after != 0] != before[after != 0]).mean() > 0.5, "the rest was not trained"


def test_a_3d_kernel_is_pruned_and_not_its_copies_in_the_twin(pruned: Compressed, trained: Path) -> None:
    kernel = Original(trained).network.get_layer("conv3d_1").get_weights()[0]
    folded = constants(pruned.content)[0]
    zeros = round(kernel.size / 2)
    positions = folded.shape[0] // kernel.shape[-1]
    assert (folded != 0).sum() == positions * (kernel.size - zeros)


def test_pruned_networks_still_work(
    pruned: Compressed, trained: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    (tmp_path / "model.tflite").write_bytes(pruned.content)
    truth = tiny_scene.labels[tiny_scene.test]
    before, after = (
        accuracy(logits(LiteRT(path), tiny_scene, tiny_scene.test), truth)
        for path in (trained / "original.tflite", tmp_path / "model.tflite")
    )
    assert after > before - 0.05


@pytest.mark.slow
def test_pruning_again_gives_the_same_bytes_and_leaves_the_original_alone(
    pruned: Compressed, trained: Path, tiny_scene: ScenePatches
) -> None:
    original = Original(trained)
    # Read before, which draws random numbers.
    weights = [value.copy() for value in original.network.get_weights()]
    assert prune.compress(original, tiny_scene, HALF_OF_WEIGHTS) == pruned
    assert all(np.array_equal(*pair) for pair in zip(weights, original.network.get_weights(), strict=True))


@pytest.mark.parametrize(("sparsity", "left"), [(0, 192 * 4), (0.25, 192 * 3), (0.9999, 1)])
def test_a_network_from_a_file_is_pruned_as_its_twin(sparsity: float, left: int, tmp_path: Path) -> None:
    original = of_somebody([layers.Flatten(), layers.Dense(4, activation="relu")], tmp_path)
    result = prune.compress(original, colours(), HALF_OF_WEIGHTS.model_copy(update={"sparsity": sparsity}))
    assert (constants(result.content)[0] != 0).sum() == left


def test_the_filters_that_go_are_those_of_the_smallest_l1_norm_with_their_biases(tmp_path: Path) -> None:
    original = of_somebody([layers.Conv2D(8, 3, activation="relu", bias_initializer="ones")], tmp_path)
    norms = np.abs(original.twin.layers[1].get_weights()[0]).sum(axis=(0, 1, 2))
    result = prune.compress(original, colours(), QUARTER_OF_FILTERS)
    kernel, bias = constants(result.content)[:2]
    gone = (kernel == 0).all(axis=(1, 2, 3))
    assert set(np.flatnonzero(gone)) == set(np.argsort(norms)[:2])
    assert ((bias == 0) == gone).all()


@pytest.mark.slow
def test_a_pruned_filter_gives_nothing_but_zeros_behind_batch_normalisation_too(tmp_path: Path) -> None:
    # As after training, when no statistic is 0 or 1 any more.
    drawn = keras.initializers.RandomUniform(0.5, 1.5, seed=0)
    norm = layers.BatchNormalization(
        beta_initializer=drawn,
        gamma_initializer=drawn,
        moving_mean_initializer=drawn,
        moving_variance_initializer=drawn,
    )
    original = of_somebody([layers.Conv2D(8, 3), norm, layers.ReLU()], tmp_path)
    result = prune.compress(original, colours(), QUARTER_OF_FILTERS)
    # The converter joins both layers, as the twins of our own networks do.
    kernel, bias = constants(result.content)[:2]
    gone = (kernel == 0).all(axis=(1, 2, 3))
    assert gone.sum() == 2
    assert ((bias == 0) == gone).all()
    # A kernel, a bias, a factor and an offset each.
    assert result.facts["zero_weights"] >= 2 * (27 + 3)


def test_filters_of_a_network_without_convolutions_are_refused(tmp_path: Path) -> None:
    original = of_somebody([layers.Flatten(), layers.Dense(4, activation="relu")], tmp_path)
    with pytest.raises(QuantriftError, match=r"'somebodys' has no convolutions before its last layer"):
        prune.compress(original, colours(), QUARTER_OF_FILTERS)
