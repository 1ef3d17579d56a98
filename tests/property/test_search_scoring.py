"""Properties of the validity constraint and of the fitness."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import softmax as reference_softmax

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.constraints import psnr
from quantrift.core.search.objective import softmax
from quantrift.core.search.objectives import jensen_shannon
from quantrift.core.search.space import Domain, Originals

DOMAIN = Domain((5, 5, 3), -3.0, 7.0)
DIVERGENCE = jensen_shannon.Params()
seeds = st.integers(0, 2**32 - 1)


def naive_psnr(inputs: np.ndarray, original: np.ndarray) -> float:
    error = inputs.astype(np.float64) - original.astype(np.float64)
    return float(20 * np.log10(original.max() / np.sqrt(np.mean(error**2))))


@given(seed=seeds, scale=st.floats(1e-3, 1e3), noise=st.floats(1e-3, 2))
@settings(max_examples=80)
def test_psnr_is_20_log10_of_peak_over_rmse(seed: int, scale: float, noise: float) -> None:
    rng = np.random.default_rng(seed)
    original = (scale * (0.2 + rng.random((6, 5, 7)))).astype(np.float32)
    distorted = (original * (1 + noise * rng.normal(size=original.shape))).astype(np.float32)
    constraint = psnr.bind(psnr.Params(), DOMAIN)
    found = constraint.measure(distorted[None], Originals(original[None]), np.array([0]))
    assert found.judged[0] == found.psnr[0] == pytest.approx(naive_psnr(distorted, original), abs=1e-4)
    [violation] = constraint.violation(found.judged)
    assert violation == pytest.approx(max(0.0, 20 - found.psnr[0]))
    assert (violation == 0) == (found.psnr[0] >= 20)


@given(seed=seeds, n=st.integers(1, 40))
@settings(max_examples=30)
def test_checks_and_fitness_of_a_row_do_not_depend_on_other_rows(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    originals = Originals(rng.normal(size=(3, 7, 7, 11)).astype(np.float32))
    rows = rng.integers(0, 3, n)
    inputs = (originals.inputs[rows] + 0.1 * rng.normal(size=(n, 7, 7, 11))).astype(np.float32)
    constraint = psnr.bind(psnr.Params(), DOMAIN)
    together = constraint.measure(inputs, originals, rows)
    logits = [(20 * rng.normal(size=(n, 9))).astype(np.float32) for _ in range(2)]
    fitness = DIVERGENCE.score(Outputs(*logits))
    for i in range(n):
        alone = constraint.measure(inputs[i : i + 1].copy(), originals, rows[i : i + 1])
        assert alone.psnr[0] == together.psnr[i]
        score = DIVERGENCE.score(Outputs(*(logit[i : i + 1].copy() for logit in logits)))
        assert score[0, 0] == fitness[i, 0]
        strided = DIVERGENCE.score(Outputs(*(np.asfortranarray(logit)[i : i + 1] for logit in logits)))
        assert strided[0, 0] == fitness[i, 0]


def test_the_seed_input_itself_is_valid_with_infinite_psnr() -> None:
    original = np.ones((1, 5, 5, 3), np.float32)
    constraint = psnr.bind(psnr.Params(), DOMAIN)
    found = constraint.measure(original, Originals(original), np.array([0]))
    assert found.psnr[0] == np.inf
    assert constraint.violation(found.judged)[0] == 0


def test_a_maximum_that_is_not_positive_falls_back_to_the_range() -> None:
    rng = np.random.default_rng(0)
    original = (-1 - rng.random((5, 5, 3))).astype(np.float32)
    distorted = (original + np.float32(0.01)).astype(np.float32)
    constraint, seeds = psnr.bind(psnr.Params(), DOMAIN), Originals(np.stack([original, -original]))
    found = constraint.measure(distorted[None], seeds, np.array([0]))
    span = float(original.max()) - float(original.min())
    assert found.psnr[0] == pytest.approx(20 * np.log10(span / 0.01), abs=1e-3)
    assert constraint.fallback(seeds).tolist() == [True, False]
    assert not psnr.bind(psnr.Params(peak="patch_range"), DOMAIN).fallback(seeds).any()


def test_the_peak_is_a_setting() -> None:
    original = np.linspace(1, 2, 50, dtype=np.float32).reshape(1, 5, 5, 2)
    distorted = original + np.float32(0.1)
    found = [
        psnr.bind(psnr.Params(peak=peak), DOMAIN).measure(distorted, Originals(original), np.array([0])).psnr[0]
        for peak in ("patch_max", "patch_range", "data_range")
    ]
    assert found == pytest.approx([20 * np.log10(span / 0.1) for span in (2, 1, 10)], abs=1e-4)


@given(seed=seeds, classes=st.integers(2, 16), spread=st.floats(0.01, 200))
@settings(max_examples=80)
def test_divergence_equals_scipy_and_stays_in_its_bounds(seed: int, classes: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    logits = [(spread * rng.normal(size=(5, classes))).astype(np.float32) for _ in range(2)]
    found = DIVERGENCE.score(Outputs(*logits))[:, 0]
    first, second = (reference_softmax(logit.astype(np.float64), axis=1) for logit in logits)
    expected = jensenshannon(first, second, axis=1) ** 2
    np.testing.assert_allclose(found, np.nan_to_num(expected), atol=1e-12)
    assert np.all((found >= 0) & (found <= np.log(2) + 1e-12))
    np.testing.assert_allclose(found, DIVERGENCE.score(Outputs(*logits[::-1]))[:, 0], atol=1e-15)


@given(seed=seeds)
@settings(max_examples=30)
def test_softmax_equals_scipy(seed: int) -> None:
    logits = (50 * np.random.default_rng(seed).normal(size=(4, 9))).astype(np.float32)
    np.testing.assert_allclose(softmax(logits), reference_softmax(logits.astype(np.float64), axis=1), atol=1e-15)


def test_equal_outputs_have_no_divergence() -> None:
    logits = np.random.default_rng(0).normal(size=(6, 9)).astype(np.float32)
    assert np.all(DIVERGENCE.score(Outputs(logits, logits)) == 0)
