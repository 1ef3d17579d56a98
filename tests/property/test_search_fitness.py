"""Properties of the fitness, whatever the objective."""

import math
from collections.abc import Callable
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import log_softmax as reference_log_softmax
from scipy.special import softmax as reference_softmax

from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objective import Objective, log_softmax, softmax
from quantrift.core.search.objectives import jensen_shannon, kmnc, log_gap, margin

seeds = st.integers(0, 2**32 - 1)
NEURONS = 23
RANGES = Profile(
    np.full(NEURONS, "dense"),
    np.linspace(-1, 0, NEURONS, dtype=np.float32),
    np.linspace(0.5, 3, NEURONS, dtype=np.float32),
)
OBJECTIVES: list[Objective] = [
    jensen_shannon.Params(),
    jensen_shannon.Params("code"),
    kmnc.bind(kmnc.Params(), RANGES),
    kmnc.bind(kmnc.Params(k=3, variant="code"), RANGES),
    log_gap.Params(),
    log_gap.Params("original"),
    margin.Params(),
]


def drawn(seed: int, n: int, classes: int, spread: float) -> Outputs:
    rng = np.random.default_rng(seed)
    logits = (spread * rng.normal(size=(2, n, classes))).astype(np.float32)
    neurons = rng.normal(size=(n, NEURONS)).astype(np.float32)
    others = neurons + np.float32(0.1) * rng.normal(size=neurons.shape).astype(np.float32)
    return Outputs(logits[0], logits[1], neurons, others)


def changed(outputs: Outputs, change: Callable[[np.ndarray], np.ndarray]) -> Outputs:
    return Outputs(**{name: change(array) for name, array in vars(outputs).items() if array is not None})


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda one: f"{type(one).__name__}-{vars(one).get('params')}")
@given(seed=seeds, n=st.integers(1, 30))
@settings(max_examples=15)
def test_a_row_depends_on_its_own_input_alone(objective: Objective, seed: int, n: int) -> None:
    outputs = drawn(seed, n, 9, 20)
    together = objective.score(outputs)
    assert (together.shape, together.dtype) == ((n, 1), np.float64)
    assert np.isfinite(together).all()
    for row in range(n):
        alone = objective.score(changed(outputs, itemgetter(slice(row, row + 1))))
        assert alone.tobytes() == together[row].tobytes()
    assert objective.score(changed(outputs, np.asfortranarray)).tobytes() == together.tobytes()


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda one: f"{type(one).__name__}-{vars(one).get('params')}")
def test_no_input_has_no_fitness(objective: Objective) -> None:
    assert objective.score(drawn(0, 0, 9, 1)).shape == (0, 1)


@given(seed=seeds, k=st.integers(1, 50), variant=st.sampled_from(["paper", "code"]))
@settings(max_examples=60)
def test_coverage_equals_sets_of_sections(seed: int, k: int, variant: str) -> None:
    outputs = drawn(seed, 4, 3, 1)
    found = kmnc.bind(kmnc.Params(k, variant), RANGES).score(outputs)  # type: ignore[arg-type]
    for row in range(4):
        first, second = (
            {(neuron, section(values[row, neuron], neuron, k)) for neuron in range(NEURONS)}
            for values in (outputs.neurons_original, outputs.neurons_compressed)
            if values is not None
        )
        union = len(first | second) if variant == "paper" else len(first) + len(second) + len(first & second)
        assert found[row, 0] == -len(first & second) / union


def section(value: float, neuron: int, k: int) -> int:
    """The section of one neuron's value, by its definition."""
    low, high, value = float(RANGES.low[neuron]), float(RANGES.high[neuron]), float(value)
    if value < low:
        return -1
    if value > high:
        return k
    return min(math.floor((value - low) / (high - low) * k), k - 1)


@given(seed=seeds, classes=st.integers(2, 16), spread=st.floats(0.01, 200))
@settings(max_examples=60)
def test_the_codes_divergence_is_that_of_scipy(seed: int, classes: int, spread: float) -> None:
    outputs = drawn(seed, 5, classes, spread)
    found = jensen_shannon.Params("code").score(outputs)[:, 0]
    both = (reference_softmax(logits.astype(np.float64), axis=1) for logits in (outputs.original, outputs.compressed))
    np.testing.assert_allclose(found, np.nan_to_num(jensenshannon(*both, axis=1)), atol=1e-7)


@given(st.lists(st.floats(-760, 0, width=32), min_size=6, max_size=6))
@example([0, -745, -745, 0, -760, -745])
def test_the_divergence_is_at_most_ln_2_also_where_probabilities_are_the_smallest_numbers(logits: list[float]) -> None:
    first, second = (softmax(np.array([part])) for part in (logits[:3], logits[3:]))
    assert 0 <= jensen_shannon.divergence(first, second)[0] <= math.log(2) + 1e-12


@given(seed=seeds, classes=st.integers(2, 12), spread=st.floats(0.01, 100))
@settings(max_examples=60)
def test_gap_and_margin_equal_their_formulas(seed: int, classes: int, spread: float) -> None:
    outputs = drawn(seed, 5, classes, spread)
    first, second = (
        reference_log_softmax(logits.astype(np.float64), axis=1) for logits in (outputs.original, outputs.compressed)
    )
    gap, of_original = (log_gap.Params(top).score(outputs)[:, 0] for top in ("own", "original"))
    found = margin.Params().score(outputs)[:, 0]
    for row in range(5):
        ranked = sorted(first[row].tolist(), reverse=True)
        assert gap[row] == pytest.approx(ranked[0] - max(second[row]), abs=1e-12)
        assert of_original[row] == pytest.approx(ranked[0] - second[row][first[row].argmax()], abs=1e-9)
        assert found[row] == pytest.approx(math.exp(ranked[1]) - math.exp(ranked[0]), abs=1e-12)


@given(seed=seeds)
@settings(max_examples=30)
def test_logarithms_of_softmax_equal_scipy(seed: int) -> None:
    logits = (50 * np.random.default_rng(seed).normal(size=(4, 9))).astype(np.float32)
    np.testing.assert_allclose(
        log_softmax(logits), reference_log_softmax(logits.astype(np.float64), axis=1), atol=1e-12
    )
