"""Records depend on keys and models alone, hold what was found, and replay."""

import dataclasses
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.factories import configurations
from tests.factories.record_files import files_of_records
from tests.factories.records import SUBJECT, lenient, untimed

from quantrift.cli.main import main
from quantrift.core.base import table_files, table_parquet
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.search import search_record
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.record_columns import CANDIDATES, TIMES, searches_path, settings
from quantrift.core.search.records import replaying
from quantrift.core.search.records.replaying import replay
from quantrift.core.search.records.shrinking import shrink
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, Problems, run
from quantrift.core.search.searchers import random
from quantrift.core.search.space import Domain
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import build
from quantrift.core.statistics.invariants import check_counts

TOOLS = ["random", "random_feasible", "pso_div"]
MIN_DB = 5
FOUR = Block(range(4))


@pytest.fixture(scope="module")
def results(lay_out: Callable[[Files], None], tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Files]:
    """A results folder as the workflow lays it out, up to the seed inputs: 4 run seeds of 5 inputs."""
    paths = Paths(tmp_path_factory.mktemp("results"))
    files = files_in(paths, SUBJECT, configurations.tool("random"))
    lay_out(files)
    return paths, files


def job(tool: str, **changes: object) -> Job:
    plain = Job(SUBJECT, tool, lenient(tool, MIN_DB), Budget(6), vectors="all", rows=256, memory_mb=200)
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def searched(results: tuple[Paths, Files], given: Job, block: Block = FOUR, name: str = "x") -> Path:
    paths, files = results
    out = paths.searches("tiny", "hybridsn", "ptq_int8", given.tool, "test") / f"{name}.parquet"
    run(given, files, block, out)
    return out


def test_records_in_npz_hold_what_those_in_parquet_hold_and_are_worked_on_alike(
    results: tuple[Paths, Files],
) -> None:
    whole = searched(results, job("pso_div"))
    other = whole.with_name("x.npz")
    run(job("pso_div"), results[1], FOUR, other)
    assert settings(other) == settings(whole)
    for first, second in ((whole, other), (searches_path(whole), searches_path(other))):
        expected, found = table_files.read(first), table_files.read(second)
        assert list(found) == list(expected)
        for name in set(expected) - {*TIMES, "vector"}:
            assert found[name].dtype == expected[name].dtype
            assert found[name].tobytes() == expected[name].tobytes()
    assert replay(other) == replay(whole)
    shrunk = [file.with_name(f"shrunk{file.suffix}") for file in (whole, other)]
    for file, out in zip((whole, other), shrunk, strict=True):
        shrink([file], files_of_records([file]), out, per_run_seed=3, exhaustive=3)
    expected, found = map(table_files.read, shrunk)
    assert len(expected["input"]) > 3
    for name, cells in expected.items():
        assert [np.asarray(one).tolist() for one in found[name]] == [np.asarray(one).tolist() for one in cells]
    assert settings(shrunk[0]) == settings(shrunk[1])


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.slow
def test_records_do_not_depend_on_batches_memory_or_blocks(results: tuple[Paths, Files], tool: str) -> None:
    whole = searched(results, job(tool))
    assert pq.read_metadata(whole).num_rows > 100
    for changes in ({"rows": 7}, {"memory_mb": 0.05}, {"memory_mb": 1.0, "rows": 64}):
        other = searched(results, job(tool, **changes), name="other")
        assert untimed(other).equals(untimed(whole))
        assert untimed(searches_path(other)).equals(untimed(searches_path(whole)))
    parts = [searched(results, job(tool), Block(range(seed, seed + 1)), f"part{seed}") for seed in range(4)]
    # Four inputs and the fifth; a list of five has no eighth, so the last part is empty.
    parts[1:2] = [
        searched(results, job(tool), Block(range(1, 2), inputs), f"part1_{inputs.start}")
        for inputs in (range(4), range(4, 8), range(8, 12))
    ]
    assert pa.concat_tables([untimed(part) for part in parts]).equals(untimed(whole))
    counts = [untimed(searches_path(part)) for part in parts]
    assert pa.concat_tables(counts).equals(untimed(searches_path(whole)))


