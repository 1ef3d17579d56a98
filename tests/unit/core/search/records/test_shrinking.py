"""A difference-inducing input is reduced to the fewest distortions that still tell the models apart."""

import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.factories.record_files import files_of_records

from quantrift.core.base import table_parquet
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.search.messages import Problem
from quantrift.core.search.record_columns import settings
from quantrift.core.search.records.shrinking import SHRUNK, TRIED, Strategy, by_size, chosen, one_by_one, shrink
from quantrift.core.search.records.stored_vectors import space, stored
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import evaluator


def ended(strategy: Callable[[np.ndarray], Strategy], active: int, disagrees: Callable[[int], bool]) -> list[int]:
    """What a strategy makes of a set when ``disagrees`` says which of its subsets still disagree."""
    running = strategy(np.array([(active, True, 1, 2)], TRIED))
    try:
        asked = next(running)
        while True:
            assert all(one & ~active == 0 and one != active for one in asked.tolist())
            asked = running.send(np.array([(one, disagrees(one), 1, 2) for one in asked.tolist()], TRIED))
    except StopIteration as end:
        return end.value["set"].tolist()


def test_all_smallest_sets_are_found() -> None:
    assert ended(by_size, 0b1011, lambda one: one in (0b0010, 0b1000, 0b1010)) == [0b0010, 0b1000]
    assert ended(by_size, 0b1011, lambda one: one == 0b1001) == [0b1001]
    assert ended(by_size, 0b1011, lambda one: False) == [0b1011]
    assert ended(by_size, 0b1011, lambda one: True) == [0]
    assert ended(by_size, 0, lambda one: True) == [0]


def test_one_by_one_ends_where_nothing_can_be_spared() -> None:
    assert ended(one_by_one, 0b1111, lambda one: one & 0b0110 == 0b0110) == [0b0110]
    assert ended(one_by_one, 0b1111, lambda one: False) == [0b1111]
    assert ended(one_by_one, 0b1111, lambda one: True) == [0]
    # 0b1000 alone would do, but cannot be reached by switching off one at a time, the first that can be spared first.
    assert ended(one_by_one, 0b1111, lambda one: one in (0b1000, 0b0111, 0b0110, 0b1110)) == [0b0110]


def again(searches: dict[str, list[Path]], out: Path, exhaustive: int = 11, rows: int = 256) -> None:
    records = searches["pso_div"]
    shrink(records, files_of_records(records), out, per_run_seed=12, exhaustive=exhaustive, rows=rows)


