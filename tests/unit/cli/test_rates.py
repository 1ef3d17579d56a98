"""Rates from the benchmark files and records of finished runs."""

from pathlib import Path

import pandas as pd
import pytest
from tests.factories.places import CONFIG
from tests.factories.searches import first_attack, search, write

from quantrift.cli.main import main
from quantrift.cli.planning.measured import processor_seconds
from quantrift.core.base.paths import Paths
from quantrift.study.planning.measured_rates import FILE, Rate, read

DEMO = str(CONFIG / "config.yaml")
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
SUBJECT = ("sim_pavia", "hybridsn", "ptq_int8", "random", "rq1")


def measure(
    paths: Paths, rule: str, names: tuple[str, ...], seconds: float, memory: str, processors: str = "NA"
) -> None:
    file = paths.benchmark(rule, *names)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{HEADER}{seconds}\t0:00:01\t{memory}\t1\t1\t1\t0\t0\t50\t{processors}\n")


@pytest.fixture
def made(tmp_path: Path) -> dict[str, Rate]:
    """Rates of two search jobs, eight seed inputs each, and one training; by rule."""
    paths = Paths(tmp_path / "results" / "demo")
    for number, seconds in enumerate((10.0, 30.0)):
        block = f"seeds_00{number}-00{number}"
        measure(paths, "search", (*SUBJECT, block), seconds, memory=f"{300 + number}")
        folder = paths.searches(*SUBJECT)
        folder.mkdir(parents=True, exist_ok=True)
        pd.DataFrame([search(number, one) for one in range(8)]).to_parquet(folder / f"{block}.searches.parquet")
        (folder / f"{block}.parquet").write_bytes(b"x" * 800)
    measure(paths, "train", ("digits", "lenet5"), 60.0, memory="NA")
    measure(paths, "train", ("digits", "gone"), 60.0, memory="1")
    out = tmp_path / "rates.csv"
    given = ["rates", "--configfile", DEMO, "--results", str(tmp_path / "results"), "--rates", str(out)]
    assert main(given) == 0
    assert main(given) == 0
    return {rate.rule: rate for rate in read(out).of.values()}


def test_a_search_jobs_seconds_are_a_start_and_a_share_for_each_seed_input(made: dict[str, Rate]) -> None:
    rate = made["search"]
    assert (rate.dataset, rate.tool, rate.jobs, rate.units) == ("sim_pavia", "random", 2, 8)
    # 25 generations of 10.
    assert (rate.searcher, rate.until, rate.evaluations) == ("random", "budget", 250)
    # Of the shorter one's 10 s, 4 were its searches.
    assert rate.start_seconds == 6
    assert rate.unit_seconds * 16 == pytest.approx(4 + 24, rel=0.01)


def test_a_long_job_without_a_noted_start_is_work_after_20_seconds(made: dict[str, Rate]) -> None:
    rate = made["train"]
    assert rate.start_seconds == 20
    assert rate.unit_seconds * rate.units == pytest.approx(40, rel=0.01)


def test_memory_is_the_largest_and_unknown_where_nobody_looked(made: dict[str, Rate]) -> None:
    assert made["search"].memory_mb == 301
    assert made["train"].memory_mb is None


def test_jobs_that_the_configuration_does_not_have_are_left_out(made: dict[str, Rate]) -> None:
    assert made["train"].model == "lenet5"


def test_without_finished_jobs_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rates", "--configfile", DEMO, "--results", str(tmp_path), "--rates", str(tmp_path / "x.csv")]) == 2
    assert "no finished jobs; run the configuration first" in capsys.readouterr().err


