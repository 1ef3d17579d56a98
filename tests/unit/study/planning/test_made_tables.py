"""Figures of finished tables name tables and columns that are declared, and have a display name for every id."""

from pathlib import Path

import pytest
from tests.factories import configurations
from tests.factories.places import ROOT
from tools.documents.kept_results import KEPT

from quantrift.core.base.files import read_json
from quantrift.core.base.paths import Paths
from quantrift.core.page.arrangement import records
from quantrift.study.planning import result_files
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.result_files import PUBLISHED, Results
from quantrift.study.results.tables.comparison import of_tests, published_of_tools
from quantrift.study.results.targets import kinds

PAPER = configurations.of_scale("paper")
SAMPLE = configurations.of_scale("sample")
THOROUGH = load(ROOT / "config", [ROOT / "config" / f"{name}.yaml" for name in ("sample", "thorough")])
ADDED = {name for name, one in read_json(KEPT / "run.json")["added"].items() if one["scale"] == THOROUGH.scale}
OF_TABLES = [
    name for name, one in PAPER.targets.items() if one.kind in ("forest", "published_against_measured", "cell_verdicts")
]


@pytest.mark.parametrize("name", OF_TABLES)
def test_a_figure_is_made_from_its_tables_alone(name: str) -> None:
    settings = PAPER.targets[name]
    own = getattr(settings, "tables", None) or [settings.findings]
    files = Results(PAPER, Paths(Path("results"))).files(name)
    ends = (".csv", ".columns.json")
    beside = {table: [f".{one}.csv" for one in kinds.details(PAPER.targets[table]) if one != "timing"] for table in own}
    assert [file.name for file in files] == [f"{table}{end}" for table in own for end in (*ends, *beside[table])]


@pytest.mark.parametrize("name", [name for name in OF_TABLES if PAPER.targets[name].kind == "forest"])
def test_effects_of_a_forest_plot_are_declared_as_such(name: str) -> None:
    settings = PAPER.targets[name]
    columns = [column for table in settings.tables for column in kinds.load(PAPER.targets[table].kind).COLUMNS]
    effects = {column.name: column for column in columns if column.no_effect is not None}
    assert {*settings.effects} <= {*effects}
    assert settings.effects or any(column.low for column in effects.values())
    assert {*settings.only} <= {column.name for column in columns if column.group == "key"}


@pytest.mark.parametrize(
    "name", [name for name in OF_TABLES if PAPER.targets[name].kind == "published_against_measured"]
)
def test_every_published_table_has_columns_that_stand_beside_ours(name: str) -> None:
    settings = PAPER.targets[name]
    for table in settings.tables:
        columns = kinds.load(PAPER.targets[table].kind).COLUMNS
        beside = {one.beside for one in columns if one.group == "published"} & {one.name for one in columns}
        assert beside
        assert {*settings.columns} <= beside
        assert PAPER.targets[table].published_files


@pytest.mark.parametrize(
    "name",
    [name for name, one in PAPER.targets.items() if one.kind.startswith("compare_") and one.published],
)
def test_published_rates_of_a_comparison_are_those_of_its_groups(name: str) -> None:
    settings = PAPER.targets[name]
    rates = kinds.load(settings.kind).PUBLISHED
    own = {group: group for group in settings.groups}
    if settings.kind == "compare_to_baseline":
        own |= {tool: tool for tools in settings.groups.values() for tool in tools} | {"baseline": settings.baseline}
    papers = published_of_tools(PUBLISHED / settings.published, own, (*rates, *of_tests(rates)))
    assert {group for row in papers.values() for group in row} <= {*own.values()}


def test_ids_have_titles_and_simulated_datasets_say_that_they_are() -> None:
    demo = configurations.of_scale()
    titles = Results(demo, Paths(Path("results"))).titles()["titles"]
    assert all("simulated" in titles[name] for name, one in demo.datasets.items() if one.simulated)
    assert titles["digits"] == demo.datasets["digits"].title
    assert titles["hybridsn"] == "HybridSN"
    assert titles["pso_div"] == demo.tools["pso_div"].title
    assert {*demo.tools, *demo.datasets} <= {*titles}


@pytest.mark.parametrize("name", [name for name in SAMPLE.shown if (KEPT / "tables" / f"{name}.csv").is_file()])
def test_a_table_is_given_the_titles_of_all_ids_that_it_shows(name: str) -> None:
    """By the tables of the kept run, each of the scale at which it was made."""
    config = THOROUGH if name in ADDED else SAMPLE
    titles = result_files.titles(config)
    cells = {cell for row in records(KEPT / "tables" / f"{name}.csv") for cell in row.values()}
    given = Results(config, Paths(Path("results"))).shown(name, titles)
    assert cells & {*titles} <= {*given}
    assert len(given) < len(titles)