@pytest.fixture(scope="module")
def shrunk(tiny_searches: dict[str, list[Path]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("shrunk") / "x.parquet"
    again(tiny_searches, out)
    return out


def test_sizes_agree_with_trying_every_subset_of_one_input(tiny_searches: dict[str, list[Path]], shrunk: Path) -> None:
    files = tiny_searches["pso_div"]
    made, rows = settings(files[0]), pq.read_table(shrunk).to_pylist()
    own = files_in(_root(files[0]), made["subject"], made["tool_settings"])
    inputs = Inputs.load(own.inputs)
    ready = evaluator(own, made["tool"], made["tool_settings"], inputs, 256)
    everything = stored(files[0])
    for row in [row for row in rows if row["size_before"] in (2, 3, 4, 5)][:6]:
        [place] = np.flatnonzero(
            (everything["run_seed"] == row["run_seed"])
            & (everything["input"] == row["input"])
            & (everything["evaluation"] == row["evaluation"])
        )
        problem = Problem(
            "tiny", row["run_seed"], (row["input"],), inputs.take([row["input"]]), (row["true_label"],),
            ready.tool.space, 1,
        )  # fmt: skip
        bits = [bit for bit in range(11) if row["active"] >> bit & 1]
        hits = []
        for on in (on for size in range(len(bits) + 1) for on in combinations(bits, size)):
            vector = everything["vector"][place].copy()
            for bit in set(bits) - set(on):
                vector[ready.tool.space.blocks[bit].activation] = 0  # type: ignore[attr-defined]
            [done] = ready([(problem, vector[None])])
            if done.tell.disagree[0]:
                hits.append((len(on), sum(1 << bit for bit in on)))
        smallest = min(size for size, _ in hits)
        assert row["size"] == smallest
        assert row["sets"] == sorted(one for size, one in hits if size == smallest)


def test_rows_say_what_was_shrunk_and_to_what(shrunk: Path) -> None:
    table = pq.read_table(shrunk)
    assert table.schema.remove_metadata().equals(table_parquet.schema(SHRUNK))
    rows = table.to_pylist()
    assert 20 < len(rows) <= 48
    assert [row["run_seed"] for row in rows] == sorted(row["run_seed"] for row in rows)
    for row in rows:
        assert row["exact"]
        assert row["label_original"] != row["label_compressed"]
        assert 0 <= row["size"] <= row["size_before"] == row["active"].bit_count()
        assert (row["size"] == 0) == row["seed_disagrees"]
        assert all(one & ~row["active"] == 0 and one.bit_count() == row["size"] for one in row["sets"])
        labels = zip(row["sets_label_original"], row["sets_label_compressed"], strict=True)
        assert all(original != compressed for original, compressed in labels)
        assert len(row["sets"]) == len(row["sets_label_original"])
    assert any(row["size"] < row["size_before"] for row in rows)
    assert len(settings(shrunk)["distortions"]) == 11


def test_batches_change_nothing(tiny_searches: dict[str, list[Path]], shrunk: Path, tmp_path: Path) -> None:
    again(tiny_searches, tmp_path / "x.parquet", rows=7)
    assert pq.read_table(tmp_path / "x.parquet").equals(pq.read_table(shrunk))


def test_greedy_sets_are_never_smaller_and_say_so(
    tiny_searches: dict[str, list[Path]], shrunk: Path, tmp_path: Path
) -> None:
    again(tiny_searches, tmp_path / "x.parquet", exhaustive=2)
    exact, greedy = pq.read_table(shrunk).to_pylist(), pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert not all(row["exact"] for row in greedy)
    for one, other in zip(exact, greedy, strict=True):
        assert other["size"] >= one["size"]
        assert other["exact"] == (other["size_before"] <= 2)


def test_inputs_are_drawn_evenly_from_the_distinct_ones(tiny_searches: dict[str, list[Path]]) -> None:
    everything = stored(tiny_searches["pso_div"][0])
    some = chosen(everything, 5, ["x"])
    assert np.bincount(some["run_seed"]).tolist() == [5, 5]
    every = chosen(everything, 10_000, ["x"])
    named = set(zip(every["run_seed"], every["input"], every["digest"], strict=True))
    assert len(named) == len(every["input"]) <= len(everything["input"])
    assert named == set(zip(everything["run_seed"], everything["input"], everything["digest"], strict=True))
    assert len(chosen({name: one[:0] for name, one in everything.items()}, 5, ["x"])["input"]) == 0
    assert np.array_equal(chosen(everything, 5, ["x"])["vector"], some["vector"])
    assert not np.array_equal(chosen(everything, 5, ["y"])["vector"], some["vector"])


def test_other_networks_are_refused(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    root = _root(tiny_searches["ga_div"][0]).root
    copied = tmp_path / "results"
    shutil.copytree(root, copied)
    records = [copied / file.relative_to(root) for file in tiny_searches["ga_div"]]
    next(copied.rglob("model.tflite")).write_bytes(next(copied.rglob("original.tflite")).read_bytes())
    with pytest.raises(QuantriftError, match="its compressed changed since the search"):
        shrink(records, files_of_records(records), tmp_path / "x.parquet", per_run_seed=5, exhaustive=11)
    assert not (tmp_path / "x.parquet").exists()


def test_stored_vectors_are_those_of_the_file(tiny_searches: dict[str, list[Path]]) -> None:
    file = tiny_searches["pso_div"][0]
    found = stored(file)
    table = pq.read_table(file).to_pandas().dropna(subset="vector").sort_values(["run_seed", "input", "evaluation"])
    assert len(found["input"]) == len(table) > 20
    assert np.array_equal(found["vector"], np.stack(table["vector"]))
    assert np.array_equal(found["digest"], table["digest"])
    assert np.array_equal(space(file).active(found["vector"]), found["active"])


def _root(file: Path) -> Paths:
    return Paths(file.parents[6])
