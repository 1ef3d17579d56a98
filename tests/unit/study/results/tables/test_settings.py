"""The table of tools' settings."""

from pathlib import Path

import pandas as pd
from tests.factories import configurations, targets
from tests.factories.places import PUBLISHED

from quantrift.core.base.paths import Paths
from quantrift.study.planning.result_files import Results
from quantrift.study.results.tables.kinds.settings import Settings, states

PAPERS = PUBLISHED / "diverget_table8.csv"
PAPER = configurations.of_scale("paper")


def table(folder: Path, frameworks: dict[str, list[str]]) -> pd.DataFrame:
    """The CSV, by part and setting."""
    settings = {"kind": "settings", "title": "Settings", "frameworks": frameworks, "protocol": "rq1"}
    stated = states(Settings.model_validate(settings), Results(PAPER, Paths(folder)))
    titles = {"pso_div": "Swarm", "pso_cov": "Swarm"}
    given = targets.given({}, {}, scale="paper", published=[PAPERS], titles=titles, stated=stated)
    stem = targets.table(folder, given, **settings)
    return pd.read_csv(stem.with_suffix(".csv"), keep_default_na=False).set_index(["part", "setting"])


def test_every_setting_stands_beside_those_of_other_tools(tmp_path: Path) -> None:
    rows = table(tmp_path, {"diverget": ["pso_div", "ga_div"], "diffchaser": []})
    both = {key: (row["pso_div"], row["ga_div"]) for key, row in rows.iterrows()}
    assert both["searcher", "name"] == ("pso", "ga")
    assert both["searcher", "swarm"] == ("10", "n/a")
    assert both["searcher", "mutation"] == ("n/a", "0.1")
    assert both["constraint", "min_db"] == ("20", "20")
    assert both["space", "distortions"][0].startswith("continuous_dropout, discontinuous_dropout, ")
    assert both["protocol", "run_seeds"] == ("10", "10")
    assert both["protocol", "evaluations"] == ("none", "none")
    assert both["tool", "engine"] == ("lockstep", "lockstep")
    assert not [name for name in rows.columns if name in ("title", "like")]


def test_a_framework_without_tools_stays_empty_beside_the_papers_words(tmp_path: Path) -> None:
    rows = table(tmp_path, {"diverget": ["pso_div"], "diffchaser": []})
    assert set(rows["diffchaser"]) == {""}
    assert rows.loc[("constraint", "name"), "published_diffchaser"] == "L_inf norm"
    assert rows.loc[("constraint", "name"), "published_diverget"] == "PSNR"
    assert rows.loc[("protocol", "first_attack"), "published_level"] == "Goal"
    assert (rows["published_level"] != "").sum() == 5
    assert rows.loc[("searcher", "swarm"), "published_diverget"] == ""


def test_two_tools_of_one_title_keep_a_column_each(tmp_path: Path) -> None:
    table(tmp_path, {"diverget": ["pso_div", "pso_cov"]})
    assert "| Swarm (pso_div) | Swarm (pso_cov) |" in targets.markdown(tmp_path / "tables" / "settings")


def test_the_page_for_people_names_tools_and_scale(tmp_path: Path) -> None:
    table(tmp_path, {"diverget": ["pso_div"], "diffchaser": []})
    text = targets.markdown(tmp_path / "tables" / "settings")
    assert "Swarm | published Level | published diverget | published diffchaser |" in text
    assert "A framework without a column of ours, or with an empty one, has no tool yet." in text
    assert "Scale: paper. Run seeds: 10. Inputs: 80" in text
    assert "published/diverget_table8.csv" in (tmp_path / "tables" / "settings.provenance.json").read_text()
