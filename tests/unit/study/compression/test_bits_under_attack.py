"""Networks of a bit study are attacked as their rounded weights compute, whatever else is in the file."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.factories.inputs import images as stack

from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.training.accuracy_under_attack import Attacked
from quantrift.core.networks.training.adversarial_samples import drawn
from quantrift.core.settings.attacks import ProjectedGradient, Robustness
from quantrift.core.settings.networks import MLP
from quantrift.study.compression.bits.bit_networks import Form, packed, restored
from quantrift.study.compression.bits.bit_networks import write as write_networks
from quantrift.study.compression.bits.bits_under_attack import attack
from quantrift.study.compression.bits.rounding import rounded
from quantrift.study.compression.published_form import kernels

SETTINGS = Robustness(pgd=ProjectedGradient(steps=2, inputs=30))
STRENGTHS = [0.0, 0.05]


@pytest.fixture(scope="module")
def inputs() -> ImageStack:
    """Images of three kinds of gradients, with noise."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 160)
    ramps = np.stack([np.add.outer(up * np.arange(8), over * np.arange(8)) for up, over in ((16, 0), (0, 16), (8, 8))])
    images = (ramps[labels] + rng.integers(0, 120, (160, 8, 8))).astype(np.uint8)[..., None]
    names, train, test = ["down", "right", "both"], np.arange(60), np.arange(60, 160)
    return stack(images, labels, names, dataset="ramps", train=train, test=test)


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Untrained perceptrons of 1, 3 and 32 bits, two of each."""
    path = tmp_path_factory.mktemp("bits") / "networks.npz"
    form = Form.of("mlp", MLP(width=0.0625), (8, 8, 1), 3)
    model, found = form.build(), {}
    rng = np.random.default_rng(1)
    for bits in (1, 3, 32):
        for repetition in range(2):
            own = []
            for kernel in kernels(model):
                own.append(np.full(kernel.shape, bits, np.uint8))
                kernel.assign(rounded(rng.normal(size=kernel.shape, scale=0.3), own[-1]))
            found[f"homogeneous_{bits}", repetition] = packed(model, own)
    write_networks(path, form, found)
    return path


def outcomes_of(networks: Path, chosen: list[str], inputs: ImageStack, out: Path) -> pd.DataFrame:
    attack(networks, chosen, inputs, SETTINGS, STRENGTHS, out)
    return pd.read_parquet(out)


def test_each_chosen_network_is_attacked_along_the_gradient_of_its_rounded_weights(
    networks: Path, inputs: ImageStack, tmp_path: Path
) -> None:
    found = outcomes_of(networks, ["homogeneous_1", "homogeneous_32"], inputs, tmp_path / "all.parquet")
    named = found[["setting", "repetition"]].drop_duplicates().itertuples(index=False, name=None)
    assert list(named) == [("homogeneous_1", 0), ("homogeneous_1", 1), ("homogeneous_32", 0), ("homogeneous_32", 1)]
    assert len(found) == 4 * 3 * len(STRENGTHS)
    numbers = drawn(inputs, SETTINGS)
    x, truth = inputs.take(numbers), inputs.labels[numbers]
    for setting, repetition, model in restored(networks):
        own = found[(found["setting"] == setting) & (found["repetition"] == repetition) & (found["attack"] == "fgsm")]
        fresh = Attacked(partial(model, training=False), inputs.shape, (0, 1))
        samples = fresh.fast_gradient(x, truth, STRENGTHS)
        expected = [(fresh(one).argmax(axis=1) == truth).sum() for one in samples]
        assert own["correct"].tolist() == (expected if setting != "homogeneous_3" else [])


def test_an_outcome_does_not_depend_on_the_other_networks(networks: Path, inputs: ImageStack, tmp_path: Path) -> None:
    whole = outcomes_of(networks, ["homogeneous_1", "homogeneous_3", "homogeneous_32"], inputs, tmp_path / "a.parquet")
    alone = outcomes_of(networks, ["homogeneous_3"], inputs, tmp_path / "b.parquet")
    part = whole[whole["setting"] == "homogeneous_3"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, part)


def test_a_network_that_became_nan_stays_so_and_labels_all_inputs_alike(inputs: ImageStack, tmp_path: Path) -> None:
    form = Form.of("mlp", MLP(width=0.0625), (8, 8, 1), 3)
    model = form.build()
    first = kernels(model)[0]
    first.assign(np.full(first.shape, np.nan, np.float32))
    bits = [np.full(kernel.shape, 1, np.uint8) for kernel in kernels(model)]
    arrays = packed(model, bits)
    assert np.isnan(arrays["0"]).all()
    assert "2.levels" in arrays
    write_networks(tmp_path / "n.npz", form, {("homogeneous_1", 0): arrays})
    found = outcomes_of(tmp_path / "n.npz", ["homogeneous_1"], inputs, tmp_path / "n.parquet")
    of_first_class = int((inputs.labels[inputs.test] == 0).sum())
    assert set(found[found["inputs"] == len(inputs.test)]["correct"]) == {of_first_class}
