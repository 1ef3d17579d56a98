"""What targets would cost: every job of the dry run, at measured rates; what nobody measured is named."""

from pathlib import Path

import pytest

from quantrift.cli.main import main
from quantrift.config import jobs, plan, rates
from quantrift.config.load import load
from quantrift.config.rates import Rate

CONFIG = Path(__file__).parents[2] / "config"
DEMO = str(CONFIG / "config.yaml")


def rate(rule: str, seconds: float, **of: str) -> Rate:
    config = load(CONFIG, [CONFIG / "config.yaml"])
    job = jobs.Job(rule, of)
    return Rate(
        rule=rule,
        **dict(zip(jobs.NAMES, job.names, strict=True)),
        settings=jobs.settings(config, job),
        jobs=1,
        units=1,
        start_seconds=0,
        unit_seconds=seconds,
        memory_mb=500,
        unit_bytes=1e6,
        machine="any",
    )


def test_hours_are_work_times_rates_and_shared_jobs_count_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rates.csv"
    subject = {"dataset": "sim_pavia", "model": "hybridsn", "compression": "ptq_int8"}
    searched = {"tool": "random", "protocol": "rq1", "block": "seeds_000-000"}
    rates.write(
        file, [rate("search", 4.5, **subject, **searched), rate("table", 36, table="x", name="difference_counts")]
    )
    asked = ["diverget_table3", "diverget_table4", "--configfile", DEMO, "--rates", str(file), "--cores", "2"]
    assert main(["plan", *asked]) == 0
    said = capsys.readouterr().out.splitlines()
    lines = {line.split()[0]: line.split() for line in said if line and not line.startswith(" ")}
    # Sim_salinas is another scene, and so is nothing of the first table: 10 run seeds x 8 inputs of one, and itself.
    hours = (80 * 4.5 + 36) / 3600
    assert float(lines["diverget_table3"][2]) == pytest.approx(hours, abs=0.01)
    assert lines["diverget_table3"][3:6] == ["0.5", "GB", "81"]
    assert float(lines["diverget_table4"][2]) == 0
    assert "not measured" in " ".join(lines["diverget_table4"])
    unmeasured = " ".join(said)
    assert "time on 2 cores, what is not measured aside: 6 min 36 s" in unmeasured
    assert "search sim_salinas/hybridsn: ga_cov, ga_div, pso_cov, pso_div, random, random_feasible" in unmeasured


def test_paper_scale_makes_every_target() -> None:
    paper = load(CONFIG, [CONFIG / "paper.yaml"])
    collections = {name for name, target in paper.targets.items() if target.kind == "collection"}
    assert set(plan.shown(paper)) == set(paper.targets) - collections


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diverget_table33"], "unknown target 'diverget_table33'; did you mean 'diverget_table3'?"),
        (["models", "--cores", "0"], "--cores: at least 1, got 0"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", *arguments, "--configfile", DEMO]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
