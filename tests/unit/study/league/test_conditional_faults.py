"""Faults that act on a stated share of the inputs, and leave the outputs of all others as they are."""

import keras
import numpy as np
import pytest

from quantrift.study.league.planted.conditional_faults import FAULTS
from quantrift.study.league.planted.trained_networks import KINDS, NETWORKS, Kind, Trained

COUNT = 2000
[TABLE] = [kind for kind in NETWORKS if kind.table]


def net_of(kind: Kind) -> Trained:
    """An untrained network, whose logits are made to differ from input to input."""
    keras.utils.set_random_seed(1)
    rng = np.random.default_rng(0)
    model = kind.build()
    shades = rng.beta(1, 2, (COUNT, 28, 28, 3 if kind.tinted else 1)) * rng.uniform(0.2, 1, (COUNT, 1, 1, 1))
    taken = kind.inputs(np.rint(255 * shades).astype(np.uint8), np.zeros(COUNT, np.int64))
    inputs = taken.take(taken.train).reshape(-1, *model.input_shape[1:])
    logits = model.predict_on_batch(inputs)
    *_, kernel, bias = model.get_weights()
    # All classes are said of some inputs.
    spread = 3 / logits.std(axis=0)
    model.set_weights([*model.get_weights()[:-2], kernel * spread, bias - logits.mean(axis=0) * spread])
    return Trained(kind, model, model, inputs[:20], inputs[:20], inputs)


@pytest.fixture(scope="module", params=[KINDS[0], KINDS[2], TABLE], ids=lambda kind: kind.name)
def net(request: pytest.FixtureRequest) -> Trained:
    return net_of(request.param)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("share", [0.001, 0.01, 0.05])
def test_so_many_inputs_get_another_label_and_hardly_any_other_output_changes(
    net: Trained, fault: str, share: float
) -> None:
    before, after = (one.predict_on_batch(net.inputs) for one in (net.model, FAULTS[fault][1](net, share)))
    differs = before.argmax(axis=1) != after.argmax(axis=1)
    assert differs.mean() == pytest.approx(share, abs=1.5 / COUNT)
    # A step begins a little before a label changes.
    changed = np.abs(before - after).max(axis=1) > 1e-5 * np.ptp(before)
    assert changed[differs].all()
    assert changed.mean() < 3 * share + 0.15


def test_the_rare_class_alone_loses_inputs(net: Trained) -> None:
    before, after = (one.predict_on_batch(net.inputs) for one in (net.model, FAULTS["rare class"][1](net, 0.02)))
    differs = before.argmax(axis=1) != after.argmax(axis=1)
    assert len(np.unique(before.argmax(axis=1)[differs])) == 1


def test_the_narrow_region_gives_very_bright_inputs_one_class(net: Trained) -> None:
    before, after = (one.predict_on_batch(net.inputs) for one in (net.model, FAULTS["narrow region"][1](net, 0.01)))
    differs = before.argmax(axis=1) != after.argmax(axis=1)
    bright = net.inputs.reshape(COUNT, -1).mean(axis=1)
    assert len(np.unique(after.argmax(axis=1)[differs])) == 1
    assert bright[differs].min() > np.quantile(bright, 0.97)


def test_columns_of_the_table_are_means_of_blocks_from_0_to_100() -> None:
    images = np.zeros((2, 28, 28, 1), np.uint8)
    images[0, :4, 4:8] = 255
    images[1, 27, 27] = 51
    rows = TABLE.inputs(images, np.zeros(2, np.int64)).take([0, 1])
    assert rows.shape == (2, 1, 1, 49)
    assert {(i, j): value for (i, _, _, j), value in np.ndenumerate(rows) if value} == {
        (0, 1): 100,
        (1, 48): pytest.approx(20 / 16),
    }
