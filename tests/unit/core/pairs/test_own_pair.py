"""Searches of networks made here write the same records, whichever module opens the pair."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.factories.records import SUBJECT, lenient
from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks.layer_values.neuron_ranges import measure
from quantrift.core.networks.layer_values.neurons import Neurons
from quantrift.core.pairs import given_pair, own_pair
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.search import run as search_run
from quantrift.core.search.record_columns import settings
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run


@pytest.mark.parametrize("tool", ["pso_div", "pso_cov"])
def test_records_are_those_of_the_pair_of_given_files(
    tool: str, lay_out: Callable[[Files], None], tmp_path: Path
) -> None:
    paths, asked = Paths(tmp_path), lenient(tool)
    files = files_in(paths, SUBJECT, asked)
    lay_out(files)
    if files.profile:
        measure(Neurons(files.original), Inputs.load(files.inputs)).write(files.profile)
    job = Job(SUBJECT, tool, asked, Budget(6), vectors={"sample": 20}, rows=256, memory_mb=200)
    found = {}
    for opening in (own_pair, given_pair):
        out = tmp_path / f"{opening.__name__}.parquet"
        run(job, replace(files, opening=opening.__name__), Block(range(2)), out)
        table = pq.read_table(out)
        found[opening] = settings(out), table.drop_columns([one for one in table.column_names if "seconds" in one])
    assert found[own_pair][0] == found[given_pair][0]
    assert found[own_pair][1].equals(found[given_pair][1])
    assert found[own_pair][1].num_rows


def test_networks_of_other_data_do_not_fit(trained: Path, tmp_path: Path) -> None:
    import keras

    from quantrift.core.networks.tflite_files import to_tflite

    other = tmp_path / "other.tflite"
    stack = keras.layers.Flatten(), keras.layers.Dense(3)
    other.write_bytes(to_tflite(keras.Sequential([keras.Input((4, 4, 1)), *stack])))
    with pytest.raises(QuantriftError, match=r"made for inputs \(4, 4, 1\) and 3 classes, but"):
        own_pair.load(PairFiles(original=trained / "original.tflite", compressed=other))


@pytest.mark.parametrize("budget", [Budget(6), Budget(6, evaluations=35)], ids=["generations", "evaluations"])
def test_progress_ends_at_its_total(
    budget: Budget, lay_out: Callable[[Files], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars = []

    def kept(**told: Any) -> tqdm:
        bars.append(tqdm(**told, disable=False))
        return bars[-1]

    monkeypatch.setattr(search_run, "bar", kept)
    asked = lenient("ga_div")
    files = files_in(Paths(tmp_path), SUBJECT, asked)
    lay_out(files)
    job = Job(SUBJECT, "ga_div", asked, budget, vectors="first", rows=256, memory_mb=200)
    run(job, files, Block(range(2)), tmp_path / "out.parquet")
    assert [one.n for one in bars] == [one.total for one in bars] == [10 * (budget.evaluations or 6)]
