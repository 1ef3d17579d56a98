"""Networks with a given number of bits for each weight: homogeneous and heterogeneous, in both forms."""

import dataclasses
import shutil
from pathlib import Path

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tests.factories import inputs

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_json
from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches
from quantrift.core.networks.architectures import mlp
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.training_run import trained as plainly_trained
from quantrift.core.settings.networks import MLP, HybridSN, LeNet5, Network, Training
from quantrift.study.compression.methods import heterogeneous, homogeneous

TRAINING = Training(epochs=3, batch=32, learning_rate=0.003)


@pytest.fixture(scope="module")
def digits() -> ImageStack:
    return inputs.digits()


def to_train_anew(folder: Path, model_id: str, settings: Network) -> Original:
    """A network of which only the settings are known, all that the form ``trained`` reads."""
    write_json(folder / "model.json", {"model": model_id, "settings": settings.model_dump(mode="json")})
    return Original(folder)


def constants(content: bytes) -> list[np.ndarray]:
    """Float tensors of more than one axis in a file: its kernels."""
    interpreter = Interpreter(
        model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    )
    found = []
    for detail in interpreter.get_tensor_details():
        if detail["dtype"] is np.float32 and len(detail["shape"]) > 1 and detail["shape_signature"][0] > 0:
            try:
                found.append(interpreter.get_tensor(detail["index"]))
            except ValueError:
                continue
    return found


def outputs(compressed: Compressed, inputs: Inputs, tmp_path: Path) -> np.ndarray:
    path = tmp_path / "model.tflite"
    path.write_bytes(compressed.content)
    return logits(LiteRT(path), inputs, inputs.test)


def homogeneously(bits: int) -> homogeneous.Settings:
    return homogeneous.Settings(method="homogeneous", bits=bits)


def drawn(shares: tuple[float, ...], seed: int = 0, budget: float = 5) -> heterogeneous.Settings:
    return heterogeneous.Settings(method="heterogeneous", bits=(3, 4, 5, 6), shares=shares, budget=budget, seed=seed)


@pytest.fixture(scope="module")
def in_two_bits(trained: Path, tiny_scene: ScenePatches) -> Compressed:
    return homogeneous.compress(Original(trained), tiny_scene, homogeneously(2))


def test_all_copies_of_a_weight_in_the_twin_are_rounded_alike(in_two_bits: Compressed) -> None:
    kernels = constants(in_two_bits.content)
    assert len(kernels) == 7
    for kernel in kernels:
        # The block-Toeplitz kernels of 3-D convolutions have zeros beside the four levels.
        values = np.unique(np.abs(kernel[kernel != 0]))
        assert len(values) == 2
        assert values[1] / values[0] == pytest.approx(3, rel=1e-6)


def test_weight_bits_count_each_weight_of_the_published_network_once_and_biases_in_full(
    in_two_bits: Compressed, trained: Path
) -> None:
    weights = Original(trained).network.get_weights()
    kernels = sum(weight.size for weight in weights if weight.ndim > 1)
    biases = sum(weight.size for weight in weights if weight.ndim == 1)
    assert in_two_bits.weight_bits == 2 * kernels + 32 * biases
    assert in_two_bits.facts == {
        "rounded_weights": kernels,
        "mean_bits": 2,
        "variance_of_bits": 0,
        "shares_of_bits": {"2": 1},
    }


