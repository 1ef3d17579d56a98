"""What targets would cost, from searches that were measured."""

from pathlib import Path

import pandas as pd
import pytest

from quantrift.cli.main import main
from quantrift.config import load
from quantrift.config.paths import Paths

CONFIG = Path(__file__).parents[2] / "config"
ASKED = ["plan", "diverget_table3", "--configfile", str(CONFIG / "paper.yaml"), "--measured"]
MEASURED = str(CONFIG / "sample.yaml")


def measure(dataset: str, model: str, seconds: float) -> None:
    """As if random sampling had searched both compressions of a network, in so many seconds an input."""
    for compression in ("ptq_int8", "qat_int8"):
        folder = Paths(Path("results/sample")).searches(dataset, model, compression, "random", "rq1")
        folder.mkdir(parents=True)
        for run_seed, block in enumerate(("seeds_000-004", "seeds_005-009")):
            rows = {"run_seed": run_seed, "input": [3, 4], "seconds": [seconds / 2, seconds * 3 / 2]}
            pd.DataFrame(rows).to_parquet(folder / f"{block}.searches.parquet")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(load.MIRROR, raising=False)


@pytest.mark.usefixtures("here")
def test_hours_are_searches_times_measured_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    for dataset in ("pavia_university_crop", "salinas_a"):
        for model in ("ssrn", "hybridsn"):
            measure(dataset, model, seconds=2.25)
    assert main([*ASKED, MEASURED]) == 0
    # 8 subjects x 10 run seeds x 80 inputs, 2.25 s each.
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("diverget_table3"))
    assert row.split() == ["diverget_table3", "16", "6,400", "4.00"]


@pytest.mark.usefixtures("here")
def test_the_crop_of_a_scene_stands_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    measure("pavia_university_crop", "ssrn", seconds=1)
    measure("salinas_a", "ssrn", seconds=3)
    measure("salinas_a", "hybridsn", seconds=5)
    assert main([*ASKED, MEASURED]) == 0
    # Each 800 searches: SSRN twice 1 s and 3 s; HybridSN was measured on the other scene alone, 5 s on both.
    total = capsys.readouterr().out.splitlines()[-1].split()[-1]
    assert float(total) == pytest.approx(2 * 800 * (1 + 3 + 5 + 5) / 3600, abs=0.01)


@pytest.mark.usefixtures("here")
def test_what_nobody_measured_is_named_and_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    measure("pavia_university_crop", "ssrn", seconds=2.25)
    assert main([*ASKED, MEASURED]) == 0
    out = capsys.readouterr().out
    assert "not measured, and not in these hours: hybridsn/ptq_int8/random/rq1, hybridsn/qat_int8/random/rq1" in out
    assert "2.00 + not measured" in out


@pytest.mark.usefixtures("here")
def test_a_search_with_another_budget_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure("pavia_university_crop", "ssrn", seconds=2.25)
    shorter = tmp_path / "shorter.yaml"
    shorter.write_text((CONFIG / "sample.yaml").read_text().replace("rq1: {", "rq1: {generations: 5, ", 1))
    assert main([*ASKED, str(shorter)]) == 0
    assert "0.00 + not measured" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_a_target_that_shares_searches_counts_them_once(capsys: pytest.CaptureFixture[str]) -> None:
    measure("pavia_university_crop", "ssrn", seconds=2.25)
    assert main(["plan", "diverget_table4", "diverget_table3", *ASKED[2:], MEASURED]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("diverget_table3"))
    assert row.split() == ["diverget_table3", "0", "0", "0.00"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (["diverget_table33"], "unknown target 'diverget_table33'; did you mean 'diverget_table3'?"),
        (["diverget_table3"], "results/sample: no finished searches to take rates from"),
    ],
)
def test_mistakes_are_one_line(targets: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", *targets, *ASKED[2:], MEASURED]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
