"""Plans of targets: every job of the dry run, at measured rates; jobs without a rate are named."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import configurations
from tests.factories.places import CONFIG

from quantrift.cli.main import main, parser
from quantrift.study.planning import jobs, measured_rates
from quantrift.study.planning.measured_rates import Rate

DEMO = str(CONFIG / "config.yaml")


def rate(rule: str, seconds: float, **of: str) -> Rate:
    config = configurations.of_scale()
    job = jobs.Job(rule, of)
    blank = replace(measured_rates.described(config, job), kind="", machine="any")
    return replace(blank, jobs=1, units=1, unit_seconds=seconds, memory_mb=500, unit_bytes=1e6)


@pytest.mark.slow
def test_hours_are_work_times_rates_and_shared_jobs_count_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rates.csv"
    subject = {"dataset": "sim_pavia", "model": "hybridsn", "compression": "ptq_int8"}
    searched = {"tool": "random", "protocol": "rq1", "block": "seeds_000-000"}
    other = {**searched, "tool": "pso_div"}
    searches = [rate("search", 4.5, **subject, **searched), rate("search", 9, **subject, **other)]
    measured_rates.write(file, [*searches, rate("table", 36, table="diverget_table3")])
    asked = ["diverget_table3", "diverget_table4", "--configfile", DEMO, "--rates", str(file), "--cores", "2"]
    assert main(["plan", *asked]) == 0
    said = capsys.readouterr().out.splitlines()
    lines = {line.split()[0]: line.split() for line in said if line and not line.startswith(" ")}
    # 10 run seeds x 8 inputs of one scene, measured; as many of the other, which takes as long as both searches that
    # were measured in the (geometric) mean; and the table itself, measured.
    hours = (80 * 4.5 + 80 * (4.5 * 9) ** 0.5 + 36) / 3600
    assert float(lines["diverget_table3"][2]) == pytest.approx(hours, abs=0.01)
    assert lines["diverget_table3"][6:9] == ["0.5", "GB", "161"]
    low, high = float(lines["diverget_table3"][3]), float(lines["diverget_table3"][5])
    assert (80 * 4.5 + 36) / 3600 <= low < hours < high
    whole = "\n".join(said)
    # Of the rest, tools on two scenes and what leads to them, searches are like those that were measured.
    assert "measured: 3 of " in whole
    assert re.search(r"search sim_salinas/hybridsn: ga_cov, .*, random_feasible  like any search \(2 rates\)", whole)
    assert re.search(r"unknown, and not in these numbers: \d+ of \d+ jobs\n.*train", whole, re.DOTALL)
    assert re.search(r"time on 2 cores, without the unknown jobs: .*, between .* and ", whole)


@pytest.mark.slow
def test_what_is_measured_has_no_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rates.csv"
    measured_rates.write(file, [rate("table", 36, table="diverget_table8", name="settings")])
    assert main(["plan", "diverget_table8", "--configfile", DEMO, "--rates", str(file), "--cores", "1"]) == 0
    said = capsys.readouterr().out
    assert "measured: 1 of 1 jobs\n" in said
    assert "between" not in said.split("\n", 1)[1]
    assert "time on 1 core: 36 s\n" in said


@pytest.mark.slow
def test_later_files_are_laid_over_earlier_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = tmp_path / "more.yaml"
    over.write_text("scale: more\ntargets: {mine: {kind: collection, title: Mine, targets: [diverget_table8]}}\n")
    assert main(["plan", "mine", "--configfile", DEMO, str(over)]) == 0
    assert "\nmine " in capsys.readouterr().out


def test_plan_and_rates_name_their_files_alike() -> None:
    for command in ("plan", "rates"):
        given = parser(command).parse_args([command, "--configfile", "a.yaml", "b.yaml", "--rates", "c.csv"])
        assert given.configfile == [Path("a.yaml"), Path("b.yaml")]
        assert given.rates == Path("c.csv")


def test_paper_scale_makes_every_target() -> None:
    paper = configurations.of_scale("paper")
    collections = {name for name, target in paper.targets.items() if target.kind == "collection"}
    assert set(paper.shown) == set(paper.targets) - collections


@pytest.mark.slow
def test_the_pilot_measures_what_the_paper_needs_and_downloads_nothing_but_mnist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    paper, pilot = str(CONFIG / "paper.yaml"), str(CONFIG / "pilot.yaml")
    targets = ["heterogeneous", "diffchaser_table1", "triggerfinder_table2", "layer_errors"]
    asked = ["plan", *targets, "--rates", "none.csv", "--unmeasured", "--serving", paper, "--configfile", paper, pilot]
    assert main(asked) == 0
    files = capsys.readouterr().out.splitlines()
    # Without any rate all is to be measured: trainings, attacks, searches.
    for part in (
        "bits/digits/vgg16",
        "bits/sim_textures/mlp",
        "search/sim_textures/resnet20",
        "models/sim_salinas/ssrn",
    ):
        assert any(file.startswith(f"results/pilot/{part}/") for file in files), part
    datasets = {name for file in files for name in file.split("/")} & set(configurations.of_scale("paper").datasets)
    assert datasets == {"mnist", "digits", "sim_textures", "sim_pavia", "sim_salinas"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--serving", DEMO], "--serving: only with --unmeasured, which it sorts; give both or none"),
        (["diverget_table33"], "unknown target 'diverget_table33'; did you mean 'diverget_table3'?"),
        (["models", "--cores", "0"], "--cores: at least 1, got 0"),
        (["--configfile", DEMO, "rq1"], "--configfile: rq1 does not exist; put other arguments before --configfile"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    named = [] if "--configfile" in arguments else ["--configfile", DEMO]
    assert main(["plan", *arguments, *named]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
