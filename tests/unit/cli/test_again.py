"""Results of other versions, and bytes that changed behind Snakemake's back."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import configurations

from quantrift.cli.health import data
from quantrift.cli.main import main
from quantrift.cli.planning import again
from quantrift.cli.planning.dry_run import Planned
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.result_files import Results

DEMO = configurations.of_scale()
TABLE = "diverget_table4"


def made(paths: Paths) -> list[Path]:
    """The files of a table, and what it says that it was made from."""
    files = Results(DEMO, paths).files(TABLE)
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"metrics {number}\n")
    provenance = paths.table(TABLE).with_suffix(".provenance.json")
    provenance.parent.mkdir(parents=True)
    digests = {file.stem + str(n): hashlib.sha256(file.read_bytes()).hexdigest() for n, file in enumerate(files)}
    provenance.write_text(json.dumps({"files": digests}))
    return files


def test_a_byte_that_changed_with_its_time_restored_is_found(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    files = made(paths)
    (found,) = data.digests(DEMO, paths)
    assert found.level == "ok"
    assert found.says.startswith("1 tables")
    file = Results(DEMO, paths).files(TABLE)[3]
    before = file.stat()
    file.write_text(file.read_text().replace("3", "8"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    (found,) = data.digests(DEMO, paths)
    assert (found.level, len(files) > 3) == ("problem", True)
    assert f"{TABLE}.csv: made from other bytes than lie there now (rq13)" in found.says
    assert found.todo


def test_a_file_that_is_gone_is_found_and_no_tables_are_no_proof(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    assert [one.level for one in data.digests(DEMO, paths)] == ["warning"]
    made(paths)[0].unlink()
    assert [one.level for one in data.digests(DEMO, paths)] == ["problem"]


def test_the_check_up_looks_at_results_where_it_is_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made(Paths(Path("results") / DEMO.scale))[0].write_text("other")
    main(["doctor"])
    assert "other bytes" not in capsys.readouterr().out
    assert main(["doctor", "--results"]) == 1
    assert "made from other bytes than lie there now" in capsys.readouterr().out


def planned(rule: str, reason: str) -> Planned:
    return Planned(1, Job(rule, {}), (), ("out",), 1, reason)


def said(jobs: Iterable[Planned]) -> list[str]:
    return list(again.lines(jobs))


def test_each_reason_has_one_line_with_its_jobs() -> None:
    params = "Params have changed since last execution: before: 'a' now: 'b'"
    after = "Input files updated by another job: a, b"
    target = replace(planned("all", after), outputs=())
    first, second = said([*3 * [planned("search", params)], planned("train", params), planned("table", after), target])
    assert first.startswith("a run would make 3 search, 1 train: their settings, code or packages changed")
    assert second == "a run would make 1 table: the files that they are made from are made again"
    assert said([target]) == [
        "a run would make nothing: all results match the configuration, the code and the packages"
    ]


def test_blocks_that_the_configuration_does_not_have_are_left_over_and_its_own_are_not(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    searches = work.searches_of(DEMO, DEMO.targets[TABLE])[0]
    bits = work.bits_of(DEMO, DEMO.targets["heterogeneous_table5_1"])[0]
    for file in Results(DEMO, paths).records_of(searches):
        file.parent.mkdir(parents=True)
        file.touch()
        file.with_suffix(".searches.parquet").touch()
    for block in work.network_blocks(DEMO, bits):
        paths.bits(bits.dataset, bits.model, bits.study, block).mkdir(parents=True)
    assert again.left_over(DEMO, paths) == []
    old = file.with_name("seeds_000-004.parquet"), paths.bits(bits.dataset, bits.model, bits.study, "networks_000-004")
    old[0].touch()
    old[1].mkdir()
    assert again.left_over(DEMO, paths) == sorted(old)
