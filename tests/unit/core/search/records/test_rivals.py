"""Records of TensorFuzz and DeepXplore depend on keys and models alone, and replay."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.factories import configurations
from tests.factories.records import SUBJECT, untimed
from tests.factories.records import path as records_path

from quantrift.core.base.paths import Paths
from quantrift.core.search.record_columns import searches_path, settings
from quantrift.core.search.records.replaying import replay
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Files

pytestmark = pytest.mark.slow

TOOLS = ["tensorfuzz", "deepxplore", "deepxplore_code"]
EVALUATIONS = 101
SEARCH = """
import json, sys
from dataclasses import replace
from pathlib import Path
from quantrift.core.base.seed_blocks import Block
from quantrift.core.base.paths import Paths
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run
root, alone, subject, evaluations, tools = sys.argv[1], Path(sys.argv[2]), *map(json.loads, sys.argv[3:])
for tool, settings in tools.items():
    files = files_in(Paths(Path(root)), subject, settings)
    job = Job(subject, tool, settings, Budget(1, evaluations=evaluations), vectors="all", rows=256, memory_mb=200)
    folder = Paths(Path(root)).searches(*list(subject.values())[:3], tool, subject["protocol"])
    run(job, files, Block(range(1)), folder / "whole.parquet")
    run(replace(job, rows=3), files, Block(range(1)), folder / "small.parquet")
    run(job, replace(files, seeds=alone), Block(range(1)), folder / "alone.parquet")
"""


@pytest.fixture(scope="module")
def searched(lay_out: Callable[[Files], None], tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, int]:
    """Results folder with records of each tool, and the input that is also searched alone.

    Made by a process of its own, as TensorFlow's threads can be set only once.
    """
    paths = Paths(tmp_path_factory.mktemp("results"))
    tools = {tool: configurations.tool(tool) for tool in TOOLS}
    files = files_in(paths, SUBJECT, tools["tensorfuzz"])
    lay_out(files)
    lines = files.seeds.read_text().splitlines()
    alone = paths.root / "alone.csv"
    alone.write_text("\n".join([lines[0], lines[3]]) + "\n")
    arguments = [str(paths.root), str(alone), *map(json.dumps, (SUBJECT, EVALUATIONS, tools))]
    subprocess.run([sys.executable, "-c", SEARCH, *arguments], check=True, capture_output=True)
    return paths, int(lines[3].split(",")[1])


def records(searched: tuple[Paths, int], tool: str, name: str) -> list[pa.Table]:
    """Candidates and searches without their times, and the path of the former."""
    path = path_of(searched, tool, name)
    return [untimed(file).combine_chunks() for file in (path, searches_path(path))]


def path_of(searched: tuple[Paths, int], tool: str, name: str) -> Path:
    return records_path(searched[0], tool, name)


@pytest.mark.parametrize("tool", TOOLS)
def test_records_are_the_same_alone_and_among_others(searched: tuple[Paths, int], tool: str) -> None:
    whole, small, alone = (records(searched, tool, name) for name in ("whole", "small", "alone"))
    assert whole[1]["generated"].to_pylist() == [EVALUATIONS] * 5
    assert len(set(whole[0]["digest"].to_pylist())) > EVALUATIONS
    for one, other, single in zip(whole, small, alone, strict=True):
        assert one.equals(other)
        own = np.array(one["input"]) == searched[1]
        assert one.filter(pa.array(own)).combine_chunks().equals(single)


def test_what_gradients_found_replays_without_them(searched: tuple[Paths, int]) -> None:
    found = replay(path_of(searched, "deepxplore", "whole"))
    assert found.rows > 0
    assert found.complete
    assert "tensorflow" in settings(path_of(searched, "deepxplore", "whole"))["versions"]
    assert "tensorflow" not in settings(path_of(searched, "tensorfuzz", "whole"))["versions"]
