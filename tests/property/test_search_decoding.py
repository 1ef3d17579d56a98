"""Properties of distortions and of the vectors that encode them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.search.space import Originals
from quantrift.search.spaces.hsi_distortions import ORDER, HsiDistortions, Params, bind

SHAPES = [(7, 7, 103), (7, 7, 204), (25, 25, 15)]
shapes = st.tuples(st.integers(5, 9), st.integers(5, 9), st.integers(3, 24)) | st.sampled_from([(28, 28, 1), (9, 9, 2)])
seeds = st.integers(0, 2**32 - 1)


def originals(shape: tuple[int, int, int], count: int, rng: np.random.Generator) -> Originals:
    return Originals(rng.normal(size=(count, *shape)).astype(np.float32))


def only(space: HsiDistortions, name: str, vectors: np.ndarray) -> np.ndarray:
    """The vectors with one distortion active and all others not."""
    changed = vectors.copy()
    for block in space.blocks:
        changed[:, block.activation] = block.name == name
    return changed


# DiverGet's blocks at the three patch shapes: activation gene and parameters (counted from the figures of Table 1).
LENGTHS = {
    "continuous_dropout": (48, 88, 18),
    "spectral_band_loss": (105, 205, 17),
    "salt_and_pepper": (13, 13, 133),
    "spatial_gaussian": (13, 13, 133),
    "spectral_gaussian": (17, 31, 5),
}


@pytest.mark.parametrize("which", range(3))
def test_blocks_have_the_published_lengths(which: int) -> None:
    space = bind(Params(), SHAPES[which])
    assert {block.name: block.length for block in space.blocks} == {name: n[which] for name, n in LENGTHS.items()}
    assert space.shape == (1 + sum(n[which] for n in LENGTHS.values()),)


@given(shape=shapes, seed=seeds, n=st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_samples_lie_within_the_bounds_and_integer_genes_are_integers(
    shape: tuple[int, int, int], seed: int, n: int
) -> None:
    space = bind(Params(), shape)
    vectors = space.sample(n, np.random.default_rng(seed))
    assert vectors.dtype == np.float32
    assert vectors.shape == (n, *space.shape)
    assert np.all((vectors >= space.lower) & (vectors <= space.upper))
    integers = vectors[:, space.integer]
    assert np.array_equal(integers, np.rint(integers))


@given(shape=shapes, seed=seeds)
@settings(max_examples=60, deadline=None)
def test_any_vector_within_the_bounds_decodes_to_finite_values(shape: tuple[int, int, int], seed: int) -> None:
    space, rng = bind(Params(), shape), np.random.default_rng(seed)
    vectors = rng.uniform(space.lower, space.upper, size=(5, *space.shape)).astype(np.float32)
    vectors[3], vectors[4] = space.lower, space.upper
    inputs = space.decode(vectors, originals(shape, 2, rng), np.array([0, 1, 0, 1, 0]))
    assert inputs.dtype == np.float32
    assert inputs.shape == (5, *shape)
    assert inputs.flags.c_contiguous
    assert np.isfinite(inputs).all()


@given(shape=shapes, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_a_row_decodes_alike_whatever_stands_beside_it(shape: tuple[int, int, int], seed: int) -> None:
    space, rng = bind(Params(), shape), np.random.default_rng(seed)
    seedlings = originals(shape, 3, rng)
    vectors, rows = space.sample(9, rng), rng.integers(0, 3, 9)
    together = space.decode(vectors, seedlings, rows)
    for i in rng.permutation(9):
        alone = space.decode(vectors[i : i + 1], Originals(seedlings.inputs[rows[i] : rows[i] + 1]), np.array([0]))
        np.testing.assert_array_equal(alone[0], together[i])


@given(shape=shapes, seed=seeds)
@settings(max_examples=30, deadline=None)
def test_without_active_distortions_the_seed_input_comes_back(shape: tuple[int, int, int], seed: int) -> None:
    space, rng = bind(Params(), shape), np.random.default_rng(seed)
    seedlings = originals(shape, 2, rng)
    inputs = space.decode(only(space, "none", space.sample(4, rng)), seedlings, np.array([0, 1, 1, 0]))
    np.testing.assert_array_equal(inputs, seedlings.inputs[[0, 1, 1, 0]])


@given(shape=shapes, seed=seeds, name=st.sampled_from(ORDER))
@settings(max_examples=60, deadline=None)
def test_the_seed_inputs_are_never_written_to(shape: tuple[int, int, int], seed: int, name: str) -> None:
    space, rng = bind(Params(), shape), np.random.default_rng(seed)
    seedlings = originals(shape, 1, rng)
    before = seedlings.inputs.copy()
    space.decode(only(space, name, space.sample(3, rng)), seedlings, np.zeros(3, int))
    np.testing.assert_array_equal(seedlings.inputs, before)


def naive(name: str, genes: np.ndarray, lines: bool, x: np.ndarray) -> np.ndarray:
    """One distortion of one patch, gene by gene, as Table 1 describes it."""
    out = x.copy()
    height, width, bands = x.shape
    match name:
        case "continuous_dropout":
            n_lines, n_bands = -(-height // 5), -(-bands // 5)
            value = x.max() if genes[-1] == 1 else x.min()
            for line, on in genes[: 2 * n_lines].reshape(-1, 2).astype(int):
                for band, band_on in genes[2 * n_lines : 2 * (n_lines + n_bands)].reshape(-1, 2).astype(int):
                    if on and band_on:
                        out[(line, slice(None), band) if lines else (slice(None), line, band)] = value
        case "spectral_band_loss":
            for band, on in genes.reshape(-1, 2).astype(int):
                if on:
                    out[:, :, band] = np.float32(0.5) * (x[:, :, band - 1] + x[:, :, band + 1])
        case "salt_and_pepper":
            for column, row, kind in genes.reshape(-1, 3).astype(int):
                if kind != 2:
                    out[row, column] = x.max() if kind == 1 else x.min()
        case "spatial_gaussian":
            noise = np.zeros((height, width))
            for column, row, value in genes.reshape(-1, 3):
                noise[int(row), int(column)] += value
            out += noise[:, :, None].astype(np.float32)
        case "spectral_gaussian":
            shift = np.zeros(bands)
            for band, value in genes.reshape(-1, 2):
                shift[int(band)] += value
            out += shift.astype(np.float32)
    return out


@pytest.mark.parametrize("name", ORDER)
@given(shape=st.tuples(st.integers(5, 9), st.integers(5, 9), st.integers(3, 24)), seed=seeds)
@settings(max_examples=40, deadline=None)
def test_each_distortion_equals_its_description_gene_by_gene(name: str, shape: tuple[int, int, int], seed: int) -> None:
    space, rng = bind(Params(), shape), np.random.default_rng(seed)
    [block] = [block for block in space.blocks if block.name == name]
    vectors = only(space, name, space.sample(4, rng))
    seedlings = originals(shape, 2, rng)
    rows = np.array([0, 1, 1, 0])
    inputs = space.decode(vectors, seedlings, rows)
    for vector, row, found in zip(vectors, rows, inputs, strict=True):
        expected = naive(name, vector[block.genes], vector[0] == 1, seedlings.inputs[row])
        np.testing.assert_array_equal(found, expected)


def test_distortions_apply_in_the_order_of_table_1() -> None:
    shape, rng = (7, 7, 12), np.random.default_rng(0)
    space, seedlings = bind(Params(), shape), originals((7, 7, 12), 1, np.random.default_rng(1))
    vectors = space.sample(40, rng)
    for block in space.blocks:
        vectors[:, block.activation] = 1
    inputs = space.decode(vectors, seedlings, np.zeros(40, int))
    for vector, found in zip(vectors, inputs, strict=True):
        step, extremes = seedlings.inputs[0], seedlings.inputs[0]
        for block in space.blocks:
            after = naive(block.name, vector[block.genes], vector[0] == 1, step)
            if block.name in ("continuous_dropout", "salt_and_pepper"):
                # These take their extremes from the original patch, not from what was distorted before them.
                changed = after != step
                after = np.where(changed & (after == step.max()), extremes.max(), after)
                after = np.where(changed & (after == step.min()), extremes.min(), after)
            step = after
        np.testing.assert_array_equal(found, step)


def test_a_distortion_without_room_is_left_out() -> None:
    assert "spectral_band_loss" not in [block.name for block in bind(Params(), (28, 28, 1)).blocks]


def test_unknown_distortions_are_refused() -> None:
    with pytest.raises(ValueError, match="distortions must be some of .* got salt"):
        Params(distortions=("salt",))
