"""DiffChaser's fitness against its definition, and the constraints of images against theirs."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.constraint import Constraint
from quantrift.core.search.constraints import linf, none
from quantrift.core.search.objective import Objective
from quantrift.core.search.objectives import k_uncertainty, targeted
from quantrift.core.search.space import Domain, Originals

seeds = st.integers(0, 2**32 - 1)
DOMAIN = Domain((5, 4, 3), -1.0, 4.0)


def drawn(seed: int, n: int, classes: int, *, ties: bool) -> Outputs:
    rng = np.random.default_rng(seed)
    logits = 9 * rng.normal(size=(2, n, classes))
    logits = (np.rint(logits) if ties else logits).astype(np.float32)
    return Outputs(logits[0], logits[1], targets=rng.integers(0, classes, n))


def some(outputs: Outputs, rows: slice) -> Outputs:
    assert outputs.targets is not None
    return Outputs(outputs.original[rows], outputs.compressed[rows], targets=outputs.targets[rows])


@given(seed=seeds, n=st.integers(1, 20), classes=st.integers(2, 16), data=st.data(), ties=st.booleans())
@settings(max_examples=100)
def test_k_uncertainty_is_the_gap_in_the_sorted_logits(
    seed: int, n: int, classes: int, data: st.DataObject, ties: bool
) -> None:
    k = data.draw(st.integers(1, classes - 1))
    outputs = drawn(seed, n, classes, ties=ties)
    found = k_uncertainty.Params(k).score(outputs)
    assert (found.shape, found.dtype) == ((n, 2), np.float64)
    for row in range(n):
        for model, logits in enumerate((outputs.original, outputs.compressed)):
            ranked = sorted(logits[row].tolist(), reverse=True)
            assert found[row, model] == -abs(ranked[0] - ranked[k])


@given(seed=seeds, n=st.integers(1, 20), classes=st.integers(2, 16), ties=st.booleans())
@settings(max_examples=60)
def test_targeted_fitness_is_the_gap_to_the_wanted_class(seed: int, n: int, classes: int, ties: bool) -> None:
    outputs = drawn(seed, n, classes, ties=ties)
    found = targeted.Params().score(outputs)
    assert (found.shape, found.dtype) == ((n, 2), np.float64)
    assert outputs.targets is not None
    for row, target in enumerate(outputs.targets.tolist()):
        for model, logits in enumerate((outputs.original, outputs.compressed)):
            values = logits[row].tolist()
            assert found[row, model] == -abs(max(values) - values[target])


@pytest.mark.parametrize("of", [lambda: k_uncertainty.Params(2), lambda: targeted.Params()])
@given(seed=seeds)
@settings(max_examples=20)
def test_a_row_depends_on_its_own_input_alone(of: Callable[[], Objective], seed: int) -> None:
    outputs = drawn(seed, 7, 9, ties=False)
    together = of().score(outputs)
    for row in range(7):
        assert of().score(some(outputs, slice(row, row + 1))).tobytes() == together[row].tobytes()
    assert of().score(some(outputs, slice(0))).shape == (0, 2)


def test_more_ranks_than_classes_are_refused() -> None:
    with pytest.raises(QuantriftError, match=r"objective\.k_uncertainty\.k: 10 of 10 classes; at most 9"):
        k_uncertainty.Params(10).score(drawn(0, 3, 10, ties=False))


def test_a_search_that_wants_no_class_is_refused() -> None:
    logits = np.zeros((2, 3), np.float32)
    for targets in (None, np.array([1, -1])):
        with pytest.raises(QuantriftError, match="the search has no target"):
            targeted.Params().score(Outputs(logits, logits, targets=targets))


def distorted(seed: int, n: int) -> tuple[np.ndarray, Originals, np.ndarray]:
    rng = np.random.default_rng(seed)
    originals = Originals(rng.uniform(-1, 4, (3, *DOMAIN.shape)).astype(np.float32))
    rows = rng.integers(0, 3, n)
    inputs = originals.inputs[rows] + rng.uniform(-0.4, 0.4, (n, *DOMAIN.shape)) * rng.uniform(0, 1, (n, 1, 1, 1))
    return inputs.astype(np.float32), originals, rows


@given(seed=seeds, n=st.integers(1, 20))
@settings(max_examples=40)
def test_an_input_is_valid_within_the_radius_in_all_of_its_pixels(seed: int, n: int) -> None:
    inputs, originals, rows = distorted(seed, n)
    constraint = linf.bind(linf.Params(0.05), DOMAIN)
    measured = constraint.measure(inputs, originals, rows)
    violation = constraint.violation(measured.judged)
    for row in range(n):
        largest = np.abs(inputs[row].astype(np.float64) - originals.inputs[rows[row]]).max() / 5
        assert measured.judged[row] == pytest.approx(largest, abs=1e-6)
        assert violation[row] == pytest.approx(max(0, largest - 0.05), abs=2e-6)


@pytest.mark.parametrize("constraint", [linf.bind(linf.Params(), DOMAIN), none.bind(none.Params(), DOMAIN)])
@given(seed=seeds, n=st.integers(1, 20))
@settings(max_examples=30)
def test_psnr_is_recorded_with_the_data_range_as_peak_row_by_row(constraint: Constraint, seed: int, n: int) -> None:
    inputs, originals, rows = distorted(seed, n)
    measured = constraint.measure(inputs, originals, rows)
    for row in range(n):
        error = inputs[row].astype(np.float64) - originals.inputs[rows[row]]
        assert measured.psnr[row] == pytest.approx(10 * np.log10(25 / np.mean(error**2)), abs=1e-3)
        own = Originals(originals.inputs[rows[row : row + 1]])
        alone = constraint.measure(inputs[row : row + 1], own, np.zeros(1, int))
        assert (alone.psnr[0], alone.judged[0]) == (measured.psnr[row], measured.judged[row])


@pytest.mark.parametrize("constraint", [linf.bind(linf.Params(), DOMAIN), none.bind(none.Params(), DOMAIN)])
def test_the_seed_input_itself_is_valid(constraint: Constraint) -> None:
    originals = distorted(0, 1)[1]
    measured = constraint.measure(originals.inputs.copy(), originals, np.arange(3))
    assert constraint.violation(measured.judged).tolist() == [0, 0, 0]
    assert measured.psnr.tolist() == [np.inf] * 3
    assert constraint.fallback(originals).tolist() == [False] * 3


@pytest.mark.parametrize("shift", range(256))
def test_eight_levels_of_8_bits_are_within_the_radius_and_nine_are_not(shift: int) -> None:
    grid = np.divide(np.arange(256, dtype=np.uint8), 255, dtype=np.float32).reshape(-1, 1, 1, 1)
    constraint = linf.bind(linf.Params(), Domain((1, 1, 1), 0.0, 1.0))
    judged = constraint.measure(grid, Originals(grid[shift : shift + 1]), np.zeros(256, int)).judged
    assert np.array_equal(constraint.violation(judged) == 0, np.abs(np.arange(256) - shift) <= 8)


def test_without_a_constraint_everything_is_valid() -> None:
    constraint = none.bind(none.Params(), DOMAIN)
    assert not constraint.violation(constraint.measure(*distorted(1, 9)).judged).any()
