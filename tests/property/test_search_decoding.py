"""Properties of distortions and of the vectors that encode them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.search.distortions.compound import in_order
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.hsi_distortions import HsiDistortions, Params, bind

Shape = tuple[int, int, int]
ORDER = in_order("hsi")
RADIOMETRIC = (
    "continuous_dropout",
    "discontinuous_dropout",
    "stripping",
    "region_dropout",
    "discontinuous_region_dropout",
    "spectral_band_loss",
    "salt_and_pepper",
    "spatial_gaussian",
    "spectral_gaussian",
)
TABLE_1 = Params(distortions=(*RADIOMETRIC, "rotation", "zoom"))
PLAIN = [(28, 28, 1), (32, 32, 3), (9, 9, 2)]

shapes = st.tuples(st.integers(5, 9), st.integers(5, 9), st.integers(3, 24)) | st.sampled_from(PLAIN)
seeds = st.integers(0, 2**32 - 1)
strengths = st.dictionaries(st.sampled_from(ORDER), st.floats(1e-6, 1))
params = st.builds(
    Params,
    variant=st.sampled_from(["paper", "code"]),
    strengths=strengths,
    border=st.sampled_from(["reflect", "edge", "zero"]),
)


def space_of(shape: Shape, given_params: Params | None = None) -> HsiDistortions:
    return bind(given_params or Params(), Domain(shape, -1, 1))


def originals(shape: Shape, count: int, rng: np.random.Generator) -> Originals:
    return Originals(rng.normal(size=(count, *shape)).astype(np.float32))


def only(space: HsiDistortions, name: str, vectors: np.ndarray) -> np.ndarray:
    """The vectors with one distortion active and all others not."""
    changed = vectors.copy()
    for block in space.blocks:
        changed[:, block.activation] = block.name == name
    return changed


@given(shape=shapes, params=params, seed=seeds, n=st.integers(1, 8))
@settings(max_examples=60)
def test_samples_lie_within_the_bounds_and_integer_genes_are_integers(
    shape: Shape, params: Params, seed: int, n: int
) -> None:
    space = space_of(shape, params)
    vectors = space.sample(n, np.random.default_rng(seed))
    assert vectors.dtype == np.float32
    assert vectors.shape == (n, *space.shape)
    assert np.all((vectors >= space.lower) & (vectors <= space.upper))
    integers = vectors[:, space.integer]
    assert np.array_equal(integers, np.rint(integers))


@given(shape=shapes, params=params, seed=seeds)
@settings(max_examples=60)
def test_any_vector_within_the_bounds_decodes_to_finite_values(shape: Shape, params: Params, seed: int) -> None:
    space, rng = space_of(shape, params), np.random.default_rng(seed)
    vectors = rng.uniform(space.lower, space.upper, size=(5, *space.shape)).astype(np.float32)
    vectors[3], vectors[4] = space.lower, space.upper
    inputs = space.decode(vectors, originals(shape, 2, rng), np.array([0, 1, 0, 1, 0]))
    assert inputs.dtype == np.float32
    assert inputs.shape == (5, *shape)
    assert inputs.flags.c_contiguous
    assert np.isfinite(inputs).all()


@given(shape=shapes, params=params, seed=seeds)
@settings(max_examples=40)
def test_a_row_decodes_alike_whatever_stands_beside_it(shape: Shape, params: Params, seed: int) -> None:
    space, rng = space_of(shape, params), np.random.default_rng(seed)
    seedlings = originals(shape, 3, rng)
    vectors, rows = space.sample(9, rng), rng.integers(0, 3, 9)
    together = space.decode(vectors, seedlings, rows)
    for i in rng.permutation(9):
        alone = space.decode(vectors[i : i + 1], Originals(seedlings.inputs[rows[i] : rows[i] + 1]), np.array([0]))
        assert alone[0].tobytes() == together[i].tobytes()


def test_a_row_decodes_alike_in_a_large_batch() -> None:
    space, rng = space_of((7, 7, 20)), np.random.default_rng(3)
    seedlings, vectors = originals((7, 7, 20), 26, rng), space.sample(300, rng)
    together = space.decode(vectors, seedlings, np.arange(300) % 26)
    for i in rng.choice(300, 40, replace=False):
        alone = space.decode(vectors[i : i + 1], seedlings, np.array([i % 26]))
        assert alone[0].tobytes() == together[i].tobytes()


@given(shape=shapes, seed=seeds)
@settings(max_examples=30)
def test_integer_genes_decode_like_the_nearest_integer(shape: Shape, seed: int) -> None:
    space, rng = space_of(shape), np.random.default_rng(seed)
    seedlings, vectors = originals(shape, 1, rng), space.sample(4, rng)
    moved = vectors + np.where(space.integer, rng.uniform(-0.49, 0.49, vectors.shape), 0).astype(np.float32)
    rows = np.zeros(4, int)
    np.testing.assert_array_equal(space.decode(moved, seedlings, rows), space.decode(vectors, seedlings, rows))


@given(shape=shapes, seed=seeds)
@settings(max_examples=30)
def test_without_active_distortions_the_seed_input_comes_back(shape: Shape, seed: int) -> None:
    space, rng = space_of(shape), np.random.default_rng(seed)
    seedlings = originals(shape, 2, rng)
    inputs = space.decode(only(space, "none", space.sample(4, rng)), seedlings, np.array([0, 1, 1, 0]))
    np.testing.assert_array_equal(inputs, seedlings.inputs[[0, 1, 1, 0]])


@given(shape=shapes, seed=seeds, name=st.sampled_from(ORDER))
@settings(max_examples=60)
def test_the_seed_inputs_are_never_written_to(shape: Shape, seed: int, name: str) -> None:
    space, rng = space_of(shape), np.random.default_rng(seed)
    seedlings = originals(shape, 1, rng)
    before = seedlings.inputs.copy()
    space.decode(only(space, name, space.sample(3, rng)), seedlings, np.zeros(3, int))
    np.testing.assert_array_equal(seedlings.inputs, before)


def chosen(pairs: np.ndarray) -> list[int]:
    """Indices of the pairs that are switched on."""
    return [int(index) for index, on in pairs.reshape(-1, 2) if on]


def naive(name: str, genes: np.ndarray, lines: bool, x: np.ndarray, seed: np.ndarray) -> np.ndarray:
    """One distortion of one patch x made from a seed input, gene by gene, as Table 1 describes it."""
    out = x.copy()
    height, width, bands = x.shape
    longest = max(height, width)
    some_lines, some_bands = 2 * -(-longest // 5), 2 * -(-bands // 5)

    def at(line: int, position: int) -> tuple[int, int]:
        return (line, position) if lines else (position, line)

    def write(pixels: list[tuple[int, int]], of_bands: list[int], bright: float) -> None:
        for row, column in pixels:
            if row < height and column < width:
                out[row, column, of_bands] = seed.max() if bright else seed.min()

    def rectangle(x: float, y: float, wide: float, long: float) -> list[tuple[int, int]]:
        return [(r, c) for r in range(int(y), int(y + long)) for c in range(int(x), int(x + wide))]

    match name:
        case "continuous_dropout":
            pixels = [at(line, p) for line in chosen(genes[:some_lines]) for p in range(longest)]
            write(pixels, chosen(genes[some_lines : some_lines + some_bands]), genes[-1])
        case "discontinuous_dropout":
            positions = chosen(genes[some_lines + some_bands : -1])
            pixels = [at(line, p) for line in chosen(genes[:some_lines]) for p in positions]
            write(pixels, chosen(genes[some_lines : some_lines + some_bands]), genes[-1])
        case "stripping":
            mean, deviation = seed.mean(dtype=np.float64), seed.std(dtype=np.float64)
            target, spread = genes[-2:].astype(np.float64)
            for row, column in {at(line, p) for line in chosen(genes[:-2]) for p in range(longest)}:
                if row < height and column < width:
                    out[row, column] = spread / deviation * (x[row, column] - mean) + target
        case "region_dropout":
            write(rectangle(*genes[-5:-1]), chosen(genes[:-5]), genes[-1])
        case "discontinuous_region_dropout":
            region, on = genes[: some_bands + 5], genes[some_bands + 5 :]
            rows, columns = chosen(on[: 2 * height]), chosen(on[2 * height :])
            pixels = [(r, c) for r, c in rectangle(*region[-5:-1]) if r in rows and c in columns]
            write(pixels, chosen(region[:-5]), region[-1])
        case "spectral_band_loss":
            for band in chosen(genes):
                out[:, :, band] = np.float32(0.5) * (x[:, :, band - 1] + x[:, :, band + 1])
        case "salt_and_pepper":
            for column, row, kind in genes.reshape(-1, 3).astype(int):
                if kind != 2:
                    out[row, column] = seed.max() if kind == 1 else seed.min()
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


@pytest.mark.parametrize("name", RADIOMETRIC)
@given(shape=st.tuples(st.integers(5, 9), st.integers(5, 9), st.integers(3, 24)), seed=seeds)
@settings(max_examples=40)
def test_each_distortion_equals_its_description_gene_by_gene(name: str, shape: Shape, seed: int) -> None:
    space, rng = space_of(shape, TABLE_1), np.random.default_rng(seed)
    [block] = [block for block in space.blocks if block.name == name]
    vectors = only(space, name, space.sample(4, rng))
    seedlings = originals(shape, 2, rng)
    rows = np.array([0, 1, 1, 0])
    inputs = space.decode(vectors, seedlings, rows)
    for vector, row, found in zip(vectors, rows, inputs, strict=True):
        x = seedlings.inputs[row]
        np.testing.assert_array_equal(found, naive(name, vector[block.genes], vector[0] == 1, x, x))


def test_rotation_and_zoom_come_first_and_the_rest_in_the_order_of_table_1() -> None:
    shape, rng = (7, 7, 12), np.random.default_rng(0)
    space, seedlings = space_of(shape, TABLE_1), originals(shape, 1, np.random.default_rng(1))
    vectors = space.sample(40, rng)
    resampled = vectors.copy()
    for block in space.blocks:
        vectors[:, block.activation] = 1
        resampled[:, block.activation] = block.name in ("rotation", "zoom")
    rows = np.zeros(40, int)
    starts = space.decode(resampled, seedlings, rows)
    assert not any(np.array_equal(start, seedlings.inputs[0]) for start in starts)
    for vector, step, found in zip(vectors, starts, space.decode(vectors, seedlings, rows), strict=True):
        for block in space.blocks:
            step = naive(block.name, vector[block.genes], vector[0] == 1, step, seedlings.inputs[0])
        np.testing.assert_array_equal(found, step)
