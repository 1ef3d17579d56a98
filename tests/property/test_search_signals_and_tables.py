"""Distortions of signals and tables: within observed ranges, by their genes alone, row by row, equal to definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal as reference

from quantrift.core.base.observed_columns import TableColumns, told_categories
from quantrift.core.search.constraints import observed_range
from quantrift.core.search.distortions.compound import in_order, load
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import signal_distortions, table_distortions

SIGNALS, TABLES = in_order("signals"), in_order("tables")
seeds = st.integers(0, 2**32 - 1)


def rows_of(count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of a table: two numbers, a whole number, a constant, three one-hot columns and a flag."""
    kind = np.arange(count) % 3
    columns = [rng.normal(size=count), 50 * rng.random(count), rng.integers(0, 90, count), np.ones(count)]
    return np.stack([*columns, *np.eye(3)[kind].T, rng.permutation(np.arange(count) % 2)], axis=1).astype(np.float32)


def domain_of(inputs: np.ndarray, table: bool) -> Domain:
    low, high = inputs.min(axis=(0, 1, 2)), inputs.max(axis=(0, 1, 2))
    rows = inputs.reshape(len(inputs), -1)
    columns = TableColumns.of(rows, told_categories(rows)) if table else None
    ranges = tuple(zip(low.tolist(), high.tolist(), strict=True))
    return Domain(inputs.shape[1:], float(low.min()), float(high.max()), ranges, columns)


def case(table: bool, shape: tuple[int, int], rng: np.random.Generator) -> tuple[np.ndarray, Domain]:
    made = rows_of(60, rng)[:, None, None] if table else rng.normal(size=(6, 1, *shape)).astype(np.float32)
    return made, domain_of(made, table)


@given(table=st.booleans(), shape=st.tuples(st.integers(1, 40), st.integers(1, 5)), seed=seeds)
@settings(max_examples=60, deadline=None)
def test_any_vector_stays_within_observed_ranges_and_depends_on_its_genes_and_its_seed_alone(
    table: bool, shape: tuple[int, int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    inputs, domain = case(table, shape, rng)
    module = table_distortions if table else signal_distortions
    space = module.bind(module.Params(distortions=TABLES if table else SIGNALS), domain)
    vectors = rng.uniform(space.lower, space.upper, (8, *space.shape)).astype(np.float32)
    vectors[0, [block.activation for block in space.blocks]] = 0
    rows = rng.integers(0, len(inputs), 8)
    before = inputs.copy()
    found = space.decode(vectors, Originals(inputs), rows)
    assert (found.shape, found.dtype) == ((8, *inputs.shape[1:]), np.float32)
    assert found[0].tobytes() == inputs[rows[0]].tobytes()
    assert inputs.tobytes() == before.tobytes()
    constraint = observed_range.bind(observed_range.Params(), domain)
    measured = constraint.measure(found, Originals(inputs), rows)
    assert not constraint.violation(measured.judged).any()
    assert not np.isnan(measured.psnr).any()
    again = module.bind(module.Params(distortions=TABLES if table else SIGNALS), domain)
    for number in range(8):
        alone = again.decode(vectors[number : number + 1], Originals(inputs[rows[number]][None]), np.zeros(1, int))
        assert alone[0].tobytes() == found[number].tobytes()


@given(name=st.sampled_from(SIGNALS), seed=seeds)
@settings(max_examples=60, deadline=None)
def test_a_signal_stays_as_it_is_at_zero(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(30, 3)).astype(np.float32)
    genes = [0.0 if gene.lower <= 0 <= gene.upper else float(gene.lower) for gene in bound(name).genes]
    assert changed(name, x, genes).tobytes() == x.tobytes()


def bound(name: str, shape: tuple[int, int] = (30, 3)):  # type: ignore[no-untyped-def]
    return load("signals", name).bind(Setting((1, *shape)))


def changed(name: str, signal: np.ndarray, genes: list[float]) -> np.ndarray:
    found = signal.copy()
    bound(name, signal.shape).apply(found, genes, np.ones(signal.shape[1], np.float32))
    return found


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_signals_change_as_reference_libraries_change_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, 2)).astype(np.float32)

    steps = int(rng.integers(1, 20))
    np.testing.assert_array_equal(changed("time_shift", x, [steps])[steps:], x[:-steps])
    np.testing.assert_allclose(changed("gain", x, [6.0]), x * 10**0.3, rtol=1e-6)
    octave = rng.uniform(-0.25, 0.25)
    places = 99.5 + 2**octave * (np.arange(200) - 99.5)
    expected = np.stack([np.interp(places, np.arange(200), one) for one in x.T], axis=1)
    np.testing.assert_allclose(changed("resampling", x, [octave]), expected, atol=1e-5)
    noise = changed("noise", x, [0.1, 7]) - x
    decibel = 20 * np.log10(x.std(axis=0) / np.sqrt(np.square(noise).mean(axis=0)))
    assert decibel == pytest.approx([20, 20], abs=1.5)
    time = np.arange(2000)
    centre = rng.uniform(0.3, 0.7)
    tones = np.stack([np.sin(np.pi * share * time) for share in (centre, 0.1)], axis=1).astype(np.float32)
    stopped = changed("band_stop", tones, [centre, 0.095])[200:-200]
    assert np.abs(stopped[:, 0]).max() < 0.05
    np.testing.assert_allclose(stopped[:, 1], tones[200:-200, 1], atol=0.05)
    taps = reference.butter(2, (centre - 0.0475, centre + 0.0475), "bandstop")
    direct = reference.filtfilt(*taps, tones.astype(np.float64), axis=0)[200:-200]
    np.testing.assert_allclose(stopped, direct, atol=1e-3)


def test_categories_are_told_and_swapped_among_observed_values_alone() -> None:
    rng = np.random.default_rng(0)
    rows = rows_of(60, rng)
    assert told_categories(rows) == [[4, 5, 6], [7]]
    domain = domain_of(rows[:, None, None], True)
    space = table_distortions.bind(table_distortions.Params(distortions=("category_swap",)), domain)
    vectors = space.sample(80, rng)
    found = space.decode(vectors, Originals(rows[:, None, None]), np.arange(80) % 60)[:, 0, 0]
    np.testing.assert_array_equal(found[:, :4], rows[np.arange(80) % 60, :4])
    assert (found[:, 4:7].sum(axis=1) == 1).all()
    assert set(np.unique(found[:, 4:])) == {0, 1}
    assert (found[:, 4:] != rows[np.arange(80) % 60, 4:]).any()


def test_slips_of_units_leave_the_range_only_where_that_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    inputs = rows_of(60, rng)[:, None, None]
    domain = domain_of(inputs, True)
    constraint = observed_range.bind(observed_range.Params(), domain)
    broken = {}
    for beyond in (False, True):
        params = table_distortions.Params(distortions=("unit_slip",), beyond=beyond)
        space = table_distortions.bind(params, domain)
        found = space.decode(space.sample(60, rng), Originals(inputs), np.arange(60))
        violation = constraint.violation(constraint.measure(found, Originals(inputs), np.arange(60)).judged)
        broken[beyond] = bool(violation.any())
    assert broken == {False: False, True: True}
