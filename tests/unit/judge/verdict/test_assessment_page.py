"""The report of an assessment says what the assessment does, and nothing else decides on it."""

import csv
import html
import io
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.python.assessments import report as write_page
from quantrift.judge.verdict import page_tables
from quantrift.judge.verdict.assessment import read, write
from quantrift.judge.verdict.charts import LAYERS, drawn_layers


@pytest.fixture(scope="module")
def text(assessed: Path) -> str:
    """The page."""
    return write_page(assessed).read_text(encoding="utf-8")


def rows(text: str, section: str) -> list[dict[str, str]]:
    """The table that a section lets one download."""
    [content] = re.findall(rf'download="{section}\.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', text)
    return list(csv.DictReader(io.StringIO(b64decode(content).decode())))


def test_the_verdict_comes_first_in_its_colour_with_a_disagreement_below(text: str) -> None:
    body = text[text.index("<main") :]
    lead = re.search(r'<div class="lead fail">\s*<p class="verdict">fail</p>\s*<p>([^<]*)</p>\s*<figure', body)
    assert lead is not None
    assert "12.50 %" in lead[1]
    assert lead.start() < body.index("<section")


def test_every_model_has_its_rates_with_intervals_and_limits(text: str) -> None:
    told = {(row["candidate"], row["tool"]): row for row in rows(text, "rates")}
    assert len(told) == 4
    natural, noise = told["broken", "pso for people"], told["broken", "noisy for people"]
    assert [natural[name] for name in ("dir_valid", "dir_valid_low", "dir_valid_high")] == ["0.125", "0.08", "0.21"]
    assert ">12.50 [8.00, 21.00]<" in text
    assert natural["limit_dir"] == "0.05"
    assert (noise["kind"], noise["limit_dir"], noise["queries_median"]) == ("noise", "", "37.5")
    assert "limit_sr" not in natural, "there is no such limit"


@pytest.mark.parametrize("table", ["judgements", "clean", "rates", "margins"])
def test_each_row_of_an_assessment_states_the_columns_that_are_declared(assessed: Path, table: str) -> None:
    columns, rows = getattr(page_tables, table)(read(assessed))
    assert rows
    for row in rows:
        assert {column.name for column in columns} <= {*row}


@pytest.mark.parametrize("table", ["flipped", "odds", "needs", "classes", "confusions", "layers", "shrunk"])
def test_each_row_of_a_model_states_the_columns_that_are_declared(assessed: Path, table: str) -> None:
    columns, rows = getattr(page_tables, table)(read(assessed).candidates[0])
    assert rows
    for row in rows:
        assert {column.name for column in columns} <= {*row}


def test_models_are_compared_with_the_interval_of_what_they_differ_by(assessed: Path, tmp_path: Path) -> None:
    copytree(assessed, tmp_path / "one")
    whole = read(assessed)
    assert whole.ranking is not None
    sizes = replace(whole.ranking.comparisons[0], metric="dir", shift=-0.25, shift_low=-0.5, shift_high=0.125)
    write(replace(whole, ranking=replace(whole.ranking, comparisons=[sizes])), tmp_path / "one")
    text = write_page(tmp_path / "one").read_text(encoding="utf-8")
    assert ">\u221225.00 [\u221250.00, +12.50]<" in text
    [row] = rows(text, "ranking")
    assert [*row] == [column.name for column in page_tables.comparisons(whole)[0]]
    assert [row[name] for name in ("metric", "differ", "differ_low", "holm")] == ["DiR", "-0.25", "-0.5", "0.04"]


def test_classes_of_which_nothing_was_found_are_left_out(text: str) -> None:
    assert {row["class"] for row in rows(text, "model0_classes")} == {"cat & co"}


def test_names_of_others_are_text(text: str) -> None:
    assert "<script>alert" not in text
    assert html.escape("<script>alert(1)</script>") in text


def test_nothing_is_fetched(text: str) -> None:
    assert "default-src 'none'" in text
    addresses = re.findall(r'\s(?:src|href|xlink:href|srcset|action|poster)="([^"]*)"', text)
    assert [one for one in addresses if not one.startswith(("#", "data:"))] == []


def test_the_worst_layer_and_suspected_ones_are_named(text: str) -> None:
    broken, sound = (re.search(rf'<section id="model{n}_layers">.*?</section>', text, re.DOTALL) for n in (0, 1))
    assert broken is not None
    assert sound is not None
    assert "30 dB less" in broken[0]
    assert "30 dB less" not in sound[0]
    assert "Furthest from the original before the output: dense_of" in sound[0]


def test_how_to_repeat_it_has_command_versions_and_checksums(text: str) -> None:
    end = text[text.index('<section id="repeat">') :]
    for wanted in ("quantrift assess --original a.keras", "quantrift 0.1.0", "a" * 64, "c" * 64, "quantrift replay"):
        assert wanted in end


@pytest.mark.slow
def test_the_same_assessment_gives_the_same_bytes(assessed: Path, text: str) -> None:
    assert write_page(assessed).read_text(encoding="utf-8") == text


def test_a_single_model_that_found_nothing_has_a_page_too(assessed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    copytree(assessed, folder)
    whole = read(folder)
    one = whole.candidates[1]
    tools = [replace(tool, classes=[], confusions=[], odds=[], dii=0) for tool in one.tools]
    one = replace(one, tools=tools, shrunk=[], needs=[], layers=[], layers_note="layers cannot be seen")
    write(replace(whole, candidates=[one], ranking=None, verdict="pass"), folder)
    text = write_page(folder).read_text(encoding="utf-8")
    assert '<div class="lead pass">' in text
    assert "layers cannot be seen" in text
    assert "candidate" not in rows(text, "rates")[0]
    assert 'id="ranking"' not in text


def test_of_very_many_layers_the_worst_and_the_suspected_are_drawn(assessed: Path) -> None:
    layer = read(assessed).candidates[1].layers[0]
    many = [replace(layer, layer=str(n), sqnr_db=float(n), suspect="why" if n == 99 else None) for n in range(100)]
    drawn = [int(one.layer) for one in drawn_layers(many)]
    assert drawn == [*range(LAYERS - 1), 99]


def test_a_folder_without_assessment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="name the folder of an assessment"):
        write_page(tmp_path)
