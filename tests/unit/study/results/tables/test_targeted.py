"""Targeted searches in a table and in a grid of inputs, of real searches on a tiny network with three classes."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import configurations, datasets, targets
from tests.factories.records import SUBJECT

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.base.table_columns import taken
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.search.records import dii
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.core.search.stopping import Stop
from quantrift.core.statistics.intervals import pooled

DATASETS = {"tiny": datasets.scene("mnist", "Tiny scene", ["low", "middle", "high"])}
SEARCHED = ("tiny", "hybridsn", "ptq_int8", "chaser", "q4")
PUBLISHED = """dataset,model,compression,chaser_n_success,chaser_searches,chaser_iterations_average
mnist,hybridsn,ptq_int8,77,90,75.9
"""


@pytest.fixture(scope="module")
def files(lay_out: Callable[[Files], None], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Candidates and searches tables of two run seeds of five inputs, each with two classes to reach."""
    paths = Paths(tmp_path_factory.mktemp("results"))
    subject = SUBJECT | {"protocol": "q4"}
    stated = configurations.tool("diffchaser_targeted")
    stated["space"]["params"]["levels"] = None
    stated["constraint"] = {"name": "none", "params": {}}
    stated["searcher"]["params"] |= {"population": 40, "radius": 0.2}
    own = files_in(paths, subject, stated)
    lay_out(own)
    budget = Budget(25, stop=Stop("targeted", first_attack=True), candidates="found")
    job = Job(subject, "chaser", stated, budget, vectors={"sample": 2}, rows=256, memory_mb=200)
    out = paths.searches(**subject, tool="chaser") / "seeds_000-001.parquet"
    run(job, own, Block(range(2)), out)
    return [out, out.with_suffix(".searches.parquet")]


def table(folder: Path, searches: Mapping[Any, Path], **more: Any) -> Path:
    """The table of targeted searches; its path without suffix."""
    given = targets.given({"searches": searches}, DATASETS, **more)
    return targets.table(folder, given, kind="targeted", **{"from": ["q4"]})


def test_every_pair_of_an_input_and_another_class_is_counted(files: list[Path], tmp_path: Path) -> None:
    searches = Path(shutil.copy(files[1], tmp_path))
    stem = table(tmp_path, {SEARCHED: searches}, published=targets.published(tmp_path, PUBLISHED))
    row: Any = pd.read_csv(stem.with_suffix(".csv")).loc[0]
    stored = pd.read_parquet(files[1]).sort_values(["run_seed", "input", "target"])
    won = stored["first_reached"] > 0
    assert 0 < won.sum() < len(stored)
    assert row[["inputs", "searches", "n_success"]].tolist() == [10, 20, won.sum()]
    share = pooled(stored["cluster"].to_numpy(), won.to_numpy(np.int64), np.ones(20, np.int64))
    assert row[["sr", "sr_low", "sr_high"]].tolist() == pytest.approx([won.mean(), share.low, share.high])
    # As Algorithm 1 counts: the initial population is iteration 0.
    assert row["iterations_average"] == pytest.approx(stored["generations"][won].mean() - 1)
    assert row[["published_n_success", "published_searches", "published_iterations_average"]].tolist() == [77, 90, 75.9]
    single = pd.read_csv(f"{stem}.searches.csv")
    assert (single["target"] != single["true_label"]).all()
    assert single["success"].tolist() == won.tolist()


def test_searches_that_want_no_class_are_refused(files: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "seeds_000-001.searches.parquet"
    pd.read_parquet(files[1]).drop_duplicates(["run_seed", "input"]).assign(target=-1).to_parquet(path)
    with pytest.raises(QuantriftError, match="table targeted: has searches without a wanted class"):
        table(tmp_path, {SEARCHED: path})
    with pytest.raises(QuantriftError, match="table targeted: its experiments have no searches"):
        table(tmp_path, {})


def test_the_grid_shows_what_was_found_and_crosses_the_rest(files: list[Path], tmp_path: Path) -> None:
    stated = {"kind": "targeted_grid", "title": "Grid", "from": ["q4"]}
    inputs = {("tiny", "hybridsn"): Paths(files[0].parents[6]).inputs("tiny", "hybridsn")}
    records, counts = (targets.of_searches([file]) for file in files)
    needed: dict[str, Any] = {"inputs": inputs, "records": records, "searches": counts}
    given = targets.given(needed, DATASETS, published=targets.published(tmp_path, PUBLISHED))
    path = targets.figure(tmp_path, given, **stated).with_suffix(".svg")
    won = int((pd.read_parquet(files[1])["first_reached"] > 0).sum())
    root = targets.drawn(path)
    # Ten seed inputs, and one input for each search that succeeded.
    assert len(list(root.iter(f"{targets.SVG}image"))) == 10 + won
    said = targets.texts(path)
    assert any(text.startswith(f"{won} of 20 found, after ") for text in said)
    assert "published: 77 of 90, after 75.90 iterations" in said
    assert {"seed", "low", "middle", "high"} <= set(said)
    before = path.read_bytes()
    targets.figure(tmp_path, given, **stated)
    assert path.read_bytes() == before
    with pytest.raises(QuantriftError, match="no searches"):
        targets.figure(tmp_path, targets.given({name: {} for name in needed}, DATASETS), **stated)


def test_an_input_that_is_shown_is_one_that_the_models_tell_apart_as_wanted(files: list[Path]) -> None:
    found = dii.load(files[:1])
    rows = taken(found.rows, found.rows["reached"])
    assert len(rows["input"]) > 0
    paths = Paths(files[0].parents[6])
    original = LiteRT(paths.model("tiny", "hybridsn") / "original.tflite")
    compressed = LiteRT(paths.compressed("tiny", "hybridsn", "ptq_int8") / "model.tflite")
    after = found.pairs(rows)[1]
    labels = np.stack([original(after).argmax(axis=1), compressed(after).argmax(axis=1)])
    assert np.array_equal(np.sort(labels, axis=0), np.sort([rows["true_label"], rows["target"]], axis=0))
