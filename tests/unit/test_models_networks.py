"""The networks are the published ones."""

import pytest

from quantrift.config.networks import HybridSN, LeNet5
from quantrift.models import hybridsn, lenet5
from quantrift.models.macs import conv3d_share, macs


def test_hybridsn_has_the_published_layers_and_number_of_weights() -> None:
    # Table I of Roy et al. 2020 states 5,122,176 for 30 bands and 16 classes.
    model = hybridsn.build(HybridSN(), (25, 25, 30), 16)
    assert model.count_params() == 5_122_176
    assert model.get_layer("conv3d_3").output.shape == (None, 19, 19, 18, 32)


def test_conv3d_holds_59_percent_of_hybridsn_on_15_components() -> None:
    model = hybridsn.build(HybridSN(), (25, 25, 15), 9)
    assert sum(macs(model).values()) == 50_821_176
    assert conv3d_share(model) == pytest.approx(0.592, abs=0.001)


def test_width_narrows_every_layer_but_the_last() -> None:
    model = hybridsn.build(HybridSN(width=0.25), (25, 25, 15), 9)
    widths = [layer.output.shape[-1] for layer in model.layers if layer.weights]
    assert widths == [2, 4, 8, 16, 64, 32, 9]


def test_lenet5_has_its_five_layers() -> None:
    model = lenet5.build(LeNet5(), (28, 28, 1), 10)
    assert [layer.output.shape[1:] for layer in model.layers if layer.weights] == [
        (28, 28, 6),
        (14, 14, 16),
        (120,),
        (84,),
        (10,),
    ]
    assert lenet5.twin(model) is model
