"""Vectors are drawn equally, made comparable, and their distances are those of scipy."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.records.stored_vectors import space, stored
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import image_distortions
from quantrift.core.statistics.search_files import by_tool
from quantrift.core.statistics.vector_samples import INACTIVE, ROWS, draws, overlap, scaled, summary, within


@pytest.mark.parametrize("n", [2, 3, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 7])
def test_distances_in_pieces_are_those_of_all_pairs(n: int) -> None:
    vectors = np.random.default_rng(n).normal(size=(n, 5)).astype(np.float32)
    vectors[n // 2] = vectors[0]
    distances = pdist(vectors.astype(np.float64))
    found = summary(vectors)
    assert found["min"] == distances.min()
    assert found["max"] == distances.max()
    assert found["average"] == pytest.approx(distances.mean(), rel=1e-12)
    assert found["variance"] == pytest.approx(distances.var(), rel=1e-9)
    assert [found["q1"], found["q3"]] == pytest.approx(np.quantile(distances, [0.25, 0.75]), rel=1e-6)


def test_a_single_vector_has_no_distance() -> None:
    assert all(np.isnan(value) for value in summary(np.ones((1, 3))).values())
    found = within(np.array([[0.0], [3.0], [5.0]]), np.array([1, 1, 2]))
    assert found[1] == 3
    assert np.isnan(found[2])


def test_scaled_vectors_are_equal_where_decoding_is(tiny_searches: dict[str, list[Path]]) -> None:
    file = tiny_searches["pso_div"][0]
    lies_in, vectors = space(file), stored(file)["vector"]
    shares = scaled(vectors, lies_in)
    assert shares.min() >= 0
    assert shares.max() <= 1
    moved = vectors.copy()
    for place, block in enumerate(lies_in.blocks):  # type: ignore[attr-defined]
        off = np.rint(vectors[:, block.activation]) == 0
        assert np.isin(shares[off, block.genes], [INACTIVE, 0]).all()
        moved[off, block.genes] = lies_in.lower[block.genes]
        assert place < 11
    moved[:, lies_in.integer] = np.rint(moved[:, lies_in.integer])
    assert np.array_equal(scaled(moved, lies_in), shares)
    ends = scaled(np.stack([lies_in.lower, lies_in.upper]), lies_in)
    free = lies_in.lower < lies_in.upper
    assert np.array_equal(ends[1], free.astype(np.float32))


def test_vectors_of_images_are_scaled_as_well() -> None:
    lies_in = image_distortions.bind(image_distortions.Params(), Domain((8, 8, 1), 0, 1))
    vectors = lies_in.sample(40, np.random.default_rng(0))
    shares = scaled(vectors, lies_in)
    for block in lies_in.blocks:
        on = vectors[:, block.activation] == 1
        assert np.all(shares[~on, block.genes] == INACTIVE)
        lower, upper = lies_in.lower[block.genes], lies_in.upper[block.genes]
        np.testing.assert_allclose(shares[on, block.genes], ((vectors[:, block.genes] - lower) / (upper - lower))[on],
                                   atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("form", ["raw", "scaled"])
def test_draws_are_equal_over_tools_and_run_seeds(tiny_searches: dict[str, list[Path]], form: str) -> None:
    tools = {"f_div": tiny_searches["pso_div"], "g_div": tiny_searches["ga_div"]}
    first, second = draws(tools, form, 16, 2, ["x"])  # type: ignore[arg-type]
    assert np.bincount(first.run_seeds).tolist() == [4] * 4
    for name, files in tools.items():
        assert first.vectors[name].shape == (16, stored(files[0])["vector"].shape[1])
        assert not np.array_equal(first.vectors[name], second.vectors[name])
    again = draws(tools, form, 16, 1, ["x"])[0]  # type: ignore[arg-type]
    assert all(np.array_equal(again.vectors[name], first.vectors[name]) for name in tools)
    [every] = draws(tools, form, 10_000_000, 1, ["x"])  # type: ignore[arg-type]
    assert len(every.vectors["f_div"]) == len(every.vectors["g_div"]) == len(every.run_seeds)
    if form == "raw":
        sizes = [
            [
                (one["run_seed"] == seed).sum()
                for file in files
                for one in [stored(file)]
                for seed in np.unique(one["run_seed"])
            ]
            for files in tools.values()
        ]
        assert np.bincount(every.run_seeds).tolist() == np.min(sizes, axis=0).tolist()
    else:
        own = every.vectors["f_div"][every.run_seeds == 0]
        assert len(np.unique(own, axis=0)) == len(own)


def test_tools_of_other_run_seeds_are_refused(tiny_searches: dict[str, list[Path]]) -> None:
    with pytest.raises(QuantriftError, match="other run seeds"):
        draws({"a": tiny_searches["pso_div"], "b": tiny_searches["ga_div"][:1]}, "raw", 10, 1, ["x"])


def test_shared_seed_inputs_are_noticed(tiny_searches: dict[str, list[Path]]) -> None:
    files = tiny_searches["pso_div"]
    assert not overlap(files)
    assert overlap([files[0], files[0]])


def test_files_of_a_tool_are_those_of_one_protocol() -> None:
    about = ("scene", "net", "int8", "pso")
    files = [Path("seeds_000-004.parquet"), Path("seeds_005-009.parquet")]
    assert by_tool({(*about, "rq1"): files}) == {about: files}
    with pytest.raises(QuantriftError, match="scene/net/int8/pso: searched under rq1 and under rq2"):
        by_tool({(*about, "rq1"): files, (*about, "rq2"): files})
