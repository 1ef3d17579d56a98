"""The networks are the published ones."""

import gzip
import os
from pathlib import Path

import keras
import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import architecture
from quantrift.core.networks.architectures import hybridsn, lenet1, lenet5, ssrn
from quantrift.core.networks.macs import conv3d_share, macs, parameters
from quantrift.core.settings.networks import SSRN, VGG16, HybridSN, LeNet1, LeNet5, Networks

ALL = Networks()
GREY, COLOUR = (28, 28, 1), (32, 32, 3)


def test_vgg16_has_the_dense_layers_asked_for_as_narrow_as_the_rest() -> None:
    whole = architecture.load("vgg16").build(VGG16(dense=(4096, 4096)), COLOUR, 10)
    convolutions = 14_719_818 - 513 * 10
    assert parameters(whole) == convolutions + 513 * 4096 + 4097 * 4096 + 4097 * 10
    narrow = architecture.load("vgg16").build(VGG16(dense=(4096,), width=0.125), COLOUR, 10)
    assert [layer.units for layer in narrow.layers if hasattr(layer, "units")] == [512, 10]


@pytest.mark.parametrize(
    ("name", "shape", "classes", "size", "work"),
    [
        ("ssrn", (7, 7, 103), 9, 216_537, 47_712_384),
        ("ssrn", (7, 7, 204), 16, 370_312, 95_164_152),
        # As in the file published with DiffChaser and DFlare.
        ("lenet1", GREY, 10, 7_206, 319_480),
        ("lenet4", GREY, 10, 69_362, 654_696),
        ("lenet5", GREY, 10, 107_786, 693_000),
        # Distiller's simplenet_mnist, resnet20_cifar, plain20_cifar, vgg16_cifar.
        ("cnn", GREY, 10, 431_080, 2_293_000),
        ("resnet20", COLOUR, 10, 272_474, 40_813_184),
        ("plainnet20", COLOUR, 10, 269_722, 40_551_040),
        ("vgg16", COLOUR, 10, 14_719_818, 313_201_664),
        ("vgg16", GREY, 10, 14_718_666, 267_646_976),
        # Keras's mnist_mlp.
        ("mlp", GREY, 10, 669_706, 668_672),
        ("mlp", COLOUR, 10, 1_841_162, 1_840_128),
    ],
)
def test_full_networks_have_the_expected_weights_and_work(
    name: str, shape: tuple[int, int, int], classes: int, size: int, work: int
) -> None:
    model = architecture.load(name).build(getattr(ALL, name), shape, classes)
    assert model.name == name
    assert model.input_shape == (None, *shape)
    assert model.output_shape == (None, classes)
    assert parameters(model) == size
    assert sum(macs(model).values()) == work


def test_hybridsn_has_the_published_layers_and_number_of_weights() -> None:
    # Table I of Roy et al. 2020 states 5,122,176 for 30 bands and 16 classes.
    model = hybridsn.build(HybridSN(), (25, 25, 30), 16)
    assert model.count_params() == parameters(model) == 5_122_176
    assert model.get_layer("conv3d_3").output.shape == (None, 19, 19, 18, 32)


def test_conv3d_holds_59_percent_of_hybridsn_on_15_components() -> None:
    model = hybridsn.build(HybridSN(), (25, 25, 15), 9)
    assert sum(macs(model).values()) == 50_821_176
    assert conv3d_share(model) == pytest.approx(0.592, abs=0.001)


def test_ssrn_has_the_published_shapes() -> None:
    # The README of the public code: 7x7x200 in, 5x5x24 before the pooling, two blocks of each kind, identity shortcuts.
    model = ssrn.build(SSRN(), (7, 7, 200), 16)
    shapes = {name: model.get_layer(name).output.shape[1:] for name in ("spectral", "reduce", "fold", "spatial")}
    assert shapes == {
        "spectral": (7, 7, 97, 24),
        "reduce": (7, 7, 1, 128),
        "fold": (7, 7, 128, 1),
        "spatial": (5, 5, 1, 24),
    }
    assert [layer.name for layer in model.layers if isinstance(layer, keras.layers.Add)] == [
        "spectral1_add",
        "spectral2_add",
        "spatial1_add",
        "spatial2_add",
    ]
    assert conv3d_share(model) > 0.999


