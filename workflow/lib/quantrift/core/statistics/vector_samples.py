"""Samples of stored vectors, equally many of each tool, raw or scaled (PROTOCOL: Table 6, Figure 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow.parquet as pq
import scipy

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.streams import stream
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.records.stored_vectors import by_run_seed, files_of_run_seeds, space

Form = Literal["raw", "scaled"]
INACTIVE = 0.5
"""Value of the parameters of a distortion that is switched off: the middle of their range."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Vectors of each tool, row for row of the same run seeds."""

    vectors: Mapping[str, np.ndarray]
    """Name -> float32 (n, genes), by run seed."""
    run_seeds: np.ndarray
    """int (n,), ascending."""


def scaled(vectors: np.ndarray, space: Any) -> np.ndarray:
    """Genes scaled to their ranges: float32 (n, genes) in 0..1, equal for vectors that decode alike.

    Integer genes are rounded as decoding does, then each gene is divided by its range; parameters of distortions that
    are switched off are ``INACTIVE``, and genes that cannot move 0.

    Args:
        vectors: float32 (n, genes).
        space: of the vectors; its ``blocks``, if it has any, give the genes that belong to a switch.
    """
    decoded = np.where(space.integer, np.rint(vectors), vectors).astype(np.float64)
    width = space.upper.astype(np.float64) - space.lower
    shares = np.where(width > 0, (decoded - space.lower) / np.where(width > 0, width, 1), 0).astype(np.float32)
    for block in getattr(space, "blocks", ()):
        shares[decoded[:, block.activation] != 1, block.genes] = np.where(width[block.genes] > 0, INACTIVE, 0)
    return shares


def draws(blocks: Mapping[str, Sequence[Path]], form: Form, vectors: int, count: int, key: Sequence[str]) -> list[Draw]:
    """Draw vectors without replacement, equally over run seeds and equally many of each tool.

    A run seed gives its share of ``vectors``, or as many as the tool with the fewest has in it. ``scaled`` vectors are
    drawn from the distinct ones of a run seed.

    Args:
        blocks: name of a tool -> candidates tables of its blocks.
        form: ``raw`` or ``scaled``.
        vectors: of each tool in a draw, at most (rounded up to whole shares).
        count: draws, independent of each other.
        key: of the random streams, beside form, name, run seed and number of the draw.

    Raises:
        QuantriftError: the tools' records do not belong together, or are damaged.
    """
    names = list(blocks)
    run_seeds = {name: list(files_of_run_seeds(files)) for name, files in blocks.items()}
    if any(run_seeds[name] != run_seeds[names[0]] for name in names):
        raise QuantriftError(f"{'/'.join(key)}: its tools have other run seeds; compare searches of one protocol")
    share = -(-vectors // len(run_seeds[names[0]]))
    spaces = {name: space(files[0]) for name, files in blocks.items()}
    if len({spaces[name].shape for name in names}) > 1:
        raise QuantriftError(f"{'/'.join(key)}: vectors of its tools differ in length; compare tools of one space")
    parts: list[dict[str, list[np.ndarray]]] = [{name: [] for name in names} for _ in range(count)]
    seeds: list[int] = []
    for of_tools in zip(*map(by_run_seed, blocks.values()), strict=True):
        run_seed = of_tools[0][0]
        pools = {name: _pool(one["vector"], form, spaces[name]) for name, (_, one) in zip(names, of_tools, strict=True)}
        size = min(share, *map(len, pools.values()))
        seeds += [run_seed] * size
        for number, part in enumerate(parts):
            for name, pool in pools.items():
                rng = stream("vectors", *key, form, name, run_seed, number)
                part[name].append(pool[np.sort(rng.permutation(len(pool))[:size])])
    return [Draw({name: np.concatenate(own) for name, own in one.items()}, np.array(seeds, np.int64)) for one in parts]


def _pool(vectors: np.ndarray, form: Form, space: Any) -> np.ndarray:
    if form == "raw":
        return vectors
    shares = scaled(vectors, space)
    _, first = np.unique(shares, axis=0, return_index=True)
    return shares[np.sort(first)]


def overlap(blocks: Sequence[Path]) -> bool:
    """Whether run seeds of these candidates tables share seed inputs, so are not independent."""
    tables = [pq.read_table(searches_path(file), columns=["run_seed", "input"]) for file in blocks]
    inputs = np.concatenate([table["input"].to_numpy() for table in tables])
    return len(np.unique(inputs)) < len(inputs)


ROWS = 500
"""Vectors whose distances to all others are computed at once."""

STATISTICS = ("min", "max", "average", "variance", "q1", "q3")


def summary(vectors: np.ndarray) -> dict[str, float]:
    """``STATISTICS`` of the n (n - 1) / 2 distances; NaN below two vectors.

    The variance is that of all distances (divisor: their number). Quartiles are numpy's, linear between neighbours, of
    distances held in single precision, relative error below 1e-7; all else is double precision.

    Args:
        vectors: float (n, genes); 4 bytes of memory for each of the distances.
    """
    n = len(vectors)
    if n < 2:
        return dict.fromkeys(STATISTICS, float("nan"))
    exact = np.asarray(vectors, np.float64)
    kept = np.empty(n * (n - 1) // 2, np.float32)
    smallest, largest, filled = np.inf, 0.0, 0
    total = squares = 0.0
    for start in range(0, n - 1, ROWS):
        block = exact[start : start + ROWS]
        among = scipy.spatial.distance.cdist(block, exact[start:])
        # Each pair once: the upper triangle of the blocks on the diagonal.
        distances = among[np.triu_indices(len(block), 1, among.shape[1])]
        kept[filled : filled + len(distances)] = distances
        filled += len(distances)
        total += float(distances.sum())
        squares += float((distances**2).sum())
        smallest, largest = min(smallest, float(distances.min())), max(largest, float(distances.max()))
    average = total / filled
    q1, q3 = np.quantile(kept, [0.25, 0.75], overwrite_input=True)
    # The difference of two nearly equal sums may fall below 0 by rounding.
    variance = max(0.0, squares / filled - average**2)
    return dict(zip(STATISTICS, (smallest, largest, average, variance, float(q1), float(q3)), strict=True))


def within(vectors: np.ndarray, run_seeds: np.ndarray) -> dict[int, float]:
    """Run seed -> mean distance between its own vectors; NaN where it has fewer than two."""
    return {int(run_seed): summary(vectors[run_seeds == run_seed])["average"] for run_seed in np.unique(run_seeds)}