def test_records_do_not_depend_on_how_many_of_them_are_put_together_in_memory(
    results: tuple[Paths, Files], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = searched(results, job("pso_div"))
    for module, name in (
        (search_record, "SEARCHES_TOGETHER"),
        (search_record, "TOGETHER"),
        (table_parquet, "TOGETHER"),
    ):
        monkeypatch.setattr(module, name, 3)
    other = searched(results, job("pso_div"), name="other")
    assert untimed(other).equals(untimed(whole))
    assert untimed(searches_path(other)).equals(untimed(searches_path(whole)))
    assert pq.read_metadata(other).num_row_groups == pq.read_metadata(whole).num_row_groups


def test_a_job_makes_the_problem_of_a_search_when_it_begins(
    results: tuple[Paths, Files], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the inputs of all searches are never in memory together."""
    alive: weakref.WeakSet[Problem] = weakref.WeakSet()
    most = 0
    make = Problems.__getitem__

    def counted(self: Problems, place: int | slice) -> Any:
        nonlocal most
        made = make(self, place)
        alive.update([made] if isinstance(made, Problem) else made)
        most = max(most, len(alive))
        return made

    monkeypatch.setattr(Problems, "__getitem__", counted)
    searched(results, job("random", rows=10, memory_mb=0.01), name="few")
    # There are 20 searches; one runs, its record holds its problem, and the next one is looked at.
    assert 0 < most <= 6


@pytest.mark.parametrize("tool", [*TOOLS, "ga_div", "diffchaser_hsi"])
@pytest.mark.parametrize("stop", [Stop(), Stop(first_attack=True)])
def test_isolated_searches_leave_the_records_of_those_side_by_side(
    results: tuple[Paths, Files], tool: str, stop: Stop
) -> None:
    together, alone = (
        searched(results, job(tool, budget=Budget(6, stop=stop, isolated=isolated)), name=f"isolated_{isolated}")
        for isolated in (False, True)
    )
    assert untimed(alone).equals(untimed(together))
    assert untimed(searches_path(alone)).equals(untimed(searches_path(together)))
    assert pq.read_metadata(searches_path(alone)).num_rows == 20
    assert settings(alone) == settings(together) | {"isolated": True}


@pytest.mark.parametrize(("isolated", "most"), [(False, 256), (True, 600)])
def test_networks_run_an_isolated_search_in_the_batches_it_asks_for(
    results: tuple[Paths, Files], monkeypatch: pytest.MonkeyPatch, isolated: bool, most: int
) -> None:
    sizes: list[int] = []
    run_rows = LiteRT._run

    def counted(self: LiteRT, rows: np.ndarray) -> np.ndarray:
        sizes.append(len(rows))
        return run_rows(self, rows)

    monkeypatch.setattr(LiteRT, "_run", counted)
    large = job("random", budget=Budget(1, isolated=isolated))
    large.tool_settings["searcher"]["params"]["population"] = 600
    large.tool_settings["constraint"] = {"name": "none", "params": {}}
    path = searched(results, large, name="large")
    assert pq.read_table(searches_path(path))["valid"].to_pylist() == [600] * 20
    assert max(sizes) == most
    # Of each model, the first search twice; seed inputs, one at a time, beside.
    assert isolated is (sizes.count(600) == 2 * 21 and sizes.count(1) == 2 * 21 and len(sizes) == 2 * 42)


def test_an_input_searched_alone_gives_the_same_records(results: tuple[Paths, Files], tmp_path: Path) -> None:
    _, files = results
    whole = untimed(searched(results, job("pso_div")))
    lines = files.seeds.read_text().splitlines()
    alone = tmp_path / "alone.csv"
    alone.write_text("\n".join([lines[0], lines[8], lines[17]]) + "\n")
    out = tmp_path / "alone.parquet"
    chosen = [tuple(map(int, line.split(",")[:2])) for line in (lines[8], lines[17])]
    run(job("pso_div"), dataclasses.replace(files, seeds=alone), Block(range(1, 2)), out)
    found = untimed(out)
    assert found.num_rows > 0
    mask = [pair == chosen[0] for pair in zip(*(whole[key].to_pylist() for key in ("run_seed", "input")), strict=True)]
    assert found.equals(whole.filter(pa.array(mask)).combine_chunks())


@pytest.mark.parametrize("tool", TOOLS)
def test_counts_of_searches_agree_with_their_candidates(results: tuple[Paths, Files], tool: str) -> None:
    path = searched(results, job(tool))
    candidates, rows = pq.read_table(path).to_pandas(), pq.read_table(searches_path(path)).to_pandas()
    assert pq.read_schema(path).equals(table_parquet.schema(CANDIDATES))
    check_counts(rows)
    assert len(rows) == 20
    assert rows["cluster"].tolist() == Inputs.load(results[1].inputs).clusters(rows["input"]).tolist()
    for _, row in rows.iterrows():
        own = candidates[(candidates.run_seed == row.run_seed) & (candidates.input == row.input)]
        dii = own[own.label_original != own.label_compressed]
        assert (len(own), len(dii), dii.digest.nunique()) == (row.valid, row.dii, row.dii_distinct)
        assert own.evaluation.is_monotonic_increasing
        assert own.evaluation.max() < row.generated
        assert (own.psnr >= MIN_DB).all()
        assert own.fitness.between(0, np.log(2)).all()
        if tool != "random_feasible":
            assert row.generated == 60
        else:
            assert row.valid == 60
        first = dii.generation.min()
        assert row.first_dii == (0 if dii.empty else (first + 1) * 10) or tool == "random_feasible"


def test_other_run_seeds_draw_other_candidates(results: tuple[Paths, Files]) -> None:
    digests = pq.read_table(searched(results, job("random"))).to_pandas().groupby("run_seed").digest.apply(set)
    assert not digests[0] & digests[1]


def test_a_searcher_that_passes_its_budget_ends_the_job_and_leaves_no_records(
    results: tuple[Paths, Files], monkeypatch: pytest.MonkeyPatch
) -> None:
    def heedless(problem: Problem, params: random.Params, rng: np.random.Generator) -> Search:
        for _ in range(9):
            yield Ask(problem.space.sample(params.population, rng))

    exact = searched(results, job("random", budget=Budget(6, evaluations=30)), name="exact")
    assert pq.read_table(searches_path(exact))["generated"].to_pylist() == [30] * 20
    monkeypatch.setattr(random, "search", heedless)
    with pytest.raises(QuantriftError, match="a search evaluated 40 candidates, more than the 30 it has"):
        searched(results, job("random", budget=Budget(6, evaluations=30)), name="over")
    assert not list(exact.parent.glob("*over*"))


def test_records_say_which_distortions_are_switched_on(results: tuple[Paths, Files]) -> None:
    path = searched(results, job("pso_div", budget=Budget(25)))
    space = build("x", settings(path)["tool_settings"], Domain(Inputs.load(results[1].inputs).shape, 0, 1)).space
    names = settings(path)["distortions"]
    assert names == list(space.distortions)
    stored = pq.read_table(path).to_pandas().dropna(subset="vector")
    assert len(stored) > 0
    assert np.array_equal(space.active(np.stack(stored["vector"])), stored["active"])
    of_first = np.stack(stored["vector"])[:, 1]
    assert np.array_equal(stored["active"].to_numpy() & 1, np.rint(of_first))
    assert names[0] == "continuous_dropout"


def test_a_batch_leaves_a_record_of_each_of_its_inputs(results: tuple[Paths, Files]) -> None:
    path = searched(results, job("pso_div", budget=Budget(25, batch=5)), name="batch")
    rows = pq.read_table(searches_path(path)).to_pandas()
    assert rows[["run_seed", "input"]].equals(
        pq.read_table(searches_path(searched(results, job("random")))).to_pandas()[["run_seed", "input"]]
    )
    assert (rows.groupby("run_seed")[["generated", "valid"]].nunique() == 1).all().all()
    assert rows.groupby("run_seed").dii.nunique().max() > 1
    candidates = pq.read_table(path).to_pandas()
    # All inputs of a batch are distorted by the same vectors, in ways of their own.
    switched = candidates.groupby(["run_seed", "evaluation"])
    assert (switched.active.nunique() == 1).all()
    assert switched.digest.nunique().max() == 5
    found = replay(path)
    assert found.rows > 0
    assert found.complete


def test_a_budget_of_evaluations_is_spent_by_generations_of_any_size(results: tuple[Paths, Files]) -> None:
    for tool, each in (("pso_div", 10), ("ga_div", 6)):
        path = searched(results, job(tool, budget=Budget(3, evaluations=70)), name="budget")
        rows = pq.read_table(searches_path(path)).to_pandas()
        assert (rows.generated == 70).all()
        assert (rows.generations == 1 + 60 / each).all()
        # The genetic algorithm keeps four of ten members in every generation after the first.
        assert (rows.memberships == rows.generations * 10).all()


def test_survivors_count_as_valid_in_each_generation_that_they_live_on(results: tuple[Paths, Files]) -> None:
    tables = {
        tool: pq.read_table(searches_path(searched(results, job(tool), name="lives"))).to_pandas()
        for tool in ("pso_div", "ga_div")
    }
    assert (tables["pso_div"].valid_memberships == tables["pso_div"].valid).all()
    genetic = tables["ga_div"]
    assert (genetic.valid_memberships >= genetic.valid).all()
    assert (genetic.valid_memberships - genetic.valid <= genetic.memberships - genetic.generated).all()
    # Valid members cost less, so that they are drawn as parents more often than others.
    lives_on = (genetic.valid_memberships - genetic.valid).sum() / (genetic.memberships - genetic.generated).sum()
    assert lives_on > genetic.valid.sum() / genetic.generated.sum()


def test_stored_vectors_replay_bit_for_bit(results: tuple[Paths, Files], capsys: pytest.CaptureFixture[str]) -> None:
    path = searched(results, job("pso_div", budget=Budget(25)))
    found = replay(path)
    assert found.rows > 0
    assert found.complete
    assert found.largest_difference == 0
    assert found.changed == []
    assert main(["replay", str(path)]) == 0
    assert f"{found.rows} stored" in capsys.readouterr().out


def test_replay_notices_another_model(results: tuple[Paths, Files]) -> None:
    _, files = results
    path = searched(results, job("pso_div", budget=Budget(25)))
    kept = files.compressed.read_bytes()
    files.compressed.write_bytes(files.original.read_bytes())
    try:
        found = replay(path)
        assert found.changed == ["compressed"]
        assert not found.complete
        assert main(["replay", str(path)]) == 1
    finally:
        files.compressed.write_bytes(kept)


def test_a_sample_of_vectors_is_kept_evenly(results: tuple[Paths, Files]) -> None:
    every = pq.read_table(searched(results, job("pso_div", budget=Budget(25)))).to_pandas()
    dii = every[every.vector.notna()].groupby(["run_seed", "input"]).size()
    path = searched(results, job("pso_div", budget=Budget(25), vectors={"sample": 3}), name="sample")
    some = pq.read_table(path).to_pandas()
    kept = some[some.vector.notna()].groupby(["run_seed", "input"]).size()
    assert kept.equals(dii.clip(upper=3))
    first = pq.read_table(
        searched(results, job("pso_div", budget=Budget(25), vectors="first"), name="first")
    ).to_pandas()
    assert first[first.vector.notna()].groupby(["run_seed", "input"]).size().eq(1).all()
    assert some.drop(columns=["vector", *TIMES]).equals(every.drop(columns=["vector", *TIMES]))


def test_a_failing_search_leaves_no_file(results: tuple[Paths, Files], tmp_path: Path) -> None:
    _, files = results
    out = tmp_path / "out" / "x.parquet"
    with pytest.raises(QuantriftError, match="no inputs for run seeds"):
        run(job("random"), files, Block(range(3, 9)), out)
    broken = job("random")
    broken.tool_settings["searcher"]["params"]["population"] = -1
    with pytest.raises(ValueError, match="negative"):
        run(broken, files, Block(range(1)), out)
    assert not out.parent.exists() or list(out.parent.iterdir()) == []


def test_a_file_that_holds_no_records_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    assert main(["replay", str(path)]) == 2
    assert "not a records file" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "none.parquet")]) == 2


def test_damaged_records_cost_one_line_and_never_a_traceback(results: tuple[Paths, Files]) -> None:
    path = searched(results, job("pso_div", budget=Budget(10)), name="damaged")
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused: list[str] = []
    for number in range(60):
        content = bytearray(whole)
        for place in rng.integers(0, len(content), size=1 + number % 5):
            content[place] = rng.integers(0, 256)
        path.write_bytes(content[: rng.integers(1, len(content))] if number % 4 == 0 else content)
        try:
            replay(path)
        except QuantriftError as error:
            refused.append(str(error))
    assert len(refused) >= 15
    assert all("\n" not in message and path.name in message for message in refused)


def test_a_file_of_more_stored_inputs_than_are_replayed_is_refused_before_any_is_run(
    results: tuple[Paths, Files], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = searched(results, job("pso_div", budget=Budget(10)), name="many")
    stored = replay(path).rows
    monkeypatch.setattr(replaying, "MOST", stored - 1)
    monkeypatch.setattr(replaying, "digest", None)
    assert main(["replay", str(path)]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert f"holds more than {stored - 1:,} stored inputs; replay one with --number" in line


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_a_file_of_more_rows_than_are_read_is_refused_by_what_it_states(
    results: tuple[Paths, Files], suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = searched(results, job("pso_div", budget=Budget(10)), name="long")
    written = path.with_suffix(suffix)
    table_files.write(written, CANDIDATES, table_files.settings(path), table_files.read(path))
    monkeypatch.setattr(replaying, "MOST_ROWS", table_files.rows(path) - 1)
    with pytest.raises(QuantriftError, match=rf"long\{suffix}: has .* rows, more than"):
        replay(written)