def test_a_working_copys_own_rates_are_updated_and_not_those_beside_the_package(
    made: dict[str, Rate], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "config" / "rates.csv"
    own.parent.mkdir()
    own.touch()
    (tmp_path / "Snakefile").touch()
    (tmp_path / "workflow" / "lib" / "quantrift").mkdir(parents=True)
    beside_the_package = FILE.read_bytes()
    monkeypatch.chdir(tmp_path)
    assert main(["rates", "--configfile", DEMO]) == 0
    assert own.read_bytes() == (tmp_path / "rates.csv").read_bytes()
    assert FILE.read_bytes() == beside_the_package


def test_outside_a_working_copy_the_file_has_to_be_named(
    made: dict[str, Rate], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beside_the_package = FILE.read_bytes()
    monkeypatch.chdir(tmp_path)
    assert main(["rates", "--configfile", DEMO]) == 2
    assert capsys.readouterr().err.endswith(
        "no working copy of the project; name the file to update with --rates FILE\n"
    )
    assert FILE.read_bytes() == beside_the_package


@pytest.mark.parametrize(
    ("clock", "sampled", "seconds"),
    [
        # Up to 15 s it is sampled each half second, so here at 9.5 s.
        (9.9, 4.75, 4.95),
        # Then once, at 15 s, and here again at 45 and 75 s.
        (30.0, 7.5, 15.0),
        (90.0, 25.0, 30.0),
        # Gone before it was sampled again.
        (0.4, 0.0, None),
    ],
)
def test_processor_seconds_are_those_at_the_last_sample_as_if_the_job_went_on_alike(
    clock: float, sampled: float, seconds: float | None
) -> None:
    found = processor_seconds({"s": str(clock), "cpu_time": str(sampled)})
    assert found == (None if seconds is None else pytest.approx(seconds))


def rates_of(folder: Path, *options: str) -> dict[str, Rate]:
    """Rates of the jobs measured in a folder, by rule; kept in ``rates.csv`` there."""
    out = folder / "rates.csv"
    given = ["--configfile", DEMO, "--results", str(folder / "results"), "--rates", str(out), *options]
    assert main(["rates", *given]) == 0
    return {rate.rule: rate for rate in read(out).of.values()}


def test_of_searches_those_that_a_larger_budget_would_not_make_longer_are_counted(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "results" / "demo")
    subject = ("digits", "lenet5", "ptq_int8", "triggerfinder_code", "triggerfinder_diffchaser")
    folder = paths.searches(*subject)
    # Of 4000 candidates: one ends early, one with the last, one never.
    rows = [first_attack(0, number, queries, 4000) for number, queries in enumerate((10, 4000, 0))]
    write(rows, folder, "seeds_000-000")
    measure(paths, "search", (*subject, "seeds_000-000"), 10.0, memory="NA")
    assert rates_of(tmp_path)["search"].ended == pytest.approx(0.667)


def test_beside_other_work_the_seconds_of_processors_count_and_else_those_of_the_clock(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "results" / "demo")
    # A quarter of a core, two cores, and a job that waits for files.
    measure(paths, "train", ("digits", "lenet5"), 200.0, memory="NA", processors="48.75")
    measure(paths, "attack_original", ("digits", "lenet5"), 60.0, memory="NA", processors="90")
    measure(paths, "source", ("digits",), 60.0, memory="NA", processors="1")
    found = rates_of(tmp_path)
    assert {rule: rate.start_seconds + rate.units * rate.unit_seconds for rule, rate in found.items()} == {
        "train": pytest.approx(50, rel=0.01),
        "attack_original": pytest.approx(60, rel=0.01),
        "source": pytest.approx(60, rel=0.01),
    }


def test_rates_of_a_larger_run_stay_where_only_missing_ones_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = Paths(tmp_path / "results" / "demo")
    measure(paths, "train", ("digits", "lenet5"), 60.0, memory="100")
    before = rates_of(tmp_path)["train"]
    measure(paths, "train", ("digits", "lenet5"), 600.0, memory="100")
    measure(paths, "source", ("digits",), 6.0, memory="100")
    after = rates_of(tmp_path, "--missing")
    assert after["train"] == before
    assert after["source"].unit_seconds == 6
    assert "2 jobs measured; 1 rates new, 1 before" in capsys.readouterr().out
    assert rates_of(tmp_path)["train"] != before


def test_a_rate_far_from_those_of_equal_work_is_named_with_the_file_to_make_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = Paths(tmp_path / "results" / "demo")
    compressions = ("float16_truncation_1", "float16_truncation_50", "float16_cut_50", "float16_truncation_100")
    for compression, seconds in zip(compressions, (20.0, 21.0, 22.0, 90.0), strict=True):
        measure(paths, "compress", ("digits", "lenet5", compression), seconds, memory="100")
    rates_of(tmp_path)
    spread, odd = capsys.readouterr().out.splitlines()[1:]
    assert spread == "of 4 rates of equal work 95 % lie within a factor of 4.3 of the others"
    file = paths.compressed("digits", "lenet5", "float16_truncation_100") / "model.tflite"
    assert odd.startswith("4.3 times the others of its work: compress digits lenet5 float16_truncation_100 ")
    assert odd.endswith(f"; measure it again: snakemake --cores 1 --force {file}")
