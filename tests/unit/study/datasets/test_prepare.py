"""From the settings of a dataset to the inputs of a network, over both files in between."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from pydantic import TypeAdapter
from tests.factories.places import CONFIG
from threadpoolctl import threadpool_limits

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs, ScenePatches
from quantrift.core.settings.model_files import ImageInputs, SceneInputs
from quantrift.core.settings.networks import SSRN, VGG16, HybridSN, ImageNetwork, LeNet5, ResNet20
from quantrift.core.settings.scene_networks import SceneNetwork, SceneSplit
from quantrift.study.datasets.dataset_kind import build
from quantrift.study.datasets.official import Places
from quantrift.study.datasets.prepare import prepared
from quantrift.study.planning.root import AnyDataset


@pytest.fixture(scope="module")
def datasets() -> dict[str, AnyDataset]:
    content = yaml.safe_load((CONFIG / "datasets.yaml").read_text(encoding="utf-8"))
    assert set(content) == {"datasets"}
    return TypeAdapter(dict[str, AnyDataset]).validate_python(content["datasets"])


@pytest.fixture
def mirror() -> Path:
    folder = os.environ.get("QUANTRIFT_MIRROR")
    if not folder:
        pytest.skip("QUANTRIFT_MIRROR is not set")
    return Path(folder)


def inputs_of(
    settings: AnyDataset, network: SceneNetwork | ImageNetwork, folder: Path, mirror: Path | None = None
) -> tuple[dict[str, np.ndarray], Inputs]:
    build(settings, Places(mirror), folder / "source.npz")
    prepared(folder / "source.npz", network, network.id, "some_id").save(folder / "inputs.npz")
    return read_arrays(folder / "source.npz"), Inputs.load(folder / "inputs.npz")


@pytest.mark.parametrize(("name", "classes"), [("sim_pavia", 9), ("sim_salinas", 16)])
def test_simulated_scene_becomes_patches_of_the_published_shape(
    datasets: dict[str, AnyDataset], tmp_path: Path, name: str, classes: int
) -> None:
    source, inputs = inputs_of(datasets[name], HybridSN(), tmp_path)
    assert isinstance(inputs, ScenePatches)
    assert inputs.shape == inputs.take([0]).shape[1:] == (25, 25, 15)
    assert inputs.dataset == "some_id"
    assert "simulated" in inputs.title
    assert len(inputs.class_names) == classes
    labelled = source["ground_truth"][tuple(inputs.positions.T)]
    np.testing.assert_array_equal(inputs.labels, labelled - 1)
    assert len(inputs) == np.count_nonzero(source["ground_truth"])
    assert np.bincount(inputs.labels, minlength=classes).min() >= 30


def test_digits_become_unit_range_images(datasets: dict[str, AnyDataset], tmp_path: Path) -> None:
    source, inputs = inputs_of(datasets["digits"], LeNet5(), tmp_path)
    assert inputs.shape == (28, 28, 1)
    assert len(inputs.validation) == 0
    np.testing.assert_array_equal(inputs.test, source["test"])
    np.testing.assert_array_equal(inputs.take([5])[0] * np.float32(255), source["images"][5])


def test_components_are_fitted_on_training_pixels_or_on_all(datasets: dict[str, AnyDataset], tmp_path: Path) -> None:
    def covariance(pca_fit: Any) -> tuple[np.ndarray, np.ndarray]:
        _, inputs = inputs_of(datasets["sim_pavia"], HybridSN(pca_fit=pca_fit), tmp_path)
        assert isinstance(inputs, ScenePatches)
        training = inputs.scene[tuple(inputs.positions[inputs.train].T)]
        return np.cov(training.T), np.cov(inputs.scene.reshape(-1, 15).T)

    white = np.eye(15)
    of_training, of_all = covariance("train")
    np.testing.assert_allclose(of_training, white, atol=1e-4)
    assert not np.allclose(of_all, white, atol=1e-2)
    np.testing.assert_allclose(covariance("all")[1], white, atol=1e-4)


def test_without_components_every_band_is_standardised_on_training_pixels_or_on_all(
    datasets: dict[str, AnyDataset], tmp_path: Path
) -> None:
    for pca_fit in ("train", "all"):
        _, inputs = inputs_of(datasets["sim_pavia"], SSRN.model_validate({"pca_fit": pca_fit}), tmp_path)
        assert isinstance(inputs, ScenePatches)
        assert inputs.shape == (7, 7, 103)
        training, whole = inputs.scene[tuple(inputs.positions[inputs.train].T)], inputs.scene.reshape(-1, 103)
        fitted = training if pca_fit == "train" else whole
        np.testing.assert_allclose(fitted.mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(fitted.std(axis=0), 1, atol=1e-5)
        assert len(inputs.validation) == len(inputs.train)
    assert not np.allclose(training.std(axis=0), 1, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "network"),
    [("sim_pavia", HybridSN()), ("sim_pavia", SSRN()), ("digits", LeNet5()), ("sim_textures", ResNet20())],
)
def test_equal_settings_give_equal_files(
    datasets: dict[str, AnyDataset], tmp_path: Path, name: str, network: SceneNetwork | ImageNetwork
) -> None:
    for run in ("one", "two"):
        inputs_of(datasets[name], network, tmp_path / run)
    for file in ("source.npz", "inputs.npz"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("name", "network", "says"),
    [
        ("digits", HybridSN(), "holds images, hybridsn takes scenes"),
        ("sim_pavia", LeNet5(), "is a scene, lenet5 takes images"),
        ("sim_pavia", HybridSN(components=104), "components: 104 asked for"),
        ("digits", SSRN(), "holds images, ssrn takes scenes"),
        ("sim_pavia", VGG16(), "is a scene, vgg16 takes images"),
        ("sim_textures", LeNet5(), r"images of shape \(32, 32, 3\), lenet5 takes \(28, 28, 1\); choose"),
        ("digits", ResNet20(), r"images of shape \(28, 28, 1\), resnet20 takes \(32, 32, 3\); choose"),
    ],
)
def test_network_and_dataset_that_do_not_fit_are_refused(
    datasets: dict[str, AnyDataset], tmp_path: Path, name: str, network: SceneNetwork | ImageNetwork, says: str
) -> None:
    with pytest.raises(QuantriftError, match=says):
        inputs_of(datasets[name], network, tmp_path)


def test_images_of_another_size_are_refused_by_lenet(datasets: dict[str, AnyDataset], tmp_path: Path) -> None:
    build(datasets["digits"], Places(), tmp_path / "source.npz")
    arrays = read_arrays(tmp_path / "source.npz")
    np.savez(tmp_path / "source.npz", allow_pickle=False, **{**arrays, "images": arrays["images"][:, ::2]})
    with pytest.raises(QuantriftError, match=r"shape \(14, 28, 1\)"):
        prepared(tmp_path / "source.npz", LeNet5(), "lenet5", "small").save(tmp_path / "inputs.npz")


def test_crops_and_simulations_have_the_classes_of_what_they_stand_for(datasets: dict[str, AnyDataset]) -> None:
    for settings in datasets.values():
        if settings.published_as in datasets:
            assert settings.class_names == datasets[settings.published_as].class_names


def test_simulations_say_so(datasets: dict[str, AnyDataset]) -> None:
    simulated = {name for name, settings in datasets.items() if settings.simulated}
    assert simulated == {"sim_pavia", "sim_salinas", "sim_textures"}
    assert simulated == {name for name, settings in datasets.items() if "simulated" in settings.title}
    assert all("simulated" not in settings.model_dump() for settings in datasets.values())


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "pixels", "classes"),
    [("pavia_university_crop", 2928, [0, 1, 3, 4, 5, 6, 7, 8]), ("salinas_a", 5348, [0, 9, 10, 11, 12, 13])],
)
def test_real_crops_keep_the_class_numbers_of_their_scene(
    datasets: dict[str, AnyDataset], mirror: Path, tmp_path: Path, name: str, pixels: int, classes: list[int]
) -> None:
    network = HybridSN(split=SceneSplit(kind="per_class", train=0.1, validation=0.1))
    _, inputs = inputs_of(datasets[name], network, tmp_path, mirror)
    assert len(inputs) == pixels
    assert np.unique(inputs.labels).tolist() == classes
    assert inputs.take(inputs.test[:2]).shape == (2, 25, 25, 15)


@pytest.mark.mirror
def test_the_number_of_threads_does_not_matter(datasets: dict[str, AnyDataset], mirror: Path, tmp_path: Path) -> None:
    # Of the scenes at hand, the Pavia crop is the one whose components differ when BLAS may use two threads.
    for threads in (1, 2):
        with threadpool_limits(threads):
            inputs_of(datasets["pavia_university_crop"], HybridSN(), tmp_path / str(threads), mirror)
    assert (tmp_path / "1" / "inputs.npz").read_bytes() == (tmp_path / "2" / "inputs.npz").read_bytes()


@pytest.mark.mirror
def test_real_mnist_keeps_its_official_split(datasets: dict[str, AnyDataset], mirror: Path, tmp_path: Path) -> None:
    _, inputs = inputs_of(datasets["mnist"], LeNet5(), tmp_path, mirror)
    assert (len(inputs.train), len(inputs.test)) == (60000, 10000)
    assert inputs.labels[inputs.train[:5]].tolist() == [5, 0, 4, 1, 9]
    assert inputs.labels[inputs.test[:5]].tolist() == [7, 2, 1, 0, 4]


@pytest.mark.mirror
def test_the_real_subset_of_cifar_keeps_its_split(
    datasets: dict[str, AnyDataset], mirror: Path, tmp_path: Path
) -> None:
    source, inputs = inputs_of(datasets["cifar10_subset"], ResNet20(), tmp_path, mirror)
    assert (len(inputs.train), len(inputs.test), inputs.shape) == (4000, 1000, (32, 32, 3))
    names = np.array(inputs.class_names)
    assert names[inputs.labels[inputs.train[:5]]].tolist() == ["frog", "truck", "truck", "deer", "automobile"]
    assert names[inputs.labels[inputs.test[:5]]].tolist() == ["cat", "ship", "ship", "airplane", "frog"]
    published = read_arrays(mirror / "cifar10" / "cifar10_lossless_train4000_test1000.npz")
    np.testing.assert_array_equal(source["images"], np.concatenate([published["x_train"], published["x_test"]]))
    assert source["images"][0, 0, :2].tolist() == [[59, 62, 63], [43, 46, 45]]
    np.testing.assert_array_equal(inputs.take(inputs.test[:1])[0] * np.float32(255), published["x_test"][0])


@pytest.fixture
def colours(tmp_path: Path) -> Path:
    """Two training images and a test image of 2x2 pixels in colour."""
    rng = np.random.default_rng(0)
    arrays = {
        "images": rng.integers(0, 256, (3, 2, 2, 3), np.uint8),
        "labels": np.array([0, 1, 1]),
        "train": np.array([0, 1]),
        "test": np.array([2]),
        "class_names": np.array(["one", "other"]),
        "title": np.array("Colours"),
    }
    write_arrays(tmp_path / "source.npz", arrays)
    return tmp_path / "source.npz"


@pytest.mark.parametrize(
    ("settings", "formula"),
    [
        (ImageInputs(), lambda x: x / 255),
        (ImageInputs(low=-1), lambda x: x / 127.5 - 1),
        (ImageInputs(high=255), lambda x: x),
        (
            ImageInputs(mean=(0.4, 0.5, 0.6), std=(0.1, 0.2, 0.3)),
            lambda x: (x / 255 - [0.4, 0.5, 0.6]) / [0.1, 0.2, 0.3],
        ),
        (
            ImageInputs(high=255, mean=(104, 117, 124), channels="bgr"),
            lambda x: x[..., ::-1] - [104, 117, 124],
        ),
    ],
)
def test_a_network_from_a_file_gets_images_as_it_wants_them(
    colours: Path, tmp_path: Path, settings: ImageInputs, formula: Callable[[np.ndarray], np.ndarray]
) -> None:
    prepared(colours, settings, "mine", "colours").save(tmp_path / "inputs.npz")
    inputs = Inputs.load(tmp_path / "inputs.npz")
    expected = formula(read_arrays(colours)["images"].astype(np.float64))
    taken = inputs.take(np.arange(3))
    assert taken.dtype == np.float32
    np.testing.assert_allclose(taken, expected, rtol=1e-5, atol=1e-5)
    low, high = inputs.data_range
    assert low <= taken.min() <= taken.max() <= high


def test_plain_images_are_bytes_over_255_to_the_last_bit(colours: Path, tmp_path: Path) -> None:
    prepared(colours, ImageInputs(), "mine", "colours").save(tmp_path / "inputs.npz")
    expected = read_arrays(colours)["images"].astype(np.float32) / np.float32(255)
    np.testing.assert_array_equal(Inputs.load(tmp_path / "inputs.npz").take([0, 1, 2]), expected)


def test_as_many_means_as_channels(colours: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match=r"inputs.mean has 2 numbers, images of 'colours' have 3 channels"):
        prepared(colours, ImageInputs(mean=(1, 2)), "mine", "colours").save(tmp_path / "inputs.npz")


def test_a_network_from_a_file_gets_the_patches_of_one_trained_here(
    datasets: dict[str, AnyDataset], tmp_path: Path
) -> None:
    build(datasets["sim_pavia"], Places(None), tmp_path / "source.npz")
    split = SceneSplit(kind="overall", test=0.7)
    own = SceneInputs(kind="scene", patch=25, components=15, split=split)
    prepared(tmp_path / "source.npz", own, "mine", "sim_pavia").save(tmp_path / "own.npz")
    prepared(tmp_path / "source.npz", HybridSN(split=split), "hybridsn", "sim_pavia").save(tmp_path / "trained.npz")
    assert (tmp_path / "own.npz").read_bytes() == (tmp_path / "trained.npz").read_bytes()
    with pytest.raises(QuantriftError, match="is a scene, mine takes images"):
        prepared(tmp_path / "source.npz", ImageInputs(), "mine", "sim_pavia").save(tmp_path / "no.npz")


def test_glitches_are_cut_off_on_request(datasets: dict[str, AnyDataset], tmp_path: Path) -> None:
    build(datasets["sim_pavia"], Places(None), tmp_path / "source.npz")
    scenes = []
    for clip in (None, 1.5):
        settings = SSRN(clip=clip)
        prepared(tmp_path / "source.npz", settings, "ssrn", "sim_pavia").save(tmp_path / "inputs.npz")
        inputs = Inputs.load(tmp_path / "inputs.npz")
        assert isinstance(inputs, ScenePatches)
        scenes.append(inputs.scene)
    assert abs(scenes[0]).max() > 1.5
    np.testing.assert_array_equal(scenes[1], scenes[0].clip(-1.5, 1.5))