def test_ssrn_refuses_fewer_bands_than_its_kernel() -> None:
    with pytest.raises(QuantriftError, match="at least 7 bands, got 6"):
        ssrn.build(SSRN(), (7, 7, 6), 9)


def test_width_narrows_every_layer_but_the_last() -> None:
    model = hybridsn.build(HybridSN(width=0.25), (25, 25, 15), 9)
    widths = [layer.output.shape[-1] for layer in model.layers if layer.weights]
    assert widths == [2, 4, 8, 16, 64, 32, 9]


@pytest.mark.parametrize("name", [name for name, _ in ALL])
def test_a_quarter_of_the_width_is_about_a_sixteenth_of_the_weights(name: str) -> None:
    settings = getattr(ALL, name)
    shape = settings.shapes[-1] if hasattr(settings, "shapes") else (settings.patch, settings.patch, 16)
    network = architecture.load(name)
    full, narrow = (network.build(settings.model_copy(update={"width": width}), shape, 10) for width in (1, 0.25))
    assert narrow.output_shape == (None, 10)
    assert 1 / 20 < parameters(narrow) / parameters(full) < 0.3


def test_lenet5_has_its_five_layers() -> None:
    model = lenet5.build(LeNet5(), GREY, 10)
    assert [layer.output.shape[1:] for layer in model.layers if layer.weights] == [
        (28, 28, 6),
        (14, 14, 16),
        (120,),
        (84,),
        (10,),
    ]
    assert architecture.twin("lenet5", model) is model


def test_resnet20_is_plainnet20_with_shortcuts() -> None:
    kinds = {}
    for name in ("resnet20", "plainnet20"):
        model = architecture.load(name).build(getattr(ALL, name), COLOUR, 10)
        kinds[name] = [layer.name for layer in model.layers]
        assert sum("norm" not in layer and ("conv" in layer or layer == "logits") for layer in kinds[name]) >= 20
    extra = set(kinds["resnet20"]) - set(kinds["plainnet20"])
    assert set(kinds["plainnet20"]) < set(kinds["resnet20"])
    assert len([name for name in extra if name.endswith("_add")]) == 9
    assert len([name for name in extra if name.endswith("_shortcut")]) == 2


def test_depthwise_convolutions_count_one_channel_each() -> None:
    image = keras.Input((8, 8, 4))
    convolution = keras.layers.DepthwiseConv2D(3, depth_multiplier=2, name="depthwise")(image)
    assert macs(keras.Model(image, convolution)) == {"depthwise": 6 * 6 * 8 * 9}


def test_running_statistics_are_no_parameters() -> None:
    image = keras.Input((8, 8, 4))
    assert parameters(keras.Model(image, keras.layers.BatchNormalization()(image))) == 2 * 4


@pytest.mark.mirror
def test_lenet1_takes_the_published_weights_and_labels_as_published() -> None:
    mirror = Path(os.environ["QUANTRIFT_MIRROR"])

    def read(name: str, header: int) -> np.ndarray:
        return np.frombuffer(gzip.decompress((mirror / "mnist" / name).read_bytes())[header:], np.uint8)

    model = lenet1.build(LeNet1(), GREY, 10)
    model.load_weights(mirror / "models" / "diffchaser" / "lenet1.h5")
    images = read("t10k-images-idx3-ubyte.gz", 16).reshape(-1, *GREY) / np.float32(255)
    labels = model.predict(images, batch_size=256, verbose=0).argmax(axis=1)
    assert (labels == read("t10k-labels-idx1-ubyte.gz", 8)).sum() == 9788
