"""A disk that is full or cannot be written to costs one line and leaves nothing half-written."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.small_disk import small_disk

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import check_writable, replacing

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


def own_lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("quantrift: ")]


def test_a_disk_that_fills_up_while_records_are_written(
    copy_of_run: Path, snakemake_anywhere: Callable[[Path], Run]
) -> None:
    search = copy_of_run / "results" / "small" / "search"
    shutil.rmtree(search)
    snakemake, small = snakemake_anywhere(copy_of_run), copy_of_run / "small.yaml"
    target = "results/small/search/sim_pavia/hybridsn/ptq_int8/pso_div/rq1/seeds_000-005.parquet"
    settings = ("--config", "protocols={rq1: {inputs: 6, generations: 25}}", "records={vectors: all}")
    with small_disk(search, "size=16k"):
        done = snakemake(target, "--configfile", str(small), *settings)
        assert done.returncode != 0
        [line] = own_lines(done)
        assert "No space left on device" in line
        assert "make room" in line
        assert [path for path in search.rglob("*") if path.is_file()] == []
    again = snakemake(target, "--configfile", str(small), *settings)
    assert again.returncode == 0, again.stdout + again.stderr


def test_results_that_cannot_be_written_stop_before_any_job(snakemake: Run, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("not a folder")
    done = snakemake("-n")
    assert done.returncode != 0
    assert own_lines(done) == ["quantrift: results: a file stands in the place of the results folder; move it away"]


def test_a_read_only_disk_is_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "ro"), pytest.raises(QuantriftError, match="disk: results cannot be written"):
        check_writable(tmp_path / "disk" / "results" / "demo")
    check_writable(tmp_path / "results" / "demo")


def test_a_full_disk_leaves_the_old_file_and_no_temporary_one(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=16k"):
        path = tmp_path / "disk" / "file.txt"
        path.write_text("old")
        with pytest.raises(OSError, match="No space left"), replacing(path) as temporary:
            temporary.write_bytes(bytes(100_000))
        assert path.read_text() == "old"
        assert [file.name for file in path.parent.iterdir()] == ["file.txt"]


def test_what_a_killed_process_left_is_removed_when_its_file_is_written_again(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with replacing(tmp_path / "file.txt") as temporary:
        gone = temporary.with_name(temporary.name.replace(str(os.getpid()), str(ended.pid)))
        gone.write_text("half")
        temporary.write_text("whole")
    with replacing(tmp_path / "file.txt") as temporary:
        temporary.write_text("whole")
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]