@pytest.fixture(scope="module")
def plain(digits: ImageStack, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A perceptron with its initial weights."""
    folder = tmp_path_factory.mktemp("plain")
    settings = MLP(width=0.1, training=TRAINING)
    keras.utils.set_random_seed(0)
    save(mlp.build(settings, digits.shape, 10), folder / "model.keras")
    return to_train_anew(folder, "mlp", settings)


@pytest.mark.slow
def test_with_32_bits_the_file_is_that_of_the_original(plain: Original, digits: ImageStack) -> None:
    assert homogeneous.compress(plain, digits, homogeneously(32)).content == to_tflite(plain.network)


@pytest.mark.slow
def test_more_bits_come_closer_to_the_original(plain: Original, digits: ImageStack, tmp_path: Path) -> None:
    expected = logits(plain.network.predict_on_batch, digits, digits.test)
    found = (homogeneous.compress(plain, digits, homogeneously(bits)) for bits in (2, 5, 9))
    differences = [np.abs(outputs(one, digits, tmp_path) - expected).max() for one in found]
    assert differences[0] > 4 * differences[1] > 16 * differences[2] > 0


def test_the_realised_shares_are_stated_and_their_sum_is_the_size(plain: Original, digits: ImageStack) -> None:
    compressed = heterogeneous.compress(plain, digits, drawn((0.4, 0, 0.3, 0.3)))
    facts = compressed.facts
    assert list(facts["shares_of_bits"]) == ["3", "5", "6"]
    assert list(facts["shares_of_bits"].values()) == pytest.approx([0.4, 0.3, 0.3], abs=0.02)
    biases = sum(weight.size for weight in plain.network.get_weights() if weight.ndim == 1)
    assert compressed.weight_bits == pytest.approx(facts["mean_bits"] * facts["rounded_weights"] + 32 * biases)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(plain: Original, digits: ImageStack) -> None:
    equal = (0.25, 0.25, 0.25, 0.25)
    first, again, other = (heterogeneous.compress(plain, digits, drawn(equal, seed)) for seed in (0, 0, 1))
    assert first == again
    assert first.content != other.content


@pytest.mark.slow
def test_a_distribution_of_one_number_of_bits_is_homogeneous(plain: Original, digits: ImageStack) -> None:
    compressed = heterogeneous.compress(plain, digits, drawn((0, 0, 1, 0)))
    assert compressed == homogeneous.compress(plain, digits, homogeneously(5))


def test_a_budget_that_leaves_weights_without_bits_is_refused(plain: Original, digits: ImageStack) -> None:
    with pytest.raises(QuantriftError, match=r"4\.\d+ bits a weight .* exceeds the budget of 4: .* raise budget"):
        heterogeneous.compress(plain, digits, drawn((0.25, 0.25, 0.25, 0.25), budget=4))


def test_a_network_from_a_file_is_rounded_as_it_is_and_cannot_be_trained_anew(
    trained: Path, in_two_bits: Compressed, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    shutil.copy(trained / "model.keras", tmp_path)
    write_json(tmp_path / "model.json", {"model": "hers", "settings": {}, "file": {"name": "hers.keras"}})
    from_file = homogeneous.compress(Original(tmp_path), tiny_scene, homogeneously(2))
    assert from_file.weight_bits == in_two_bits.weight_bits
    np.testing.assert_allclose(
        outputs(from_file, tiny_scene, tmp_path), outputs(in_two_bits, tiny_scene, tmp_path), rtol=1e-4, atol=1e-4
    )
    with pytest.raises(QuantriftError, match="hers is a file and cannot be trained anew"):
        homogeneous.compress(Original(tmp_path), tiny_scene, in_training(4))


def in_training(bits: int, training: Training = TRAINING) -> homogeneous.Settings:
    return homogeneous.Settings(method="homogeneous", bits=bits, form="trained", training=training)


@pytest.mark.slow
def test_training_with_rounded_weights_learns_and_leaves_them_on_the_levels(
    plain: Original, digits: ImageStack, tmp_path: Path
) -> None:
    compressed = homogeneous.compress(plain, digits, in_training(3))
    assert accuracy(outputs(compressed, digits, tmp_path), digits.labels[digits.test]) > 0.8
    kernels = constants(compressed.content)
    assert len(kernels) == 3
    for kernel in kernels:
        steps = (kernel.astype(np.float64) + 1) * 3.5
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-5)
        assert np.abs(kernel).max() <= 1


@pytest.mark.slow
def test_training_again_gives_the_same_bytes(plain: Original, digits: ImageStack) -> None:
    mixed = heterogeneous.Settings(
        method="heterogeneous", bits=(1, 4), shares=(0.5, 0.5), budget=3, form="trained", training=TRAINING
    )
    some = dataclasses.replace(digits, train=digits.train[:320])
    compressed = heterogeneous.compress(plain, some, mixed)
    assert compressed == heterogeneous.compress(plain, some, mixed)
    assert compressed.facts["shares_of_bits"] == pytest.approx({"1": 0.5, "4": 0.5}, abs=0.02)


@pytest.mark.slow
def test_with_32_bits_and_small_weights_training_is_plain_training(digits: ImageStack, tmp_path: Path) -> None:
    training = TRAINING.model_copy(update={"epochs": 1, "weight_decay": 0.01})
    settings = LeNet5(width=0.25, training=training)
    some = dataclasses.replace(digits, train=digits.train[:320])
    model, _ = plainly_trained("lenet5", settings, some, tmp_path / "checkpoint.npz")
    assert max(np.abs(weight).max() for weight in model.get_weights()) < 1
    compressed = homogeneous.compress(to_train_anew(tmp_path, "lenet5", settings), some, in_training(32, training))
    assert compressed.content == to_tflite(model)


@pytest.mark.slow
def test_a_3d_network_is_trained_with_rounded_weights_and_gets_its_twin(
    tiny_scene: ScenePatches, hybridsn_settings: HybridSN, tmp_path: Path
) -> None:
    original = to_train_anew(tmp_path, "hybridsn", hybridsn_settings)
    training = hybridsn_settings.training.model_copy(update={"epochs": 1})
    kernels = constants(homogeneous.compress(original, tiny_scene, in_training(4, training)).content)
    assert len(kernels) == 7
    for kernel in kernels:
        steps = (kernel[kernel != 0].astype(np.float64) + 1) * 7.5
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-5)
